import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Operators return the same elements as those of sequences. An error is thrown when its element is requested.
struct CursorOperatorsTests {
    /// Returns the elements of a cursor up to its end or its error.
    private func read<Element>(_ cursor: some Cursor<Element>) -> (elements: [Element], failure: Failure?) {
        var elements: [Element] = []
        do {
            while let element = try cursor.next() { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error as? Failure)
        }
    }

    private func expect<Element: Equatable>(
        _ cursor: some Cursor<Element>, _ elements: [Element], _ failure: Failure? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let result = read(cursor)
        #expect(result.elements == elements, sourceLocation: sourceLocation)
        #expect(result.failure == failure, sourceLocation: sourceLocation)
        // After the end, or an error, `next` returns no element.
        let next = try? cursor.next()
        #expect(next == nil, sourceLocation: sourceLocation)
    }

    // MARK: map, filter, compactMap, enumerated

    @Test func map() {
        expect(numbers(1...3).map { $0 * 10 }, [10, 20, 30])
        expect(noNumbers().map { $0 * 10 }, [])
        expect(numbers(1...2, then: Failure()).map { "\($0)" }, ["1", "2"], Failure())
    }

    @Test func mapIsLazy() throws {
        var seen: [Int] = []
        let cursor = numbers(1...3).map { number in
            seen.append(number)
            return number
        }
        #expect(seen == [])
        _ = try cursor.next()
        #expect(seen == [1])
    }

    @Test func filter() {
        expect(numbers(1...6).filter { $0.isMultiple(of: 2) }, [2, 4, 6])
        expect(numbers(1...3).filter { _ in false }, [])
        expect(numbers(1...3).filter { _ in true }, [1, 2, 3])
        expect(numbers(1...3, then: Failure()).filter { $0 > 2 }, [3], Failure())
    }

    @Test func compactMap() {
        expect(AnyCursor(["1", "x", "3"]).compactMap { Int($0) }, [1, 3])
        expect(AnyCursor([String]()).compactMap { Int($0) }, [])
        expect(numbers(1...2, then: Failure()).compactMap { $0 == 1 ? nil : $0 }, [2], Failure())
        expect(AnyCursor([1, nil, 3] as [Int?]).compactMap { $0 }, [1, 3])
    }

    @Test func enumerated() throws {
        let cursor = AnyCursor(["a", "b"]).enumerated()
        let first = try cursor.next()
        #expect(first?.0 == 0 && first?.1 == "a")
        let rest = try Array(cursor)
        #expect(rest.map(\.0) == [1] && rest.map(\.1) == ["b"])
        expect(numbers(5...6, then: Failure()).enumerated().map { [$0.0, $0.1] }, [[0, 5], [1, 6]], Failure())
    }

