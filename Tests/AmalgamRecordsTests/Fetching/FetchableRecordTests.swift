#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

struct FetchableRecordTests {
    private func withPlayers(_ test: (Database) throws -> Void) throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 10), (2, 'Barbara', 20), (3, 'Craig', NULL)")
            try test(db)
        }
    }

    private let players = [
        Player(id: 1, name: "Arthur", score: 10), Player(id: 2, name: "Barbara", score: 20),
        Player(id: 3, name: "Craig", score: nil),
    ]

    @Test func fetchesSQL() throws {
        try withPlayers { db in
            let sql = "SELECT * FROM player WHERE id >= ? ORDER BY id"
            expectEqual(try Player.fetchAll(db, sql: sql, arguments: [2]), Array(players[1...]))
            expectEqual(try Player.fetchOne(db, sql: sql, arguments: [2]), players[1])
            expectEqual(try Player.fetchOne(db, sql: sql, arguments: [4]), nil)
            expectEqual(try Player.fetchSet(db, sql: sql, arguments: [2]), Set(players[1...]))
            expectEqual(try Array(Player.fetchCursor(db, sql: sql, arguments: [2])), Array(players[1...]))
            let statement = try db.makeStatement(sql: sql)
            expectEqual(try Player.fetchAll(statement, arguments: [3]), [players[2]])
            expectEqual(try Player.fetchSet(statement), [players[2]])
            let adapter = SuffixRowAdapter(fromIndex: 1)
            expectEqual(
                try Player.fetchAll(db, sql: "SELECT 12 AS id, * FROM player ORDER BY id", adapter: adapter), players)
        }
    }

    @Test func fetchesRequests() throws {
        try withPlayers { db in
            let request = Player.orderByPrimaryKey()
            expectEqual(try request.fetchAll(db), players)
            expectEqual(try request.fetchSet(db), Set(players))
            expectEqual(try Array(request.fetchCursor(db)), players)
            try expectSQL(db, [#"SELECT * FROM "player" ORDER BY "id" LIMIT 1"#]) {
                expectEqual(try request.fetchOne(db), players[0])
            }
            expectEqual(
                try Player.fetchAll(db, SQLRequest<Row>("SELECT * FROM player WHERE name = \("Craig")")), [players[2]])
            expectEqual(try Player.fetchAll(db), players)
            expectEqual(try Player.fetchSet(db), Set(players))
            expectEqual(try Array(Player.fetchCursor(db)), players)
            expectEqual(try Player.fetchOne(db)?.id, 1)
            expectEqual(try Table<Player>("player").fetchAll(db), players)
        }
    }

    @Test func findsKeys() throws {
        try withPlayers { db in
            try expectSQL(db, Array(repeating: #"SELECT * FROM "player" WHERE "id" = 2"#, count: 5)) {
                expectEqual(try Player.fetchOne(db, key: 2), players[1])
                expectEqual(try Player.fetchOne(db, id: 2), players[1])
                expectEqual(try Player.find(db, key: 2), players[1])
                expectEqual(try Player.find(db, id: 2), players[1])
                expectEqual(try Player.filter(key: 2).fetchOne(db), players[1])
            }
            expectEqual(try Player.fetchOne(db, key: 4), nil)
            expectEqual(try Player.fetchOne(db, key: nil as Int?), nil)
            expectEqual(try Player.fetchOne(db, key: ["name": "Craig"]), players[2])
            expectEqual(try Player.fetchOne(db, key: nil as [String: (any DatabaseValueConvertible)?]?), nil)
            expectEqual(try Player.fetchAll(db, keys: [1, 3]), [players[0], players[2]])
            expectEqual(try Player.fetchAll(db, ids: [1, 3]), [players[0], players[2]])
            expectEqual(try Player.fetchSet(db, keys: [1, 3]), [players[0], players[2]])
            expectEqual(try Player.fetchSet(db, ids: [1, 3]), [players[0], players[2]])
            expectEqual(try Array(Player.fetchCursor(db, keys: [3])), [players[2]])
            expectEqual(try Array(Player.fetchCursor(db, ids: [3])), [players[2]])
            expectEqual(try Player.fetchAll(db, keys: [["name": "Craig"], ["id": 1]]).count, 2)
            try expectSQL(db, []) { expectEqual(try Player.fetchAll(db, keys: [] as [Int]), []) }
            expectEqual(try Player.exists(db, key: 1), true)
        }
    }

    @Test func tellsKeysThatAreMissing() throws {
        try withPlayers { db in
            expectThrows(RecordError.self, "Key not found in table player: [id:12]") {
                _ = try Player.find(db, key: 12)
            }
            expectThrows(RecordError.self, "Key not found in table player: [id:12]") { _ = try Player.find(db, id: 12) }
            expectThrows(RecordError.self, "Key not found in table player: [id:NULL]") {
                _ = try Player.find(db, id: nil)
            }
            expectThrows(RecordError.self, #"Key not found in table player: [name:"X"]"#) {
                _ = try Player.find(db, key: ["name": "X"])
            }
            let error = Player.recordNotFound(db, id: 5) as? RecordError
            #expect(error?.errorDescription == "Key not found in table player: [id:5]")
            #expect("\(players[0].recordNotFound(db))" == "Key not found in table player: [id:1]")
            let code = #expect(throws: DatabaseError.self) { try Citizenship.fetchOne(db, key: 1) }
            #expect(code?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test func throwsErrorsOfStatements() throws {
        struct Failure: Error {}
        try withPlayers { db in
            db.add(function: DatabaseFunction("fail", argumentCount: 0) { _ in throw Failure() })
            let cursor = try Player.fetchCursor(db, sql: "SELECT fail() AS name")
            for _ in 1...2 { #expect(throws: DatabaseError.self) { try cursor.next() } }
            #expect(throws: DatabaseError.self) { try Player.fetchAll(db, sql: "SELECT fail()") }
            #expect(throws: DatabaseError.self) { try Player.fetchOne(db, sql: "SELECT fail()") }
            #expect(throws: DatabaseError.self) { try Player.fetchCursor(db, sql: "nonsense") }
        }
    }
}
#endif
