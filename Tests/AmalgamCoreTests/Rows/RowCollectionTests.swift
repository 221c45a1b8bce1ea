import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

struct RowCollectionTests {
    // MARK: Collection

    @Test(arguments: RowKind.allCases)
    func aRowIsACollection(_ kind: RowKind) throws {
        try kind.with(["a": 1.databaseValue, "b": "x".databaseValue, "a": .null]) { row in
            #expect(row.count == 3)
            #expect(row.distance(from: row.startIndex, to: row.endIndex) == 3)
            #expect(row.map(\.0) == ["a", "b", "a"])
            #expect(row.map(\.1) == [1.databaseValue, "x".databaseValue, .null])
            #expect(row.reversed().map(\.0) == ["a", "b", "a"])
            #expect(row.indices.count == 3)
            let index = try #require(row.firstIndex { $0.0 == "b" })
            #expect(row[row.distance(from: row.startIndex, to: index)] as String == "x")
            #expect(row[index].0 == "b" && row[index].1 == "x".databaseValue)
            #expect(row.index(after: row.startIndex) == index && row.index(before: index) == row.startIndex)
            #expect(row.index(row.startIndex, offsetBy: 3) == row.endIndex)
            #expect(row.startIndex < index && index < row.endIndex)
            #expect(row.dropFirst().first?.0 == "b")
            #expect(row.last?.1 == .null)
        }
    }

    @Test func aRowAsADictionary() {
        let row: Row = ["a": 1, "b": 2, "a": 3]
        let dictionary = Dictionary(row.map { ($0.0, $0.1) }, uniquingKeysWith: { left, _ in left })
        #expect(dictionary == ["a": 1.databaseValue, "b": 2.databaseValue])
        #expect(Dictionary(row, uniquingKeysWith: { left, _ in left }) == dictionary)
    }

    @Test func duplicateNames() throws {
        try DatabaseKind.memory.run { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS foo, 2 AS foo"))
            #expect(Array(row.columnNames) == ["foo", "foo"])
            #expect(Array(row.databaseValues) == [1.databaseValue, 2.databaseValue])
            #expect(row["foo"] as Int == 1)
        }
    }

    // MARK: Equality

