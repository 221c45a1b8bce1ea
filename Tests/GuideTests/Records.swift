import Amalgam
import Foundation
import Testing

@Suite("Guide: Records")
struct Records {
    // guide: record
    struct Player: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int
        var born: Date?

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let score = Column(CodingKeys.score)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }
    // end

    let sql = ShownSQL()
    let dbQueue: DatabaseQueue

    init() throws {
        // guide: table
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
                t.column("score", .integer).notNull().defaults(to: 0)
                t.column("born", .datetime)
            }
        }
        // end
        self.dbQueue = dbQueue
        sql.follow(dbQueue)
    }

    @Test("Insert, update, delete")
    func writing() throws {
        try dbQueue.write { db in
            // guide: insert
            var player = Player(name: "Anna", score: 10)
            try player.insert(db)
            // INSERT INTO "player" ("id", "name", "score", "born") VALUES (NULL,'Anna',10,NULL)
            print(player.id!)  // 1
            // end
            #expect(player.id == 1)
            // guide: update
            player.score = 20
            try player.update(db)
            // UPDATE "player" SET "name"='Anna', "score"=20, "born"=NULL WHERE "id"=1
            // end
            // guide: changes
            let hasChanged = try player.updateChanges(db) { $0.score += 5 }
            // UPDATE "player" SET "score"=25 WHERE "id"=1
            print(hasChanged)  // true: the statement was run
            // end
            #expect(hasChanged)
            #expect(try Player.find(db, key: 1).score == 25)
            // guide: save
            try player.save(db)  // UPDATE, and INSERT when there is no such row
            // end
            // guide: upsert
            var same = Player(name: "Anna", score: 0)
            try same.upsert(db)
            // INSERT INTO "player" … ON CONFLICT DO UPDATE SET "name" = "excluded"."name", … RETURNING "rowid"
            print(same.id!)  // 1: the row with this name was updated
            // end
            #expect(same.id == 1)
            // guide: delete
            let wasThere = try player.delete(db)
            // DELETE FROM "player" WHERE "id"=1
            // end
            #expect(wasThere)
            try sql.expect("insert", "update", "changes", "delete")
            #expect(try Player.fetchCount(db) == 0)
        }
    }

    @Test("Fetch by key")
    func fetching() throws {
        try dbQueue.write { db in
            // guide: fetch
            for (name, score) in [("Anna", 10), ("Bo", 20), ("Cy", 30)] {
                var player = Player(name: name, score: score)
                try player.insert(db)
            }
            let all = try Player.fetchAll(db)
            // SELECT * FROM "player"
            let first = try Player.fetchOne(db, key: 1)  // nil if there is no such row
            // SELECT * FROM "player" WHERE "id" = 1
            let bo = try Player.find(db, key: ["name": "Bo"])  // throws RecordError if there is no such row
            // SELECT * FROM "player" WHERE "name" = 'Bo'
            let some = try Player.fetchAll(db, keys: [1, 3])  // the ones that exist
            // SELECT * FROM "player" WHERE "id" IN (1, 3)
            let count = try Player.fetchCount(db)
            // SELECT COUNT(*) FROM "player"
            // end
            #expect(all.count == 3 && first?.name == "Anna" && bo.id == 2 && some.count == 2 && count == 3)
            try sql.expect("fetch")
            #expect(throws: RecordError.self) { try Player.find(db, key: 9) }
            // guide: cursor
            let players = try Player.fetchCursor(db)
            while let player = try players.next() {
                print(player.name)  // one record in memory at a time
            }
            // end
            // guide: exists
            let isThere = try Player.exists(db, key: 2)
            // end
            #expect(isThere)
        }
    }

    @Test("Columns for requests")
    func columns() throws {
        try dbQueue.write { db in
            var player = Player(name: "Anna", score: 10)
            try player.insert(db)
            // guide: request
            let good = try Player.filter { $0.score >= 10 }.order(\.name).fetchAll(db)
            // SELECT * FROM "player" WHERE "score" >= 10 ORDER BY "name"
            try Player.filter { $0.score < 10 }.deleteAll(db)
            // DELETE FROM "player" WHERE "score" < 10
            try Player.updateAll(db) { $0.score += 1 }
            // UPDATE "player" SET "score" = "score" + 1
            // end
            try sql.expect("request")
            #expect(good == [player])
            #expect(try Player.find(db, key: 1).score == 11)
        }
    }

    @Test("A record without Codable")
    func byHand() throws {
        // guide: hand
        struct Team: FetchableRecord, PersistableRecord {
            static let databaseTableName = "team"

            var name: String
            var colour: String

            init(row: Row) throws {
                name = row["name"]
                colour = row["colour"]
            }

            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
                container["colour"] = colour
            }
        }
        // end
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE team (name TEXT PRIMARY KEY, colour TEXT); INSERT INTO team VALUES ('A', 'red')")
            var team = try #require(try Team.fetchOne(db))
            team.colour = "blue"
            try team.update(db)
            #expect(try String.fetchOne(db, sql: "SELECT colour FROM team") == "blue")
        }
    }

    @Test("Properties that aren't database values are stored as JSON")
    func json() throws {
        // guide: json
        struct Address: Codable {
            var city: String
            var country: String
        }

        struct Club: Codable, FetchableRecord, PersistableRecord {
            var id: Int64
            var tags: [String]  // '["chess","go"]'
            var address: Address  // '{"city":"Rome","country":"IT"}'
        }
        // end
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE club (id INTEGER PRIMARY KEY, tags TEXT, address TEXT)")
            try Club(id: 1, tags: ["chess", "go"], address: Address(city: "Rome", country: "IT")).insert(db)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT tags, address FROM club"))
            #expect(row == ["tags": #"["chess","go"]"#, "address": #"{"city":"Rome","country":"IT"}"#])
            #expect(try Club.fetchOne(db)?.tags == ["chess", "go"])
        }
    }
}

extension Records.Player: Equatable {}
