import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

struct RowScopesTests {
    /// Passes the first row of a query through an adapter to a test: live, and as a copy.
    private func rows(
        _ sql: String, _ adapter: (any RowAdapter)?, _ test: (Row) throws -> Void
    ) throws {
        try DatabaseKind.memory.run { db in
            try test(try #require(try Row.fetchOne(db, sql: sql, adapter: adapter)))
            let cursor = try Row.fetchCursor(db, sql: sql, adapter: adapter)
            let live = try #require(try cursor.next())
            try test(live)
            try test(live.copy())
            #expect(live == live.copy())
            #expect(try cursor.next() == nil)
        }
    }

    private let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"

    // MARK: Columns

    @Test func suffixes() throws {
        try rows(sql, SuffixRowAdapter(fromIndex: 1)) { row in
            #expect(row == ["b": 1, "c": 2, "d": 3])
            #expect(row[0] as Int == 1 && row["b"] as Int == 1)
            #expect(!row.hasColumn("a") && row["a"] as Int? == nil)
            #expect(row.unadapted == ["a": 0, "b": 1, "c": 2, "d": 3])
        }
        try rows(sql, SuffixRowAdapter(fromIndex: 4)) { #expect($0 == [:]) }
    }

    @Test func ranges() throws {
        try rows(sql, RangeRowAdapter(1..<3)) { #expect($0 == ["b": 1, "c": 2]) }
        try rows(sql, RangeRowAdapter(1...2)) { #expect($0 == ["b": 1, "c": 2]) }
        try rows(sql, RangeRowAdapter(2..<2)) { #expect($0 == [:]) }
    }

    @Test func noColumnAtAll() throws {
        try rows(sql, EmptyRowAdapter()) { row in
            #expect(row == [:])
            #expect(!row.containsNonNullValue)
            #expect(row.unadapted == ["a": 0, "b": 1, "c": 2, "d": 3])
        }
    }

    @Test func mappings() throws {
        try rows(sql, ColumnMapping(["consumed": "c", "first": "A"])) { row in
            #expect(row == ["first": 0, "consumed": 2])
            #expect(row["consumed"] as Int == 2 && row["FIRST"] as Int == 0)
            #expect(!row.hasColumn("c") && !row.hasColumn("a"))
        }
        try rows("SELECT 1 AS a, 2 AS a", ColumnMapping(["x": "a", "y": "a"])) { row in
            #expect(row["x"] as Int == 1 && row["y"] as Int == 1 && row.count == 2)
        }
    }

    @Test func renaming() throws {
        try rows("SELECT 1 AS a, 2 AS b", RenameColumnAdapter { "_" + $0 }) { row in
            #expect(row == ["_a": 1, "_b": 2])
            #expect(row.unadapted == ["a": 1, "b": 2])
        }
    }

    @Test func columnsThatAreMissing() throws {
        try DatabaseKind.memory.run { db in
            let adapters: [any RowAdapter] = [
                SuffixRowAdapter(fromIndex: 5), RangeRowAdapter(3..<5), ColumnMapping(["x": "missing"]),
                SuffixRowAdapter(fromIndex: .max), RangeRowAdapter(0...Int.max),
                ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 5)]),
            ]
            for adapter in adapters {
                #expect { try Row.fetchOne(db, sql: sql, adapter: adapter) } throws: { ResultCode.SQLITE_MISUSE ~= $0 }
                #expect { try Row.fetchCursor(db, sql: sql, adapter: adapter) } throws: {
                    ResultCode.SQLITE_MISUSE ~= $0
                }
                #expect { try Int.fetchAll(db, sql: sql, adapter: adapter) } throws: { ResultCode.SQLITE_MISUSE ~= $0 }
            }
            expectError(
                .SQLITE_MISUSE, "Mapped column missing is not found: the statement has columns a, b, c, d"
            ) { _ = try Row.fetchOne(db, sql: sql, adapter: ColumnMapping(["x": "missing"])) }
        }
    }

    @Test func negativeIndexesTrap() async {
        expectText(
            "Negative column index is out of range",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = SuffixRowAdapter(fromIndex: -1)
            })
        expectText(
            "Negative column index is out of range",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = RangeRowAdapter(-1..<1)
            })
    }

    @Test func splitting() throws {
        let adapters = splittingRowAdapters(columnCounts: [2, 1])
        #expect(adapters.count == 3)
        var parts: [Row] = []
        try DatabaseKind.memory.run { db in
            for adapter in adapters { parts += try Row.fetchAll(db, sql: sql, adapter: adapter) }
        }
        #expect(parts == [["a": 0, "b": 1], ["c": 2], ["d": 3]])
        #expect(splittingRowAdapters(columnCounts: []).count == 1)
    }

    @Test("counts that no statement has are refused by the statement", arguments: [-1, -2, Int.min, 5, .max])
    func splittingIntoImpossibleParts(count: Int) throws {
        let adapters = splittingRowAdapters(columnCounts: [1, count, 1])
        #expect(adapters.count == 4)
        try DatabaseKind.memory.run { db throws in
            #expect(try Row.fetchOne(db, sql: sql, adapter: adapters[0]) == ["a": 0])
            expectCode(.SQLITE_MISUSE) { _ = try Row.fetchOne(db, sql: sql, adapter: adapters[1]) }
        }
    }

    // MARK: Scopes

    @Test func plainRowsHaveNone() throws {
        try rows(sql, nil) { row in
            #expect(row.scopes.isEmpty && row.scopes.count == 0 && row.scopes.names.isEmpty)
            #expect(row.scopes["x"] == nil)
            #expect(row.scopesTree["x"] == nil && row.scopesTree.names == [])
            #expect(row.unscoped === row && row.unadapted === row)
            #expect(row.prefetchedRows.isEmpty && row.prefetchedRows.keys == [])
        }
    }

    @Test func aScopeAdapterKeepsTheRow() throws {
        let adapter = ScopeAdapter(["s": RangeRowAdapter(1..<2), "t": SuffixRowAdapter(fromIndex: 2)])
        try rows(sql, adapter) { row in
            #expect(row.unscoped == ["a": 0, "b": 1, "c": 2, "d": 3])
            #expect(row["b"] as Int == 1)
            #expect(row.scopes.count == 2 && Set(row.scopes.names) == ["s", "t"])
            #expect(row.scopes["s"] == ["b": 1])
            #expect(row.scopes["t"] == ["c": 2, "d": 3])
            #expect(row.scopes["t"]?["c"] as Int? == 2)
            #expect(row.scopes["t"]?["b"] as Int? == nil)
            #expect(row.scopes["missing"] == nil)
            #expect(
                Dictionary(uniqueKeysWithValues: row.scopes.map { ($0.name, $0.row) })
                    == ["s": ["b": 1], "t": ["c": 2, "d": 3]])
        }
    }

    @Test func theBaseReducesTheRowAndNotItsParts() throws {
        let adapter = ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["rest": SuffixRowAdapter(fromIndex: 1)])
        try rows(sql, adapter) { row in
            #expect(row.unscoped == ["a": 0])
            #expect(row.scopes["rest"] == ["b": 1, "c": 2, "d": 3])
            #expect(row.unadapted == ["a": 0, "b": 1, "c": 2, "d": 3])
        }
        try rows(sql, ScopeAdapter(base: EmptyRowAdapter(), scopes: ["s": RangeRowAdapter(1..<2)])) { row in
            #expect(row.count == 0)
            #expect(row.scopes["s"] == ["b": 1])
            #expect(row.containsNonNullValue)
        }
    }

    @Test func addingScopes() throws {
        let base = ScopeAdapter(["s": RangeRowAdapter(0..<1), "t": RangeRowAdapter(1..<2)])
        try rows(sql, base.addingScopes(["t": RangeRowAdapter(2..<3), "u": RangeRowAdapter(3..<4)])) { row in
            #expect(row.scopes["s"] == ["a": 0])
            #expect(row.scopes["t"] == ["c": 2])
            #expect(row.scopes["u"] == ["d": 3])
            #expect(row.scopes.count == 3)
        }
        try rows(sql, SuffixRowAdapter(fromIndex: 3).addingScopes([:])) { row in
            #expect(row == ["d": 3] && row.scopes.isEmpty)
        }
        try rows(sql, SuffixRowAdapter(fromIndex: 3).addingScopes(["s": RangeRowAdapter(0..<1)])) { row in
            #expect(row.unscoped == ["d": 3])
            #expect(row.scopes["s"] == ["a": 0])
        }
    }

    @Test func nestedScopes() throws {
        let inner = ScopeAdapter(base: RangeRowAdapter(1..<2), scopes: ["inner": RangeRowAdapter(2..<3)])
        let adapter = ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["outer": inner])
        try rows(sql, adapter) { row in
            let outer = try #require(row.scopes["outer"])
            #expect(outer.unscoped == ["b": 1])
            #expect(outer.scopes["inner"] == ["c": 2])
            #expect(row.scopes["inner"] == nil)
            #expect(row.scopesTree["inner"] == ["c": 2])
            #expect(row.scopesTree.names == ["outer", "inner"])
            #expect(outer.unadapted == ["a": 0, "b": 1, "c": 2, "d": 3])
        }
    }

    @Test func theNearerScopeWins() throws {
        let deep = ScopeAdapter(base: EmptyRowAdapter(), scopes: ["x": RangeRowAdapter(0..<1)])
        let deeper = ScopeAdapter(base: EmptyRowAdapter(), scopes: ["a": deep])
        let adapter = ScopeAdapter(["a": deeper, "z": ScopeAdapter(["x": RangeRowAdapter(3..<4)])])
        try rows(sql, adapter) { row in
            #expect(row.scopesTree["x"]?.unscoped == ["d": 3])
            #expect(row.scopes["a"]?.scopesTree["x"] == ["a": 0])
        }
    }

    @Test func partsFullOfNULL() throws {
        let adapter = ScopeAdapter(base: RangeRowAdapter(0..<1), scopes: ["team": SuffixRowAdapter(fromIndex: 1)])
        try rows("SELECT 1 AS id, NULL AS id, NULL AS name", adapter) { row in
            #expect(row.scopes["team"] == ["id": nil, "name": nil])
            #expect(row.scopes["team"]?.containsNonNullValue == false)
            #expect(row.containsNonNullValue)
        }
    }

    // MARK: Prefetched rows

    @Test func prefetchedRows() {
        let row: Row = ["id": 1]
        row.prefetches = ["as": .rows([["a": 1], ["a": 2]]), "bs": .rows([])]
        #expect(!row.prefetchedRows.isEmpty)
        #expect(row.prefetchedRows.keys == ["as", "bs"])
        #expect(row.prefetchedRows["as"] == [["a": 1], ["a": 2]])
        #expect(row.prefetchedRows["bs"] == [])
        #expect(row.prefetchedRows["cs"] == nil)
        #expect(row.unscoped.prefetchedRows.isEmpty)
        #expect(row.copy().prefetchedRows == row.prefetchedRows)
    }

    // MARK: Changes of the schema

    @Test func adaptersFollowTheColumns() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 3)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            let adapter = SuffixRowAdapter(fromIndex: 1)
            #expect(try Row.fetchAll(statement, adapter: adapter) == [["b": 2, "c": 3]])
            try db.execute(sql: "ALTER TABLE t DROP COLUMN c")
            #expect(try Row.fetchAll(statement, adapter: adapter) == [["b": 2]])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN d DEFAULT 4")
            #expect(try Row.fetchOne(statement, adapter: adapter) == ["b": 2, "d": 4])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN e DEFAULT 5")
            #expect(try Row.fetchSet(statement, adapter: adapter) == [["b": 2, "d": 4, "e": 5]])
            try db.execute(sql: "ALTER TABLE t DROP COLUMN d")
            let rows = try Row.fetchCursor(statement, adapter: adapter)
            let row = try #require(try rows.next())
            #expect(row == ["b": 2, "e": 5] && row.copy() == ["b": 2, "e": 5])
            #expect(try rows.next() == nil)
        }
    }

    @Test func valuesFollowTheColumns() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 3)")
            let adapter = ColumnMapping(["value": "c"])
            func statement() throws -> Statement {
                let statement = try db.makeStatement(sql: "SELECT * FROM t")
                #expect(try Int.fetchOne(statement, adapter: adapter) == 3)
                return statement
            }
            let (first, second, third) = (try statement(), try statement(), try statement())
            try db.execute(sql: "ALTER TABLE t DROP COLUMN a")
            #expect(try Int.fetchOne(first, adapter: adapter) == 3)
            #expect(try Int.fetchAll(second, adapter: adapter) == [3])
            #expect(try DatabaseValue?.fetchOne(third, adapter: adapter) == 3.databaseValue)
        }
    }

    @Test func anAdapterWithoutItsColumnsThrows() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(try Row.fetchOne(statement, adapter: RangeRowAdapter(1..<2)) == ["b": 2])
            try db.execute(sql: "ALTER TABLE t DROP COLUMN b")
            #expect { try Row.fetchOne(statement, adapter: RangeRowAdapter(1..<2)) } throws: {
                ResultCode.SQLITE_MISUSE ~= $0
            }
            #expect(try Row.fetchOne(statement) == ["a": 1])
        }
    }
}