    @Test(arguments: RowKind.allCases)
    func rowsAreEqualByColumnsAndValues(_ kind: RowKind) throws {
        try kind.with(["a": 1.databaseValue, "b": "x".databaseValue]) { row in
            let equal: Row = ["a": 1, "b": "x"]
            #expect(row == equal && equal == row && row == row && row.copy() == row)
            #expect(row.hashValue == equal.hashValue)
            let real: Row = ["a": 1.0, "b": "x"]
            #expect(row == real && row.hashValue == real.hashValue)
            let others: [Row] = [
                ["b": "x", "a": 1], ["a": 1], ["a": 1, "b": "y"], ["a": 1, "B": "x"], ["a": 1.5, "b": "x"],
                ["a": 1, "b": "x", "c": nil], ["a": 1, "b": Data("x".utf8)], [:],
            ]
            for other in others { #expect(row != other) }
        }
    }

    @Test func setsOfRows() throws {
        try DatabaseKind.memory.run { db in
            let rows = try Row.fetchSet(db, sql: "SELECT column1 AS a FROM (VALUES (1), (2), (1), (NULL), (NULL))")
            #expect(rows == [["a": 1], ["a": 2], ["a": nil]])
        }
    }

    @Test func scopesCount() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT 1 AS a, 2 AS b"
            let plain = try #require(try Row.fetchOne(db, sql: sql))
            let scoped = try #require(
                try Row.fetchOne(db, sql: sql, adapter: ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)])))
            let other = try #require(
                try Row.fetchOne(db, sql: sql, adapter: ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 0)])))
            let renamed = try #require(
                try Row.fetchOne(db, sql: sql, adapter: ScopeAdapter(["t": SuffixRowAdapter(fromIndex: 1)])))
            #expect(plain != scoped && scoped != plain && scoped != other && scoped != renamed)
            #expect(scoped.unscoped == plain && scoped.copy() == scoped)
        }
    }

    @Test func prefetchedRowsCount() {
        let plain: Row = ["a": 1]
        func row(_ prefetches: [String: [Row]]) -> Row {
            let row: Row = ["a": 1]
            row.prefetches = prefetches.mapValues { .rows($0) }
            return row
        }
        #expect(row([:]) == plain)
        #expect(row(["bs": []]) != plain)
        #expect(row(["bs": [["b": 1]]]) == row(["bs": [["b": 1]]]))
        #expect(row(["bs": [["b": 1]]]) != row(["bs": [["b": 2]]]))
        #expect(row(["bs": [["b": 1]]]) != row(["bs": [["b": 1]]]).unscoped)
        #expect(row(["bs": [["b": 1]]]).unscoped == plain)
        #expect(row(["bs": [["b": 1]]]).copy() == row(["bs": [["b": 1]]]))
        #expect(row(["bs": [["b": 1]]]).hashValue == plain.hashValue)
    }

    // MARK: Text

    @Test(arguments: RowKind.allCases)
    func descriptions(_ kind: RowKind) throws {
        try kind.with([
            "a": 0.databaseValue, "b": "foo".databaseValue, "c": .null, "d": 1.5.databaseValue,
            "e": Data([1, 2, 3]).databaseValue,
        ]) { row in
            #expect(row.description == #"[a:0 b:"foo" c:NULL d:1.5 e:Data(3 bytes)]"#)
            if kind == .adapted || kind == .adaptedCopy {
                #expect(
                    row.debugDescription == """
                        ▿ \(row.description)
                          unadapted: [hidden:"hidden" a:0 b:"foo" c:NULL d:1.5 e:Data(3 bytes)]
                        """)
            } else {
                #expect(row.debugDescription == row.description)
            }
        }
    }

    @Test func theDebugDescriptionShowsScopesAndPrefetches() throws {
        try DatabaseKind.memory.run { db in
            let adapter = ScopeAdapter(
                base: RangeRowAdapter(0..<2),
                scopes: [
                    "z": SuffixRowAdapter(fromIndex: 3),
                    "a": ScopeAdapter(base: RangeRowAdapter(2..<3), scopes: ["inner": RangeRowAdapter(3..<4)]),
                ])
            let row = try #require(
                try Row.fetchOne(db, sql: "SELECT 1 AS id, 'x' AS name, 2 AS a, NULL AS z", adapter: adapter))
            #expect(
                row.debugDescription == """
                    ▿ [id:1 name:"x"]
                      unadapted: [id:1 name:"x" a:2 z:NULL]
                      - a: [a:2]
                        - inner: [z:NULL]
                      - z: [z:NULL]
                    """)
            row.prefetches = ["cs": .rows([["c": 1]]), "bs": .rows([]), "ds": .rows([["d": 1], ["d": 2]])]
            #expect(
                row.debugDescription == """
                    ▿ [id:1 name:"x"]
                      unadapted: [id:1 name:"x" a:2 z:NULL]
                      - a: [a:2]
                        - inner: [z:NULL]
                      - z: [z:NULL]
                      + bs: 0 row
                      + cs: 1 row
                      + ds: 2 rows
                    """)
        }
    }

    /// The rows prefetched for a scope also belong to the row.
    @Test func thePrefetchesOfScopesComeBeforeThoseOfTheRow() throws {
        try DatabaseKind.memory.run { db in
            let adapter = ScopeAdapter(base: RangeRowAdapter(0..<3), scopes: ["a": SuffixRowAdapter(fromIndex: 3)])
            let row = try #require(
                try Row.fetchOne(
                    db, sql: "SELECT 4 AS colb1, 1 AS colb2, 'b1' AS colb3, 1 AS cola1, 'a1' AS cola2",
                    adapter: adapter))
            row.prefetches = ["a.cs": .rows([["c": 2]])]
            #expect(row.scopes["a"]?.prefetchedRows["cs"] == [["c": 2]])
            #expect(row.prefetchedRows["cs"] == [["c": 2]])
            #expect(row.prefetchedRows.keys == ["cs"])
            #expect(
                row.debugDescription == """
                    ▿ [colb1:4 colb2:1 colb3:"b1"]
                      unadapted: [colb1:4 colb2:1 colb3:"b1" cola1:1 cola2:"a1"]
                      - a: [cola1:1 cola2:"a1"]
                        + cs: 1 row
                      + cs: 1 row
                    """)
        }
    }

    @Test func thePlainRowWithPrefetches() {
        let row: Row = ["id": 1]
        row.prefetches = ["bs": .rows([])]
        #expect(row.debugDescription == "▿ [id:1]\n  + bs: 0 row")
        #expect(row.unscoped.debugDescription == "[id:1]")
    }

    @Test func theRowWithoutItsScopesIsPlain() throws {
        try DatabaseKind.memory.run { db in
            let adapter = ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)])
            let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b", adapter: adapter))
            #expect(row.debugDescription.hasPrefix("▿ [a:1 b:2]\n"))
            #expect(row.unscoped.debugDescription == "[a:1 b:2]")
        }
    }
}
