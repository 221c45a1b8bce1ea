import Amalgam
import Foundation
import TestSupport
import Testing

/// The examples of docs/json.md.
enum Guide {
    struct Player: Codable, FetchableRecord, PersistableRecord {
        struct Address: Codable {
            var city: String
            var country: String
        }

        var id: Int64
        var name: String
        var address: Address
        var tags: [String]
    }

    struct Event: Codable, FetchableRecord, PersistableRecord {
        struct Info: Codable {
            var kind: String
            var values: [Double]
        }

        enum Columns {
            static let info = JSONBColumn("info")
        }

        var id: Int64
        var info: Info

        static func databaseJSONEncoder(for column: String) -> JSONEncoder { JSONBEncoder() }
        static func databaseJSONDecoder(for column: String) -> JSONDecoder { JSONBDecoder() }
    }

    static func createPlayers(_ db: Database) throws {
        try db.create(table: "player") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text).notNull()
            t.column("address", .jsonText).notNull()
            t.column("tags", .jsonText).notNull()
        }
        try Player(id: 1, name: "Anna", address: .init(city: "Rome", country: "IT"), tags: ["new", "chess"]).insert(db)
        try Player(id: 2, name: "Bo", address: .init(city: "Oslo", country: "NO"), tags: ["chess"]).insert(db)
    }
}

extension Guide.Player {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let address = JSONColumn("address")
        static let tags = JSONColumn("tags")
    }
}

@Suite("The guide to JSON columns")
struct JSONGuideTests {
    typealias Player = Guide.Player
    typealias Event = Guide.Event

