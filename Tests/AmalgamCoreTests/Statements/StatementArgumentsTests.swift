import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

struct StatementArgumentsTests {
    private final class Stranger: NSObject {}

    // MARK: Making arguments

    @Test func positionalArguments() {
        let values: [DatabaseValue] = [1.databaseValue, "Anna".databaseValue, .null]
        #expect(([1, "Anna", nil] as StatementArguments).values == values)
        #expect(StatementArguments([1, "Anna", nil] as [(any DatabaseValueConvertible)?]).values == values)
        #expect(StatementArguments([1, 2]) == [1, 2])
        #expect(StatementArguments(Set([1])) == [1])
        #expect(StatementArguments(["a", nil] as [String?]) == ["a", nil])
        #expect(StatementArguments(["a".databaseValue, .null]) == ["a", nil])
        #expect(StatementArguments((1...3).lazy.map { $0 * 2 }) == [2, 4, 6])
    }

    @Test func namedArguments() {
        let arguments: StatementArguments = ["id": 1, "name": nil]
        #expect(arguments.namedValues == ["id": 1.databaseValue, "name": .null])
        #expect(StatementArguments(["id": 1, "name": nil] as [String: (any DatabaseValueConvertible)?]) == arguments)
        let pairs: [(String, (any DatabaseValueConvertible)?)] = [("id", 7), ("name", nil), ("id", 1)]
        #expect(StatementArguments(pairs) == arguments)
        #expect((["id": 7, "id": 1] as StatementArguments) == ["id": 1])
    }

    @Test func argumentsOfTypesKnownAtRunTime() {
        let array: [Any] = [1, "Anna", 1.5, true, Data([1])]
        #expect(StatementArguments(array) == [1, "Anna", 1.5, true, Data([1])])
        #expect(StatementArguments([1, Stranger()] as [Any]) == nil)
        let dictionary: [AnyHashable: Any] = ["id": 1, "name": "Anna"]
        #expect(StatementArguments(dictionary) == ["id": 1, "name": "Anna"])
        #expect(StatementArguments(["id": Stranger()] as [AnyHashable: Any]) == nil)
        #expect(StatementArguments([1: 1] as [AnyHashable: Any]) == nil)
        #expect(StatementArguments([] as [Any]) == [])
    }

    @Test func emptiness() {
        #expect(StatementArguments().isEmpty)
        #expect(([] as StatementArguments).isEmpty)
        #expect(([:] as StatementArguments).isEmpty)
        #expect(!([nil] as StatementArguments).isEmpty)
        #expect(!(["a": nil] as StatementArguments).isEmpty)
        #expect(([] as StatementArguments) == [:])
    }

    // MARK: Composition

    @Test func concatenation() {
        #expect([1] + [2, 3] as StatementArguments == [1, 2, 3])
        #expect((["a": 1] as StatementArguments) + ["b": 2] == ["a": 1, "b": 2])
        let mixed = (["a": 1] as StatementArguments) + [2] + ["b": 3] + [4]
        #expect(mixed.values == [2, 4].map(\.databaseValue))
        #expect(mixed.namedValues == ["a": 1.databaseValue, "b": 3.databaseValue])
        var arguments: StatementArguments = [1]
        arguments += [2]
        arguments += ["a": 3]
        #expect(arguments == [1, 2] + ["a": 3])
    }

    @Test func theRightSideWins() {
        #expect((["a": 1, "b": 2] as StatementArguments) &+ ["a": 3] == ["a": 3, "b": 2])
        #expect(([1] as StatementArguments) &+ [1] == [1, 1])
    }

    @Test func appendingTellsWhatItReplaced() {
        var arguments: StatementArguments = ["a": 1, "b": nil]
        #expect(arguments.append(contentsOf: ["c": 3]) == [:])
        #expect(arguments.append(contentsOf: ["a": 2, "b": 4]) == ["a": 1.databaseValue, "b": .null])
        #expect(arguments == ["a": 2, "b": 4, "c": 3])
    }

    @Test func aRepeatedNameTraps() async {
        expectText(
            "already defined statement argument: a",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": 1] as StatementArguments) + ["a": 1]
            })
        expectText(
            "already defined statement argument: a",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var arguments: StatementArguments = ["a": 1]
                arguments += ["a": 2]
            })
    }

    // MARK: Text and equality

    @Test(
        arguments: [
            ([], "[]"), ([41, "Anna", nil, 1.5], #"[41, "Anna", NULL, 1.5]"#),
            ([Data([1, 2, 3])], "[Data(3 bytes)]"), (["name": "Anna", "age": 41], #"["age": 41, "name": "Anna"]"#),
            ((["name": "Ann"] as StatementArguments) + [41], #"["name": "Ann", 41]"#), ([true, false], "[1, 0]"),
        ] as [(StatementArguments, String)])
    func descriptions(_ arguments: StatementArguments, _ description: String) {
        #expect(arguments.description == description)
        #expect("\(arguments)" == description)
    }

    @Test func equality() {
        #expect(([1, 2] as StatementArguments) != [2, 1])
        #expect(([1] as StatementArguments) == [1.0])
        #expect(([1] as StatementArguments) != ["a": 1])
        #expect(Set<StatementArguments>([[1], [1], ["a": 1], ["a": 1]]).count == 2)
    }
}
