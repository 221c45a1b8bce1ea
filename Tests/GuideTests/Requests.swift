import Amalgam
import Foundation
import Testing

@Suite("Guide: Requests and expressions")
struct Requests {
    // guide: record
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        var team: String?
        var score: Int

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let team = Column(CodingKeys.team)
            static let score = Column(CodingKeys.score)
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
                t.column("team", .text)
                t.column("score", .integer).notNull()
            }
            try Player(id: 1, name: "Anna", team: "red", score: 10).insert(db)
            try Player(id: 2, name: "Bo", team: "red", score: 20).insert(db)
            try Player(id: 3, name: "Cy", team: nil, score: 30).insert(db)
        }
        // end
        self.dbQueue = dbQueue
        sql.follow(dbQueue)
    }

    @Test("Requests are values: they are built, kept, refined and fetched")
    func building() throws {
        // guide: build
        let players = Player.filter { $0.score > 5 }
        let reds = players.filter { $0.team == "red" }
        let best = reds.order { $0.score.desc }.limit(1)
        // end
        try dbQueue.read { db in
            // guide: fetch
            let player = try best.fetchOne(db)
            // SELECT * FROM "player" WHERE ("score" > 5) AND ("team" = 'red') ORDER BY "score" DESC LIMIT 1
            let count = try reds.fetchCount(db)
            // SELECT COUNT(*) FROM "player" WHERE ("score" > 5) AND ("team" = 'red')
            // end
            #expect(player?.name == "Bo" && count == 2)
            try sql.expect("fetch")
        }
    }

    @Test("Conditions")
    func conditions() throws {
        try dbQueue.read { db in
            // guide: conditions
            let chosen = Player.filter { [1, 2].contains($0.id) }  // "id" IN (1, 2)
            let teamless = Player.filter { $0.team == nil }  // "team" IS NULL
            let range = Player.filter { (10...20).contains($0.score) }  // "score" BETWEEN 10 AND 20
            let either = Player.filter { $0.name == "Anna" || $0.score > 25 }
            let like = Player.filter { $0.name.like("A%") }  // "name" LIKE 'A%'
            let lower = Player.filter { $0.name.lowercased == "anna" }  // swiftLowercaseString("name") = 'anna'
            // end
            let counts = try [chosen, teamless, range, either, like, lower].map { try $0.fetchCount(db) }
            #expect(counts == [2, 1, 2, 2, 1, 1])
        }
    }

    @Test("Typed columns")
    func typedColumns() throws {
        // guide: typed
        struct Member: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            var team: String?
            var score: Int

            enum Columns {
                static let id = TypedColumn<Int64>(CodingKeys.id)
                static let name = TypedColumn<String>(CodingKeys.name)
                static let team = TypedColumn<String?>(CodingKeys.team)
                static let score = TypedColumn<Int>(CodingKeys.score)
            }
        }
        // end
        try dbQueue.write { db in
            // guide: typed-requests
            let members = try Member.filter { $0.score > 15 && $0.team != nil }.order(\.name).fetchAll(db)
            // SELECT * FROM "player" WHERE ("score" > 15) AND ("team" IS NOT NULL) ORDER BY "name"
            let row = try Row.fetchOne(db, Member.select { [$0.name, $0.score] })
            // SELECT "name", "score" FROM "player" LIMIT 1
            let score = row?[Member.Columns.score]  // an Int?
            try Member.filter { $0.id == 1 }.updateAll(db) { [$0.score += 5, $0.team.set(to: nil)] }
            // UPDATE "player" SET "score" = "score" + 5, "team" = NULL WHERE "id" = 1
            // end
            #expect(members.map(\.name) == ["Bo"])
            #expect(score == 10)
            try sql.expect("typed-requests")
        }
    }

    @Test("Other things than records")
    func selections() throws {
        try dbQueue.read { db in
            // guide: select
            let names = try Player.select({ $0.name }, as: String.self).fetchAll(db)
            // SELECT "name" FROM "player"
            let best = try Player.select({ max($0.score) }, as: Int.self).fetchOne(db)
            // SELECT MAX("score") FROM "player"
            let teams = try Player.select({ $0.team }, as: String?.self).distinct().fetchSet(db)
            // SELECT DISTINCT "team" FROM "player"
            // end
            #expect(names == ["Anna", "Bo", "Cy"] && best == 30 && teams == ["red", nil])
            // guide: group
            struct TeamScore: Decodable, FetchableRecord {
                var team: String?
                var total: Int
            }
            let totals =
                try Player
                .select { [$0.team, sum($0.score).forKey("total")] }
                .group { $0.team }
                .having { sum($0.score) > 15 }
                .asRequest(of: TeamScore.self)
                .fetchAll(db)
            // SELECT "team", SUM("score") AS "total" FROM "player" GROUP BY "team" HAVING SUM("score") > 15
            // end
            #expect(totals.count == 2)
            try sql.expect("select", "group")
        }
    }

    @Test("SQL where it is clearer")
    func literals() throws {
        try dbQueue.read { db in
            // guide: sql
            let name = "Anna"
            let anna = try Player.filter(sql: "name = ?", arguments: [name]).fetchOne(db)
            let short = try Player.filter { SQL("LENGTH(\($0.name)) < \(4)") }.fetchAll(db)
            let request: SQLRequest<Player> = "SELECT * FROM player WHERE name = \(name)"
            let same = try request.fetchOne(db)
            // Values are arguments, never a part of the SQL: WHERE name = ?
            // end
            #expect(anna == same)
            #expect(short.map(\.name) == ["Bo", "Cy"])
        }
    }

    @Test("Updates and deletes of many rows")
    func batches() throws {
        try dbQueue.write { db in
            // guide: batch
            try Player.filter { $0.team == nil }.updateAll(db) { $0.team.set(to: "blue") }
            // UPDATE "player" SET "team" = 'blue' WHERE "team" IS NULL
            let count = try Player.filter { $0.score < 15 }.deleteAll(db)
            // DELETE FROM "player" WHERE "score" < 15
            // end
            try sql.expect("batch")
            #expect(count == 1)
            #expect(try Player.filter { $0.team == "blue" }.fetchCount(db) == 1)
        }
    }
}