    /// Runs a test on the players of the guide.
    private func withPlayers(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try Guide.createPlayers(db)
            try test(db)
        }
    }

    /// Returns the statements that a closure runs.
    private func statements(_ db: Database, _ body: () throws -> Void) rethrows -> [String] {
        var statements: [String] = []
        db.trace { event in statements.append(event.expandedDescription) }
        defer { db.trace() }
        try body()
        return statements
    }

    private func lines(_ db: Database, _ sql: String) throws -> [String] {
        try Row.fetchAll(db, sql: sql).map { row in row.databaseValues.map { "\($0)" }.joined(separator: " | ") }
    }

    @Test("a table with JSON")
    func table() throws {
        try withPlayers { db in
            expectEqual(
                try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id"),
                [
                    [
                        "id": 1, "name": "Anna", "address": #"{"city":"Rome","country":"IT"}"#,
                        "tags": #"["new","chess"]"#,
                    ],
                    ["id": 2, "name": "Bo", "address": #"{"city":"Oslo","country":"NO"}"#, "tags": #"["chess"]"#],
                ])
        }
    }

    @Test("look inside")
    func subvalues() throws {
        try withPlayers { db in
            let sql = try statements(db) {
                let italians = try Player.filter { $0.address["country"] == "IT" }.fetchAll(db)
                expectEqual(italians.map(\.name), ["Anna"])
            }
            expectEqual(sql, [#"SELECT * FROM "player" WHERE ("address" ->> 'country') = 'IT'"#])
            let city = Player.Columns.address["$.city"]  // "address" ->> 'city'
            let last = Player.Columns.tags[[-1]]  // "tags" ->> -1
            let odd = Player.Columns.address[["lines.of", 0]]  // "address" ->> '$."lines.of"[0]'
            let names = Player.Columns.address[\.geo.position]  // "address" ->> '$.geo.position'
            let all = try statements(db) {
                let row = try Row.fetchOne(db, Player.select(city, last, odd, names))
                expectEqual(
                    row.map { Array($0.databaseValues) }, ["Rome".databaseValue, "chess".databaseValue, .null, .null])
            }
            expectEqual(
                all,
                [
                    """
                    SELECT "address" ->> 'city', "tags" ->> -1, "address" ->> '$."lines.of"[0]', \
                    "address" ->> '$.geo.position' FROM "player" LIMIT 1
                    """
                ])
        }
    }

    @Test("dates, UUIDs and data")
    func encodedValues() throws {
        try withPlayers { db in
            let since = Date(timeIntervalSince1970: 60)
            let uid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            let address = JSONColumn("address", encoder: encoder)
            let sql = try statements(db) {
                let new = Player.filter { $0.address["since"] > since }
                let one = Player.filter { $0.address["uid"] == uid }
                let moved = Player.filter(address["since"] > since)
                for request in [new, one, moved] { expectEqual(try request.fetchAll(db).count, 0) }
            }
            expectEqual(
                sql,
                [
                    #"SELECT * FROM "player" WHERE ("address" ->> 'since') > 60000"#,
                    """
                    SELECT * FROM "player" WHERE ("address" ->> 'uid') = 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'
                    """,
                    #"SELECT * FROM "player" WHERE ("address" ->> 'since') > '1970-01-01T00:01:00Z'"#,
                ])
        }
    }

    @Test("make it fast")
    func indexes() throws {
        try withPlayers { db in
            let sql = try statements(db) {
                let country = Player.Columns.address["country"]
                try db.create(index: "player_on_country", on: "player", expressions: [country])
                try db.alter(table: "player") { t in
                    t.add(column: "city", .text).generatedAs(Player.Columns.address["city"], .virtual)
                }
            }
            #expect(sql.contains(#"CREATE INDEX "player_on_country" ON "player"("address" ->> 'country')"#))
            #expect(
                sql.contains(
                    """
                    ALTER TABLE "player" ADD COLUMN "city" TEXT GENERATED ALWAYS AS ("address" ->> 'city') VIRTUAL
                    """))
            let plan = try db.queryPlan(sql: #"SELECT * FROM "player" WHERE ("address" ->> 'country') = 'IT'"#)
            #expect("\(plan)".contains("USING INDEX player_on_country"))
            expectEqual(try String.fetchAll(db, sql: "SELECT city FROM player ORDER BY id"), ["Rome", "Oslo"])
        }
    }

    @Test("lists")
    func elements() throws {
        try withPlayers { db in
            let sql = try statements(db) {
                let chess = try Player.filter { $0.tags.each.contains("chess") }.fetchAll(db)
                let n = try Player.filter { $0.tags.each.contains { $0.value.like("n%") } }.fetchAll(db)
                let short = try Player.filter { $0.tags.each.allSatisfy { length($0.value) < 6 } }.fetchAll(db)
                expectEqual([chess, n, short].map { $0.map(\.name) }, [["Anna", "Bo"], ["Anna"], ["Anna", "Bo"]])
            }
            expectEqual(
                sql,
                [
                    #"SELECT * FROM "player" WHERE 'chess' IN (SELECT "value" FROM json_each("player"."tags"))"#,
                    """
                    SELECT * FROM "player" WHERE EXISTS \
                    (SELECT 1 FROM json_each("player"."tags") WHERE "json_each"."value" LIKE 'n%')
                    """,
                    """
                    SELECT * FROM "player" WHERE NOT EXISTS \
                    (SELECT 1 FROM json_each("player"."tags") WHERE (LENGTH("json_each"."value") < 6) IS NOT TRUE)
                    """,
                ])
        }
    }

    @Test("how often each tag is there")
    func groups() throws {
        try withPlayers { db in
            let tag = TableAlias<JSONElement>()
            let counts = Player.joining(required: Player.association(to: \.tags.each).aliased(tag))
                .select(tag.value.forKey("tag"), count().forKey("count"))
                .group(tag.value)
                .order(tag.value)
            let sql = try statements(db) {
                expectEqual(
                    try Row.fetchAll(db, counts), [["tag": "chess", "count": 2], ["tag": "new", "count": 1]])
            }
            expectEqual(
                sql,
                [
                    """
                    SELECT "json_each"."value" AS "tag", COUNT(*) AS "count" FROM "player" JOIN json_each("player"."tags") \
                    GROUP BY "json_each"."value" ORDER BY "json_each"."value"
                    """
                ])
        }
    }

    @Test("any depth")
    func trees() throws {
        try withPlayers { db in
            let json = #"{"name":"Anna","mail":{"home":"a@b.c"}}"#
            let mails = JSONElements.tree(of: json).all().filter { $0.atom.like("%@%") }
            let places = mails.select(\.fullkey, as: String.self)
            let sql = try statements(db) {
                let found = try places.fetchAll(db)  // ["$.mail.home"]
                expectEqual(found, ["$.mail.home"])
            }
            expectEqual(
                sql,
                [
                    """
                    SELECT "fullkey" FROM json_tree('{"name":"Anna","mail":{"home":"a@b.c"}}') WHERE "atom" LIKE '%@%'
                    """
                ])
        }
    }

    /// Changes the players as the guide does.
    private func edit(_ db: Database) throws -> [String] {
        try statements(db) {
            try Player.filter { $0.id == 1 }.updateAll(db) {
                $0.address.edit(.set(["city"], to: "Bari"), .set(["verified"], to: true), .remove(["zip"]))
            }
            try Player.updateAll(db) { $0.tags.edit(.append("2024", to: [])) }
        }
    }

    @Test("change the inside")
    func edits() throws {
        try withPlayers { db in
            expectEqual(
                try edit(db),
                [
                    """
                    UPDATE "player" SET "address" = \
                    JSON_REMOVE(JSON_SET("address", '$.city', 'Bari', '$.verified', JSON('true')), '$.zip') WHERE "id" = 1
                    """,
                    #"UPDATE "player" SET "tags" = JSON_INSERT("tags", '$[#]', '2024')"#,
                ])
            expectEqual(
                try Row.fetchAll(db, sql: "SELECT id, address, tags FROM player ORDER BY id"),
                [
                    [
                        "id": 1, "address": #"{"city":"Bari","country":"IT","verified":true}"#,
                        "tags": #"["new","chess","2024"]"#,
                    ],
                    ["id": 2, "address": #"{"city":"Oslo","country":"NO"}"#, "tags": #"["chess","2024"]"#],
                ])
            expectEqual(try Player.fetchCount(db), try Player.fetchAll(db).count)
        }
    }

    @Test("JSON made of rows")
    func functions() throws {
        try withPlayers { db in
            _ = try edit(db)
            let cards = Player.select { [Database.jsonObject(["name": $0.name, "tags": $0.tags]).forKey("card")] }
            let index = Player.select { Database.jsonGroupObject(key: $0.name, value: $0.address["city"]) }
            let sql = try statements(db) {
                expectEqual(
                    try String.fetchAll(db, cards.asRequest(of: String.self)),
                    [#"{"name":"Anna","tags":["new","chess","2024"]}"#, #"{"name":"Bo","tags":["chess","2024"]}"#])
                expectEqual(
                    try String.fetchAll(db, index.asRequest(of: String.self)), [#"{"Anna":"Bari","Bo":"Oslo"}"#])
            }
            expectEqual(
                sql,
                [
                    #"SELECT JSON_OBJECT('name', "name", 'tags', JSONB("tags")) AS "card" FROM "player""#,
                    #"SELECT JSON_GROUP_OBJECT("name", "address" ->> 'city') FROM "player""#,
                ])
        }
    }

    @Test("JSONB")
    func binaryColumns() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "event") { t in
                t.primaryKey("id", .integer)
                t.column("info", .jsonb).notNull()
            }
            try Event(id: 1, info: .init(kind: "start", values: [1.5])).insert(db)
            let sql = try statements(db) {
                let starts = try Event.filter { $0.info["kind"] == "start" }.fetchAll(db)
                expectEqual(starts.map(\.info.values), [[1.5]])
            }
            expectEqual(sql, [#"SELECT * FROM "event" WHERE ("info" ->> 'kind') = 'start'"#])
            expectEqual(
                try Row.fetchOne(db, sql: "SELECT typeof(info) AS type, json(info) AS json FROM event"),
                ["type": "blob", "json": #"{"kind":"start","values":[1.5]}"#])
            try db.execute(sql: #"UPDATE "event" SET "info" = json("info")"#)
            expectEqual(try Event.fetchAll(db).map(\.info.kind), ["start"])
            try db.execute(sql: #"UPDATE "event" SET "info" = jsonb("info")"#)
            expectEqual(try Event.fetchAll(db).map(\.info.kind), ["start"])
        }
    }

    @Test("JSON Lines")
    func importLines() throws {
        let dbQueue = try DatabaseQueue()
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

    @Test("JSON from people")
    func texts() throws {
        try DatabaseQueue().write { db in
            let canonical = try db.canonicalJSON("{name: 'Anna', tags: ['new',], /* why not */}")
            let pretty = try db.prettyJSON(canonical, indentation: "  ")
            expectEqual(canonical, #"{"name":"Anna","tags":["new"]}"#)
            expectEqual(pretty.split(separator: "\n").count, 6)
            var printed: [String] = []
            let print = { (error: JSONSyntaxError) in printed.append("\(error)") }
            do {
                try db.validateJSON("{\n  \"name\": Anna\n}")
            } catch let error as JSONSyntaxError {
                print(error)
            }
            expectEqual(
                printed,
                [
                    """
                    malformed JSON at line 2, column 11
                      "name": Anna
                              ^
                    """
                ])
            try db.create(table: "document") { t in
                t.column("info", .jsonText).check { Database.jsonIsValid($0) }
            }
            try db.execute(sql: "INSERT INTO document VALUES ('[1]')")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO document VALUES ('[1')") }
        }
    }
}

extension JSONGuideTests {
    /// All lines of the page's examples are in this file, except for words that the page omits, and so is their SQL.
    @Test("the page shows what is tested here")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/json.md"), encoding: .utf8)
        let test = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let tested = Set(code(test))
        let examples = page.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(examples.count > 10)
        for line in examples.flatMap(code) { #expect(tested.contains(line), "\(line)") }
        for line in examples.flatMap({ $0.matches(of: #/(?m)^ *// (.+)$/#).map { String($0.1) } }) {
            #expect(test.contains(line), "\(line)")
        }
    }

    private func code(_ text: String) -> [String] {
        text.split(separator: "\n")
            .map {
                $0.replacing(#/\s*//.*/#, with: "").replacing("Guide.", with: "").trimmingCharacters(in: .whitespaces)
            }
            .filter { !$0.isEmpty && $0 != "}" }
    }
}
