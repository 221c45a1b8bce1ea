#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

@Record("player")
struct Player: Equatable {
    @Key var id: Int64?
    var name: String
    var score: Int = 0
    @Column("team_id") var teamID: Int64?
    @Column(as: .json) var tags: [String]
    @Column(as: .unixTime) var createdAt: Date
    @Ignored var isSelected = false
}

@Suite("@Record")
struct RecordMacroTests {
    private let createPlayer = """
        CREATE TABLE player (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 0,
            team_id INTEGER, tags TEXT NOT NULL, createdAt INTEGER NOT NULL)
        """

    @Test("a record is inserted, fetched, updated and deleted")
    func persistence() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: createPlayer)
            var player = Player(name: "Anna", tags: ["a", "b"], createdAt: Date(timeIntervalSince1970: 1_000))
            try player.insert(db)
            expectEqual(player.id, 1)
            expectEqual(
                try Row.fetchOne(db, sql: "SELECT * FROM player"),
                ["id": 1, "name": "Anna", "score": 0, "team_id": nil, "tags": #"["a","b"]"#, "createdAt": 1_000])
            expectEqual(try Player.fetchOne(db, id: 1), player)
            player.score = 10
            player.teamID = 3
            try player.update(db)
            expectEqual(try Player.filter { $0.score > 5 }.fetchAll(db), [player])
            #expect(try player.delete(db))
            expectEqual(try Player.fetchCount(db), 0)
        }
    }

    @Test("columns are selected in the order of declaration, and read in any order")
    func selection() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: createPlayer)
            var player = Player(name: "Anna", tags: [], createdAt: Date(timeIntervalSince1970: 0))
            try player.insert(db)
            expectEqual(
                try Player.all().makePreparedRequest(db).statement.sql,
                #"SELECT "id", "name", "score", "team_id", "tags", "createdAt" FROM "player""#)
            let sql = "SELECT createdAt, tags, 'x' AS other, team_id, name, id FROM player"
            expectEqual(try Player.fetchAll(db, sql: sql), [player])
            expectEqual(try Row.fetchAll(db, sql: sql).map { try Player(row: $0) }, [player])
        }
    }
}
#endif
