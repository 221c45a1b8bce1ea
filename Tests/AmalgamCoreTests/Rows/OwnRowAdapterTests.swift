import Amalgam
import Testing

/// Selects the columns whose names have a prefix, and removes it.
private struct PrefixAdapter: RowAdapter {
    let prefix: String

    func adapter(forColumns names: [String]) throws -> any RowAdapter {
        let names = names.filter { $0.hasPrefix(prefix) }
        if names.isEmpty { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "no column begins with \(prefix)") }
        return ColumnMapping(
            Dictionary(uniqueKeysWithValues: names.map { (String($0.dropFirst(prefix.count)), $0) }))
    }
}

private struct UnfinishedAdapter: RowAdapter {}

@Suite("Row adapters of the application")
struct OwnRowAdapterTests {
    private let sql = "SELECT 1 AS player_id, 'Anna' AS player_name, 2 AS team_id"

    @Test("are made of others, which they choose by the names of columns")
    func composition() throws {
        try DatabaseQueue().write { db in
            let player = try Row.fetchOne(db, sql: sql, adapter: PrefixAdapter(prefix: "player_"))
            #expect(player == ["id": 1, "name": "Anna"])
            let scopes = ScopeAdapter(base: EmptyRowAdapter(), scopes: ["team": PrefixAdapter(prefix: "team_")])
            let row = try Row.fetchOne(db, sql: sql, adapter: scopes)
            #expect(row?.scopes["team"] == ["id": 2])
            let inner = PrefixAdapter(prefix: "player_").addingScopes(["team": PrefixAdapter(prefix: "team_")])
            let rows = try Row.fetchAll(db, sql: sql, adapter: inner)
            #expect(rows.map { $0.unscoped } == [["id": 1, "name": "Anna"]])
            #expect(rows[0].scopes["team"] == ["id": 2])
        }
    }

    @Test("see the columns that another adapter shows")
    func chain() throws {
        try DatabaseQueue().write { db in
            let request = SQLRequest<Row>(sql: sql, adapter: SuffixRowAdapter(fromIndex: 1))
                .adapted { _ in PrefixAdapter(prefix: "player_") }
            let row = try request.fetchOne(db)
            #expect(row == ["name": "Anna"])
        }
    }

    @Test("adapt rows of a statement that is compiled again")
    func recompiledStatement() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (player_id); INSERT INTO t VALUES (1)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            let adapter = PrefixAdapter(prefix: "player_")
            let first = try Row.fetchOne(statement, adapter: adapter)
            #expect(first == ["id": 1])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN player_name DEFAULT 'Anna'")
            let second = try Row.fetchOne(statement, adapter: adapter)
            #expect(second == ["id": 1, "name": "Anna"])
        }
    }

    @Test("throw the error of the fetch")
    func errors() throws {
        try DatabaseQueue().write { db in
            let missing = #expect(throws: DatabaseError.self) {
                _ = try Row.fetchAll(db, sql: sql, adapter: PrefixAdapter(prefix: "x_"))
            }
            #expect(missing?.message == "no column begins with x_")
            let unfinished = #expect(throws: DatabaseError.self) {
                _ = try Row.fetchAll(db, sql: sql, adapter: UnfinishedAdapter())
            }
            #expect(unfinished?.resultCode == .SQLITE_MISUSE)
            #expect(
                unfinished?.message
                    == "UnfinishedAdapter is a RowAdapter without the method adapter(forColumns:): implement it")
        }
    }
}
