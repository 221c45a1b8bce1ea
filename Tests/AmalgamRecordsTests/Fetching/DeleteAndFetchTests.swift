#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

/// Rows that are deleted and returned by one statement.
struct DeleteAndFetchTests {
    private func withPlayers(_ test: (Database) throws -> Void) throws {
        try withClub { db in
            try db.execute(
                sql: "INSERT INTO player (id, name, score) VALUES (1, 'Arthur', 5), (2, 'Barbara', 5), (3, 'Craig', 7)")
            try test(db)
        }
    }

    private var losers: QueryInterfaceRequest<Player> { Player.filter { $0.score == 5 } }

    private let arthur = Player(id: 1, name: "Arthur", score: 5)
    private let barbara = Player(id: 2, name: "Barbara", score: 5)

    @Test("all deleted records")
    func all() throws {
        try withPlayers { db in
            try expectSQL(db, [#"DELETE FROM "player" WHERE "score" = 5 RETURNING *"#]) {
                expectEqual(try losers.deleteAndFetchAll(db), [arthur, barbara])
            }
            expectEqual(try Player.select(\.name, as: String.self).fetchAll(db), ["Craig"])
            expectEqual(try losers.deleteAndFetchAll(db), [])
        }
    }

    @Test("a cursor: all rows are deleted at its first step")
    func cursor() throws {
        try withPlayers { db in
            let cursor = try losers.deleteAndFetchCursor(db)
            expectEqual(try Player.fetchCount(db), 3)
            expectEqual(try cursor.next(), arthur)
            expectEqual(try cursor.next(), barbara)
            expectEqual(try cursor.next(), nil)
            expectEqual(try Player.fetchCount(db), 1)
        }
    }

    @Test("a statement returns the selected columns")
    func statement() throws {
        try withPlayers { db in
            let statement = try losers.deleteAndFetchStatement(db, selection: [Column("name"), Column("score")])
            #expect(statement.sql == #"DELETE FROM "player" WHERE "score" = ? RETURNING "name", "score""#)
            expectEqual(
                try Row.fetchAll(statement), [["name": "Arthur", "score": 5], ["name": "Barbara", "score": 5]])
            let all = try Player.all().deleteAndFetchStatement(db) { [$0.name] }
            expectEqual(try String.fetchAll(all), ["Craig"])
            expectDatabaseError(.SQLITE_MISUSE, "Invalid empty selection") {
                _ = try losers.deleteAndFetchStatement(db, selection: [])
            }
        }
    }
}
#endif
