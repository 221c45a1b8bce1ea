import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct CursorCollectionsTests {
    @Test func arrays() throws {
        #expect(try Array(numbers(1...3)) == [1, 2, 3])
        #expect(try ContiguousArray(numbers(1...3)) == [1, 2, 3])
        let array = try Array(numbers(1...3), minimumCapacity: 100)
        #expect(array == [1, 2, 3])
        #expect(array.capacity >= 100)
        #expect(try String(AnyCursor(["a", "b"] as [Character])) == "ab")
        #expect(throws: Failure()) { try Array(numbers(1...3, then: Failure())) }
    }

    @Test func appending() throws {
        var array = [0]
        try array.append(contentsOf: numbers(1...3))
        #expect(array == [0, 1, 2, 3])
        #expect(throws: Failure()) { try array.append(contentsOf: numbers(4...4, then: Failure())) }
    }

    @Test func sets() throws {
        #expect(try Set(AnyCursor([1, 2, 1])) == [1, 2])
        #expect(try Set(numbers(1...3), minimumCapacity: 100).capacity >= 100)
        #expect(try Set([1, 2]).union(numbers(2...3)) == [1, 2, 3])
        #expect(try Set([1, 2]).intersection(numbers(2...3)) == [2])
        var set: Set = [1, 2]
        try set.formUnion(numbers(3...4))
        #expect(set == [1, 2, 3, 4])
        try set.formIntersection(numbers(2...3))
        #expect(set == [2, 3])
        #expect(throws: Failure()) { try Set(numbers(1...3, then: Failure())) }
        #expect(throws: Failure()) { try set.formIntersection(numbers(2...3, then: Failure())) }
        #expect(set == [2, 3])
    }

    @Test func groups() throws {
        #expect(try Dictionary(grouping: numbers(1...5)) { $0 % 2 } == [0: [2, 4], 1: [1, 3, 5]])
        #expect(try Dictionary(minimumCapacity: 100, grouping: numbers(1...2)) { $0 }.capacity >= 100)
        #expect(throws: Failure()) { try Dictionary(grouping: numbers(1...3, then: Failure())) { $0 } }
        #expect(throws: Failure(number: 1)) {
            _ = try Dictionary(grouping: numbers(1...3)) { number -> Int in throw Failure(number: number) }
        }
    }

    @Test func uniqueKeys() throws {
        let pairs = { numbers(1...3).map { ($0, "\($0)") } }
        #expect(try Dictionary(uniqueKeysWithValues: pairs()) == [1: "1", 2: "2", 3: "3"])
        #expect(try Dictionary(minimumCapacity: 100, uniqueKeysWithValues: pairs()).capacity >= 100)
        let failing = numbers(1...3, then: Failure()).map { ($0, $0) }
        #expect(throws: Failure()) { try Dictionary(uniqueKeysWithValues: failing) }
    }

    @Test func repeatedKeysTrap() async {
        expectText(
            "Duplicate values for key: '1'",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try Dictionary(uniqueKeysWithValues: AnyCursor([(1, "a"), (1, "b")]))
            })
    }
}