    @Test func closuresMayThrow() {
        #expect(
            read(numbers(1...3).map { try $0 == 2 ? { throw Failure(number: 2) }() : $0 }).failure == Failure(number: 2)
        )
        #expect(read(numbers(1...3).filter { if $0 == 2 { throw Failure(number: 2) } else { true } }).elements == [1])
        #expect(
            read(numbers(1...3).compactMap { if $0 == 2 { throw Failure(number: 2) } else { $0 as Int? } }).failure
                == Failure(number: 2))
        #expect(read(numbers(1...3).drop { throw Failure(number: $0) }).failure == Failure(number: 1))
        #expect(
            read(numbers(1...3).prefix { if $0 == 2 { throw Failure(number: 2) } else { true } }).failure
                == Failure(number: 2))
        #expect(
            read(numbers(1...3).flatMap { if $0 == 2 { throw Failure(number: 2) } else { [$0, $0] } }).elements == [
                1, 1,
            ])
    }

    /// An error ends the cursor, as for a failed statement: it is thrown again.
    @Test func anErrorOfAClosureEndsTheCursor() throws {
        func expectEnd<C: Cursor>(_ cursor: C, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(read(cursor).failure == Failure(number: 2), sourceLocation: sourceLocation)
            for _ in 1...3 {
                #expect(throws: Failure(number: 2), sourceLocation: sourceLocation) { _ = try cursor.next() }
            }
            #expect(throws: Failure(number: 2), sourceLocation: sourceLocation) {
                try cursor.forEach { _ in Issue.record("no element is left", sourceLocation: sourceLocation) }
            }
        }
        func failAtTwo<T>(_ number: Int, _ result: T) throws -> T {
            if number == 2 { throw Failure(number: 2) }
            return result
        }
        expectEnd(numbers(1...5).map { try failAtTwo($0, $0) })
        expectEnd(numbers(1...5).filter { try failAtTwo($0, true) })
        expectEnd(numbers(1...5).compactMap { try failAtTwo($0, $0 as Int?) })
        expectEnd(numbers(1...5).drop { try failAtTwo($0, true) })
        expectEnd(numbers(1...5).prefix { try failAtTwo($0, true) })
        expectEnd(numbers(1...5).flatMap { try failAtTwo($0, [$0]) })
        expectEnd(numbers(1...5).flatMap { number in AnyCursor([number]).map { try failAtTwo($0, $0) } })
        expectEnd(numbers(1...5).map { try failAtTwo($0, $0) }.enumerated().map { $0.1 })
        expectEnd(numbers(1...5).map { try failAtTwo($0, $0) }.dropFirst())
        expectEnd(numbers(1...5).map { try failAtTwo($0, $0) }.prefix(2))
        expectEnd(AnyCursor(numbers(1...5).map { try failAtTwo($0, $0) }))
    }

    @Test func anErrorOfAClosureEndsForEachToo() throws {
        let cursor = numbers(1...5).map { if $0 == 2 { throw Failure(number: 2) } else { $0 } }
        for _ in 1...2 {
            #expect(throws: Failure(number: 2)) { try cursor.forEach { _ in } }
        }
        #expect(throws: Failure(number: 2)) { _ = try cursor.next() }
    }

    /// An error in the body of a loop doesn't change the cursor.
    @Test func anErrorOfALoopLeavesTheCursorWhereItIs() throws {
        let cursor = numbers(1...5).map { $0 * 10 }.filter { _ in true }
        #expect(throws: Failure(number: 20)) {
            try cursor.forEach { if $0 == 20 { throw Failure(number: 20) } }
        }
        #expect(try cursor.next() == 30)
        #expect(throws: Failure(number: 40)) { _ = try cursor.contains { throw Failure(number: $0) } }
        #expect(try cursor.next() == 50)
        #expect(try cursor.next() == nil)
    }

    @Test func aClosureIsNotAskedAfterTheEnd() throws {
        var calls = 0
        let cursor = AnyCursor<Int> {
            calls += 1
            return calls == 2 ? nil : calls
        }
        #expect(try [cursor.next(), cursor.next(), cursor.next(), cursor.next()] == [1, nil, nil, nil])
        #expect(calls == 2)
        let failing = AnyCursor<Int> {
            calls += 1
            throw Failure(number: calls)
        }
        for _ in 1...2 { #expect(throws: Failure(number: 3)) { _ = try failing.next() } }
        #expect(calls == 3)
    }

    @Test func aClosureMayAskItsOwnCursor() throws {
        var cursor: AnyCursor<Int>?
        let base = numbers(1...4)
        cursor = AnyCursor(base.map { try $0 == 1 ? (cursor?.next() ?? 0) : $0 })
        #expect(try cursor?.next() == 2)
        #expect(try cursor?.next() == 3)
        cursor = nil
    }

    // MARK: dropFirst, prefix

    @Test(arguments: 0...6, 0...3)
    func dropFirst(_ first: Int, _ second: Int) {
        expect(numbers(1...5).dropFirst(first), Array((1...5).dropFirst(first)))
        expect(numbers(1...5).dropFirst(first).dropFirst(second), Array((1...5).dropFirst(first + second)))
    }

    @Test func dropFirstOfOne() {
        expect(numbers(1...3).dropFirst(), [2, 3])
        expect(numbers(1...3, then: Failure()).dropFirst(2), [3], Failure())
        expect(numbers(1...3, then: Failure()).dropFirst(9), [], Failure())
    }

    @Test(arguments: 0...6, 0...6)
    func prefix(_ first: Int, _ second: Int) {
        expect(numbers(1...5).prefix(first), Array((1...5).prefix(first)))
        expect(numbers(1...5).prefix(first).prefix(second), Array((1...5).prefix(min(first, second))))
    }

    @Test func prefixReadsNoMoreThanItGives() throws {
        expect(numbers(1...3, then: Failure()).prefix(3), [1, 2, 3])
        expect(numbers(1...3, then: Failure()).prefix(4), [1, 2, 3], Failure())
        let cursor = numbers(1...5)
        #expect(try Array(cursor.prefix(2)) == [1, 2])
        #expect(try cursor.next() == 3)
    }

    // MARK: drop(while:), prefix(while:)

    @Test func dropWhile() {
        expect(numbers(1...5).drop { $0 < 3 }, [3, 4, 5])
        expect(numbers(1...5).drop { _ in true }, [])
        expect(numbers(1...5).drop { _ in false }, [1, 2, 3, 4, 5])
        expect(AnyCursor([1, 5, 1]).drop { $0 < 3 }, [5, 1])
        expect(numbers(1...3, then: Failure()).drop { $0 < 3 }, [3], Failure())
        expect(numbers(1...3, then: Failure()).drop { _ in true }, [], Failure())
    }

    @Test func thePredicateIsAskedNoMoreAfterItsFirstFalse() throws {
        var asked: [Int] = []
        let cursor = numbers(1...4).drop { number in
            asked.append(number)
            return number < 2
        }
        #expect(try Array(cursor) == [2, 3, 4])
        #expect(asked == [1, 2])
    }

    @Test func prefixWhile() {
        expect(numbers(1...5).prefix { $0 < 3 }, [1, 2])
        expect(numbers(1...5).prefix { _ in true }, [1, 2, 3, 4, 5])
        expect(numbers(1...5).prefix { _ in false }, [])
        expect(AnyCursor([1, 5, 1]).prefix { $0 < 3 }, [1])
        expect(numbers(1...3, then: Failure()).prefix { $0 < 3 }, [1, 2])
        expect(numbers(1...3, then: Failure()).prefix { _ in true }, [1, 2, 3], Failure())
    }

    // MARK: flatMap, joined

    @Test func flatMapOfSequences() {
        expect(numbers(1...3).flatMap { Array(repeating: $0, count: $0) }, [1, 2, 2, 3, 3, 3])
        expect(numbers(1...3).flatMap { $0 == 2 ? [$0] : [] }, [2])
        expect(noNumbers().flatMap { [$0] }, [])
        expect(numbers(1...2, then: Failure()).flatMap { [$0, -$0] }, [1, -1, 2, -2], Failure())
    }

    @Test func flatMapOfCursors() {
        expect(numbers(1...3).flatMap { numbers(1...$0) }, [1, 1, 2, 1, 2, 3])
        expect(numbers(1...3).flatMap { numbers(1...$0, then: $0 == 2 ? Failure() : nil) }, [1, 1, 2], Failure())
        expect([1, 2].flatMap { numbers(1...$0) }, [1, 1, 2])
        expect([1, 2].lazy.map { $0 * 2 }.flatMap { numbers(1...$0) }, [1, 2, 1, 2, 3, 4])
    }

    @Test func joined() {
        expect(AnyCursor([[1, 2], [], [3]]).joined(), [1, 2, 3])
        expect(AnyCursor([numbers(1...2), noNumbers(), numbers(3...3)]).joined(), [1, 2, 3])
        expect(AnyCursor([[Int]]()).joined(), [])
    }

    // MARK: forEach and next agree

    /// A cursor that implements only `forEach`.
    final class ForEachCursor: Cursor {
        func next() throws -> Int? { throw Failure(number: -1) }
        func forEach(_ body: (Int) throws -> Void) throws { for number in 1...4 { try body(number) } }
    }

    @Test func forEachGoesThroughTheForEachOfTheBase() throws {
        #expect(try Array(ForEachCursor()) == [1, 2, 3, 4])
        #expect(try Array(ForEachCursor().filter { $0 > 2 }) == [3, 4])
        #expect(try Array(ForEachCursor().map { $0 * 2 }) == [2, 4, 6, 8])
        #expect(try Array(ForEachCursor().compactMap { $0 > 2 ? $0 * 2 : nil }) == [6, 8])
        #expect(try Array(ForEachCursor().enumerated()).map(\.0) == [0, 1, 2, 3])
        #expect(try ForEachCursor().reduce(0, +) == 10)
        #expect(throws: Failure(number: -1)) { try ForEachCursor().filter { $0 > 2 }.next() }
    }

    @Test func mixingNextAndForEach() throws {
        let cursor = numbers(1...5).map { $0 * 2 }.filter { $0 > 2 }.enumerated()
        #expect(try cursor.next()?.1 == 4)
        var rest: [[Int]] = []
        try cursor.forEach { rest.append([$0.0, $0.1]) }
        #expect(rest == [[1, 6], [2, 8], [3, 10]])
        #expect(try cursor.next() == nil)
    }

    // MARK: Chains over rows

    @Test(arguments: DatabaseKind.allCases)
    func operatorsOverAStatement(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let sql = "SELECT name FROM player ORDER BY id"
            #expect(try Array(String.fetchCursor(db, sql: sql).dropFirst().map { $0.uppercased() }) == ["BO", "CLEO"])
            #expect(try Array(String.fetchCursor(db, sql: sql).filter { $0.contains("o") }) == ["Bo", "Cleo"])
            #expect(try Array(String.fetchCursor(db, sql: sql).prefix(1)) == ["Anna"])
            #expect(try String.fetchCursor(db, sql: sql).joined(separator: ", ") == "Anna, Bo, Cleo")
            #expect(try String.fetchCursor(db, sql: sql).max() == "Cleo")
            #expect(try String.fetchCursor(db, sql: sql).suffix(2) == ["Bo", "Cleo"])
            #expect(try String.fetchCursor(db, sql: sql).contains("Bo"))
            let ids = try Row.fetchCursor(db, sql: "SELECT id, teamId FROM player").map { ($0[0] as Int, $0[1] as Int) }
            #expect(try Dictionary(uniqueKeysWithValues: ids) == [1: 1, 2: 1, 3: 2])
        }
    }
}
