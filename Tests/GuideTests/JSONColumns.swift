import Amalgam
import Foundation
import Testing

@Suite("Guide: JSON")
struct JSONColumns {
    // guide: record
    struct Player: Codable, FetchableRecord, PersistableRecord {
        struct Address: Codable {
            var city: String
            var country: String
        }

        var id: Int64
        var name: String
        var address: Address
        var tags: [String]

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let address = JSONColumn("address")
            static let tags = JSONColumn("tags")
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
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
                t.column("address", .jsonText).notNull()
                t.column("tags", .jsonText).notNull()
            }
            try Player(id: 1, name: "Anna", address: .init(city: "Rome", country: "IT"), tags: ["new", "chess"]).insert(
                db)
            try Player(id: 2, name: "Bo", address: .init(city: "Oslo", country: "NO"), tags: ["chess"]).insert(db)
        }
        // end
        self.dbQueue = dbQueue
        sql.follow(dbQueue)
    }

    @Test("Conditions on values inside JSON")
    func inside() throws {
        try dbQueue.read { db in
            // guide: inside
            let italians = try Player.filter { $0.address["country"] == "IT" }.fetchAll(db)
            // SELECT * FROM "player" WHERE ("address" ->> 'country') = 'IT'
            let cities = try Player.select({ $0.address["city"] }, as: String.self).fetchAll(db)
            // SELECT "address" ->> 'city' FROM "player"
            // end
            #expect(italians.map(\.id) == [1] && cities == ["Rome", "Oslo"])
            try sql.expect("inside")
        }
    }

    @Test("Lists")
    func lists() throws {
        try dbQueue.read { db in
            // guide: lists
            let chess = try Player.filter { $0.tags.each.contains("chess") }.fetchAll(db)
            // SELECT * FROM "player" WHERE 'chess' IN (SELECT "value" FROM json_each("player"."tags"))
            // end
            #expect(chess.count == 2)
            try sql.expect("lists")
        }
    }

    @Test("Changes inside JSON")
    func edits() throws {
        try dbQueue.write { db in
            // guide: edit
            try Player.filter { $0.id == 1 }.updateAll(db) { $0.address.edit(.set(["city"], to: "Bari")) }
            // UPDATE "player" SET "address" = JSON_SET("address", '$.city', 'Bari') WHERE "id" = 1
            try Player.updateAll(db) { $0.tags.edit(.append("2026", to: [])) }
            // UPDATE "player" SET "tags" = JSON_INSERT("tags", '$[#]', '2026')
            // end
            try sql.expect("edit")
            #expect(try Player.find(db, key: 1).address.city == "Bari")
            #expect(try Player.find(db, key: 2).tags == ["chess", "2026"])
        }
    }

    @Test("An index on a value inside JSON")
    func index() throws {
        try dbQueue.write { db in
            // guide: index
            try db.create(index: "player_on_country", on: "player", expressions: [Player.Columns.address["country"]])
            // CREATE INDEX "player_on_country" ON "player"("address" ->> 'country')
            let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE address ->> 'country' = 'IT'")
            print(plan)  // SEARCH player USING INDEX player_on_country (<expr>=?)
            // end
            try sql.expect("index")
            #expect("\(plan)".contains("player_on_country"))
        }
    }

    @Test("JSON Lines")
    func importLines() throws {
        // guide: import
        let lines = """
            {"kind": "start", "values": [1.5]}
            {"kind": stop, "values": [2]}
            {"kind": "start", "values": []}
            """
        var problems: [String] = []
        try dbQueue.write { db in
            try db.create(table: "line") { t in
                t.primaryKey("id", .integer)
                t.column("info", .jsonb).notNull()
            }
            let insertion = try db.makeStatement(sql: "INSERT INTO line (info) VALUES (jsonb(?))")
            for (index, line) in lines.split(separator: "\n").enumerated() {
                do {
                    try insertion.execute(values: String(line))
                } catch let error as DatabaseError where error.message == "malformed JSON" {
                    do { try db.validateJSON(String(line)) } catch { problems.append("line \(index + 1): \(error)") }
                }
            }
        }
        print(problems[0])
        // line 2: malformed JSON at line 1, column 10
        // {"kind": stop, "values": [2]}
        //          ^
        // end
        #expect(
            problems == [
                """
                line 2: malformed JSON at line 1, column 10
                {"kind": stop, "values": [2]}
                         ^
                """
            ])
        #expect(
            try dbQueue.read { try String.fetchAll($0, sql: "SELECT json(info) FROM line") }
                == [#"{"kind":"start","values":[1.5]}"#, #"{"kind":"start","values":[]}"#])
    }

    @Test("JSONB")
    func jsonb() throws {
        // guide: jsonb
        struct Event: Codable, FetchableRecord, PersistableRecord {
            struct Info: Codable {
                var kind: String
                var values: [Double]
            }

            var id: Int64
            var info: Info

            static func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONBEncoder() }
            static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
        }

        try dbQueue.write { db in
            try db.create(table: "event") { t in
                t.primaryKey("id", .integer)
                t.column("info", .jsonb).notNull()
            }
            try Event(id: 1, info: .init(kind: "start", values: [1.5])).insert(db)
        }
        // end
        #expect(
            try dbQueue.read { try String.fetchOne($0, sql: "SELECT json(info) FROM event") }
                == #"{"kind":"start","values":[1.5]}"#)
    }
}
