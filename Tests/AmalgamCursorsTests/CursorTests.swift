import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct CursorTests {
    // MARK: Making cursors

    @Test func ofAClosure() throws {
        var count = 0
        let cursor = AnyCursor<Int> {
            count += 1
            return count <= 2 ? count : nil
        }
        #expect(try cursor.next() == 1)
        #expect(try cursor.next() == 2)
        #expect(try cursor.next() == nil)
    }

    @Test func ofAClosureThatThrows() throws {
        let cursor = AnyCursor<Int> { throw Failure() }
        #expect(throws: Failure()) { try cursor.next() }
    }

    @Test func ofSequencesIteratorsAndCursors() throws {
        #expect(try Array(AnyCursor([1, 2, 3])) == [1, 2, 3])
        #expect(try Array(AnyCursor(iterator: [1, 2, 3].makeIterator())) == [1, 2, 3])
        #expect(try Array(AnyCursor(1...3)) == [1, 2, 3])
        #expect(try Array(AnyCursor(numbers(1...3))) == [1, 2, 3])
        #expect(try Array(AnyCursor(AnyCursor(numbers(1...3).map { "\($0)" }))) == ["1", "2", "3"])
    }

    @Test func aCursorIsConsumedOnce() throws {
        let cursor = numbers(1...5)
        #expect(try Array(cursor.prefix(2)) == [1, 2])
        #expect(try Array(cursor) == [3, 4, 5])
        #expect(try Array(cursor) == [])
        #expect(try cursor.next() == nil)
    }

    @Test func forEach() throws {
        var elements: [Int] = []
        try numbers(1...3).forEach { elements.append($0) }
        #expect(elements == [1, 2, 3])
        elements = []
        #expect(throws: Failure(number: 7)) {
            try numbers(1...3, then: Failure(number: 7)).forEach { elements.append($0) }
        }
        #expect(elements == [1, 2, 3])
        #expect(throws: Failure(number: 2)) {
            try numbers(1...3).forEach { if $0 == 2 { throw Failure(number: 2) } }
        }
    }

    // MARK: Reductions

    @Test func isEmptyConsumesAnElement() throws {
        let cursor = numbers(1...2)
        #expect(try !cursor.isEmpty)
        #expect(try cursor.next() == 2)
        #expect(try cursor.isEmpty)
        #expect(throws: Failure()) { try numbers(1...1, then: Failure()).dropFirst().isEmpty }
    }

    @Test func contains() throws {
        #expect(try numbers(1...3).contains(2))
        #expect(try !numbers(1...3).contains(4))
        #expect(try numbers(1...3).contains { $0 > 2 })
        #expect(try !numbers(1...3).contains { $0 > 3 })
        #expect(throws: Failure(number: 1)) { try numbers(1...3).contains { throw Failure(number: $0) } }
    }

    @Test func containsStopsAtTheFirstMatch() throws {
        let cursor = numbers(1...3, then: Failure())
        #expect(try cursor.contains(2))
        #expect(try cursor.next() == 3)
        #expect(throws: Failure()) { try cursor.contains(4) }
    }

    @Test func first() throws {
        let cursor = numbers(1...5)
        #expect(try cursor.first { $0 > 2 } == 3)
        #expect(try cursor.next() == 4)
        #expect(try cursor.first { $0 > 9 } == nil)
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).first { $0 > 3 } }
    }

    @Test func reduce() throws {
        #expect(try numbers(1...4).reduce(10, +) == 20)
        #expect(try noNumbers().reduce(10, +) == 10)
        #expect(try numbers(1...3).reduce(into: []) { $0.append($1 * 2) } == [2, 4, 6])
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).reduce(0, +) }
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).reduce(into: 0, +=) }
        #expect(throws: Failure(number: 1)) {
            try numbers(1...3).reduce(0) { _, number in throw Failure(number: number) }
        }
    }

    @Test(arguments: [[], [1], [3, 1, 2], [1, 1], [2, 3, 1, 3]])
    func minAndMax(_ elements: [Int]) throws {
        #expect(try AnyCursor(elements).min() == elements.min())
        #expect(try AnyCursor(elements).max() == elements.max())
        #expect(try AnyCursor(elements).min(by: >) == elements.max())
        #expect(try AnyCursor(elements).max(by: >) == elements.min())
    }

    @Test func theFirstOfEqualsWins() throws {
        let words = ["bb", "aa", "c", "d"]
        #expect(try AnyCursor(words).min { $0.count < $1.count } == words.min { $0.count < $1.count })
        #expect(try AnyCursor(words).max { $0.count < $1.count } == words.max { $0.count < $1.count })
    }

    @Test func minAndMaxThrow() {
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).min() }
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).max() }
        #expect(throws: Failure(number: 9)) { try numbers(1...3).max { _, _ in throw Failure(number: 9) } }
    }

    @Test(arguments: 0...7)
    func suffixAndDropLast(_ count: Int) throws {
        let elements = Array(1...5)
        #expect(try numbers(1...5).suffix(count) == Array(elements.suffix(count)))
        #expect(try numbers(1...5).dropLast(count) == Array(elements.dropLast(count)))
        #expect(try noNumbers().suffix(count) == [])
        #expect(try noNumbers().dropLast(count) == [])
    }

    @Test func dropLastAndSuffixThrow() throws {
        #expect(try numbers(1...3).dropLast() == [1, 2])
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).dropLast() }
        #expect(throws: Failure()) { try numbers(1...3, then: Failure()).suffix(1) }
    }

    @Test func joinedTexts() throws {
        #expect(try AnyCursor(["a", "b", "c"]).joined(separator: ", ") == "a, b, c")
        #expect(try AnyCursor(["a", "b", "c"]).joined() == "abc")
        #expect(try AnyCursor(["a"]).joined(separator: ", ") == "a")
        #expect(try AnyCursor([String]()).joined(separator: ", ") == "")
        #expect(try AnyCursor(["", ""]).joined(separator: ",") == ",")
        #expect(try AnyCursor(["ab"[...], "cd"[...]]).joined(separator: "-") == "ab-cd")
        #expect(throws: Failure()) { try numbers(1...2, then: Failure()).map { "\($0)" }.joined() }
    }

    @Test func negativeLengthsTrap() async {
        expectText(
            "Can't drop a negative number of elements from a cursor",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = numbers(1...3).dropFirst(-1)
            })
        expectText(
            "Can't take a prefix of negative length from a cursor",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = numbers(1...3).prefix(-1)
            })
        expectText(
            "Can't take a suffix of negative length from a cursor",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try numbers(1...3).suffix(-1)
            })
        expectText(
            "Can't drop a negative number of elements from a cursor",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try numbers(1...3).dropLast(-1)
            })
    }
}
