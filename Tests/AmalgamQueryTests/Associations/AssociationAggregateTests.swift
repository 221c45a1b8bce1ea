import Amalgam
import TestSupport
import Testing

private let players = #"FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id" GROUP BY "team"."id""#

@Suite("Aggregates of associations")
struct AssociationAggregateTests {
    @Test("values, and their names")
    func annotations() throws {
        try expectSQL(
            Team.annotated(with: Team.players.count, Team.players.max(\.score)),
            #"SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount", MAX("player"."score") AS "maxPlayerScore" \#(players)"#
        )
        try expectSQL(
            Team.annotated(with: Team.players.isEmpty),
            #"SELECT "team".*, COUNT(DISTINCT "player"."id") = 0 AS "hasNoPlayer" \#(players)"#)
        try expectSQL(
            Team.annotated(
                with: Team.players.min(\.score), Team.players.average(\.score), Team.players.sum(\.score),
                Team.players.total(\.score).forKey("total")),
            """
            SELECT "team".*, MIN("player"."score") AS "minPlayerScore", AVG("player"."score") AS "averagePlayerScore", \
            SUM("player"."score") AS "playerScoreSum", TOTAL("player"."score") AS "total" \(players)
            """)
        try expectSQL(
            Team.annotated(with: Team.players.min(\.score) ?? 0),
            #"SELECT "team".*, IFNULL(MIN("player"."score"), 0) AS "minPlayerScore" \#(players)"#)
        try expectSQL(
            Team.annotated(with: Team.players.max(\.score) * 2),
            #"SELECT "team".*, MAX("player"."score") * 2 \#(players)"#)
        try expectSQL(
            Team.annotated(with: abs(Team.players.max(\.score))),
            #"SELECT "team".*, ABS(MAX("player"."score")) \#(players)"#)
    }

    @Test("a cast keeps the name of the column")
    func casts() throws {
        let (count, best) = (Team.players.count, Team.players.max(\.score).forKey("best"))
        try expectSQL(
            Team.annotated(with: cast(count, as: .text), cast(best, as: .real)),
            """
            SELECT "team".*, CAST(COUNT(DISTINCT "player"."id") AS TEXT) AS "playerCount", \
            CAST(MAX("player"."score") AS REAL) AS "best" \(players)
            """)
    }

    @Test("conditions")
    func conditions() throws {
        try expectSQL(
            Team.having(Team.players.count >= 2),
            #"SELECT "team".* \#(players) HAVING COUNT(DISTINCT "player"."id") >= 2"#)
        try expectSQL(
            Team.having(Team.players.isEmpty),
            #"SELECT "team".* \#(players) HAVING COUNT(DISTINCT "player"."id") = 0"#)
        try expectSQL(
            Team.having(Team.players.isEmpty == false),
            #"SELECT "team".* \#(players) HAVING COUNT(DISTINCT "player"."id") > 0"#)
        try expectSQL(
            Team.having(!Team.players.isEmpty),
            #"SELECT "team".* \#(players) HAVING COUNT(DISTINCT "player"."id") > 0"#)
        try expectSQL(
            Team.having(Team.players.max(\.score) == nil),
            #"SELECT "team".* \#(players) HAVING MAX("player"."score") IS NULL"#)
    }

    @Test("associations of different names are different rows")
    func names() throws {
        let best = Team.players.filter { $0.score > 50 }.forKey("bestPlayers")
        try expectQuery(Team.annotated(with: Team.players.count, best.count).order(\.id)) {
            """
            SELECT "team".*, COUNT(DISTINCT "player1"."id") AS "playerCount", \
            COUNT(DISTINCT "player2"."id") AS "bestPlayerCount" FROM "team" \
            LEFT JOIN "player" "player1" ON "player1"."teamId" = "team"."id" \
            LEFT JOIN "player" "player2" ON ("player2"."teamId" = "team"."id") AND ("player2"."score" > 50) \
            GROUP BY "team"."id" ORDER BY "team"."id"
            """
        } rows: {
            """
            1|Reds|red|2|1
            2|Blues|NULL|1|0
            3|Greens|green|0|0
            """
        }
    }

    @Test("by way of another table")
    func through() throws {
        try expectQuery(Team.annotated(with: Team.awards.count, Team.players.count).order(\.id)) {
            """
            SELECT "team".*, COUNT(DISTINCT "award"."id") AS "awardCount", \
            COUNT(DISTINCT "player"."id") AS "playerCount" FROM "team" \
            LEFT JOIN "player" ON "player"."teamId" = "team"."id" \
            LEFT JOIN "award" ON "award"."playerId" = "player"."id" GROUP BY "team"."id" ORDER BY "team"."id"
            """
        } rows: {
            """
            1|Reds|red|2|2
            2|Blues|NULL|1|1
            3|Greens|green|0|0
            """
        }
    }

    @Test("rows whose primary key is NULL are grouped by their rowid")
    func nullKeys() throws {
        let tag = Table("tag")
        let uses = tag.hasMany(Table("use"), using: ForeignKey(["tag"], to: ["name"]))
        let parts = tag.hasMany(Table("use"), using: ForeignKey(["tag", "part"], to: ["name", "part"]))
        for (key, uses) in [("name TEXT PRIMARY KEY, part", uses), ("name, part, PRIMARY KEY (name, part)", parts)] {
            try DatabaseQueue().write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE tag (\(key));
                        CREATE TABLE use (id INTEGER PRIMARY KEY, tag TEXT, part);
                        INSERT INTO tag VALUES (NULL, 1), (NULL, 1), ('a', 1);
                        INSERT INTO use VALUES (1, 'a', 1), (2, 'a', 1), (3, NULL, 1);
                        """)
                let counts = try Row.fetchAll(db, tag.annotated(with: uses.count.forKey("count")))
                #expect(counts.map { $0["count"] as Int } == [0, 0, 2])
                let sql = try db.tracing { _ = try Row.fetchAll(db, tag.having(uses.isEmpty)) }
                #expect(sql[0].contains(#"GROUP BY "tag"."rowid" HAVING"#), "\(sql[0])")
                #expect(try tag.having(uses.isEmpty).deleteAll(db) == 2)
                #expect(try tag.fetchCount(db) == 1)
            }
        }
    }

    @Test("rows are grouped by a primary key that can't be NULL")
    func keysWithoutNull() throws {
        for key in [
            "name TEXT NOT NULL PRIMARY KEY", "name TEXT NOT NULL, PRIMARY KEY (name)",
        ].map({ "(\($0))" }) + ["(name TEXT PRIMARY KEY) WITHOUT ROWID", "(name TEXT PRIMARY KEY) STRICT"] {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE tag \(key); CREATE TABLE use (id INTEGER PRIMARY KEY, tag TEXT)")
                let uses = Table("tag").hasMany(Table("use"), using: ForeignKey(["tag"], to: ["name"]))
                let sql = try db.tracing { _ = try Row.fetchAll(db, Table("tag").annotated(with: uses.count)) }
                #expect(sql[0].hasSuffix(#"GROUP BY "tag"."name""#), "\(key): \(sql[0])")
            }
        }
    }
}
