import Amalgam
import TestSupport
import Testing

@Suite("Subqueries that refer to the request around them")
struct CorrelatedSubqueryTests {
    private let outer = TableAlias<Player>()

    @Test("the best of each group: a subquery of the same table has another name for it")
    func bestOfEachGroup() throws {
        let better = Player.filter { $0.teamId == outer.teamId && $0.score > outer.score }
        let request = Player.aliased(outer).filter { !better.exists() && $0.teamId != nil }
        try expectQuery(request) {
            """
            SELECT * FROM "player" WHERE (NOT EXISTS (SELECT "player1".* FROM "player" "player1" \
            WHERE ("player1"."teamId" = "player"."teamId") AND ("player1"."score" > "player"."score"))) \
            AND ("teamId" IS NOT NULL)
            """
        } rows: {
            """
            1|Anna|100|1
            3|Cleo|30|2
            """
        }
    }

    @Test("a selected subquery counts the rows of each group")
    func selectedSubquery() throws {
        let mates = Player.filter { $0.teamId == outer.teamId }.select { count($0.id) }
        try expectQuery(Player.aliased(outer).select { [$0.name, mates.forKey("mates")] }.order(\.id)) {
            """
            SELECT "name", (SELECT COUNT("player1"."id") FROM "player" "player1" \
            WHERE "player1"."teamId" = "player"."teamId") AS "mates" FROM "player" ORDER BY "id"
            """
        } rows: {
            """
            Anna|2
            Bob|2
            Cleo|1
            Dan|0
            """
        }
    }

    @Test("a joined table of a subquery has another name as well")
    func joinedTable() throws {
        let team = TableAlias<Team>()
        let players = Player.joining(required: Player.team.filter { $0.id == team.id })
        let request = Team.aliased(team).filter(players.exists())
        try expectQuery(request) {
            """
            SELECT * FROM "team" WHERE EXISTS (SELECT "player".* FROM "player" JOIN "team" "team1" \
            ON ("team1"."id" = "player"."teamId") AND ("team1"."id" = "team"."id"))
            """
        } rows: {
            """
            1|Reds|red
            2|Blues|NULL
            """
        }
    }

    @Test("numbers of the outer request are not used again")
    func numberedTables() throws {
        let captain = Player.belongsTo(Player.self, key: "captain", using: ForeignKey(["teamId"]))
        let pairs = Player.joining(required: captain.filter { $0.id == outer.id })
        try expectSQL(
            Player.aliased(outer).joining(required: captain).filter(pairs.exists()),
            """
            SELECT "player1".* FROM "player" "player1" JOIN "player" "player2" \
            ON "player2"."id" = "player1"."teamId" \
            WHERE EXISTS (SELECT "player2".* FROM "player" "player2" JOIN "player" "player3" \
            ON ("player3"."id" = "player2"."teamId") AND ("player3"."id" = "player1"."id"))
            """)
    }

    @Test("a subquery between both has another name when the inner one refers to the outer request")
    func threeLevels() throws {
        let awards = Award.filter { $0.playerId == outer.id }
        let middle = Player.filter(awards.exists()).select(\.id)
        try expectSQL(
            Player.aliased(outer).filter { middle.contains($0.teamId) },
            """
            SELECT * FROM "player" WHERE "teamId" IN (SELECT "player1"."id" FROM "player" "player1" \
            WHERE EXISTS (SELECT * FROM "award" WHERE "playerId" = "player"."id"))
            """)
        let inner = TableAlias<Player>()
        let both = Player.filter { $0.id == outer.id && $0.id != inner.id }
        try withLeague { db in
            let request = Player.aliased(outer).filter(Player.aliased(inner).filter(both.exists()).exists())
            let sql = try request.expandedSQL(db)
            #expect(
                sql == """
                    SELECT * FROM "player" WHERE EXISTS (SELECT "player1".* FROM "player" "player1" \
                    WHERE EXISTS (SELECT "player2".* FROM "player" "player2" \
                    WHERE ("player2"."id" = "player"."id") AND ("player2"."id" <> "player1"."id")))
                    """)
            let count = try request.fetchCount(db)
            #expect(count == 4)
        }
    }

    @Test("updates and deletions have subqueries of the same table")
    func writes() throws {
        try withLeague { db in
            try db.execute(sql: "DELETE FROM award; DELETE FROM citizenship")
            let best = Player.filter { $0.teamId == outer.teamId }.select { max($0.score) }
            _ = try Player.aliased(outer).updateAll(db) { $0.score.set(to: best) }
            let scores = try Int?.fetchAll(db, sql: "SELECT score FROM player ORDER BY id")
            #expect(scores == [100, 100, 30, nil])
            let others = Player.filter { $0.teamId == outer.teamId && $0.id < outer.id }
            let sql = try db.tracing { _ = try Player.aliased(outer).filter(others.exists()).deleteAll(db) }.first
            #expect(
                sql == """
                    DELETE FROM "player" WHERE EXISTS (SELECT "player1".* FROM "player" "player1" \
                    WHERE ("player1"."teamId" = "player"."teamId") AND ("player1"."id" < "player"."id"))
                    """)
            let ids = try Int.fetchAll(db, sql: "SELECT id FROM player")
            #expect(ids == [1, 3, 4])
        }
    }

    @Test("requests that hide no table stay as they are")
    func unchangedRequests() throws {
        try expectSQL(
            Player.aliased(outer).filter { Player.filter { $0.score > 50 }.select(\.id).contains($0.id) },
            #"SELECT * FROM "player" WHERE "id" IN (SELECT "id" FROM "player" WHERE "score" > 50)"#)
        // A subquery that refers to the outer table doesn't affect a second subquery.
        try expectSQL(
            Player.aliased(outer).filter {
                Award.filter { $0.playerId == outer.id }.exists() && Player.select(\.id).contains($0.id)
            },
            """
            SELECT * FROM "player" WHERE (EXISTS (SELECT * FROM "award" WHERE "playerId" = "player"."id")) \
            AND ("id" IN (SELECT "id" FROM "player"))
            """)
    }

    @Test("two names chosen by the caller are an error when one hides the other")
    func chosenNames() throws {
        let (outer, inner) = (TableAlias<Player>(name: "p"), TableAlias<Player>(name: "P"))
        try withLeague { db in
            let hidden = Player.aliased(outer).filter(
                Player.aliased(inner).filter { $0.score > outer.score }.exists())
            expectError(
                .SQLITE_MISUSE,
                """
                ambiguous alias: P. A subquery refers to a table of this name in the statement around it: give one of \
                both another name.
                """
            ) { _ = try Row.fetchAll(db, hidden) }
            let separate = Player.aliased(outer).filter(Player.aliased(inner).filter { $0.score > 50 }.exists())
            let count = try separate.fetchCount(db)
            #expect(count == 4)
        }
    }
}
