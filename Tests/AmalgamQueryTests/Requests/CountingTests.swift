import Amalgam
import TestSupport
import Testing

@Suite("Counting, and fetching one")
struct CountingTests {
    private func countSQL(_ db: Database, _ request: some FetchRequest) throws -> String {
        try db.tracing { _ = try request.fetchCount(db) }.last ?? ""
    }

    @Test("rows are counted without fetching them, where that is the same")
    func counts() throws {
        try withLeague { db in
            let requests: [(any FetchRequest, String)] = [
                (Player.all(), #"SELECT COUNT(*) FROM "player""#),
                (Player.order(\.name).reversed(), #"SELECT COUNT(*) FROM "player""#),
                (Player.filter { $0.score == 30 }, #"SELECT COUNT(*) FROM "player" WHERE "score" = 30"#),
                (Player.select { [$0.name, $0.score] }, #"SELECT COUNT(*) FROM "player""#),
                (Player.select(\.name).distinct(), #"SELECT COUNT(DISTINCT "name") FROM "player""#),
                (
                    Player.select { ($0.score * 2).forKey("double") }.distinct(),
                    #"SELECT COUNT(*) FROM (SELECT DISTINCT "score" * 2 AS "double" FROM "player")"#
                ),
                (Player.select(\.id).distinct(), #"SELECT COUNT(DISTINCT "id") FROM "player""#),
                (
                    Player.select { $0.name.forKey("title") }.distinct(),
                    #"SELECT COUNT(DISTINCT "name") FROM "player""#
                ),
                (
                    Player.select { $0.name.forKey("title") }.distinct().filter(Column("title").detached == "Bob"),
                    """
                    SELECT COUNT(*) FROM (SELECT DISTINCT "name" AS "title" FROM "player" WHERE "title" = 'Bob')
                    """
                ),
                (
                    Player.select(\.score).distinct(),
                    #"SELECT COUNT(*) FROM (SELECT DISTINCT "score" FROM "player")"#
                ),
                (
                    Player.select(sql: "MAX(score)"),
                    #"SELECT COUNT(*) FROM (SELECT MAX(score) FROM "player")"#
                ),
                (
                    Player.select { max($0.score) + $0.id },
                    #"SELECT COUNT(*) FROM (SELECT MAX("score") + "id" FROM "player")"#
                ),
                (Player.order(sql: "score DESC"), #"SELECT COUNT(*) FROM "player""#),
                (
                    Player.select { [$0.name, $0.score] }.distinct(),
                    #"SELECT COUNT(*) FROM (SELECT DISTINCT "name", "score" FROM "player")"#
                ),
                (Player.all().distinct(), #"SELECT COUNT(*) FROM (SELECT DISTINCT * FROM "player")"#),
                (Player.limit(10), #"SELECT COUNT(*) FROM (SELECT * FROM "player" LIMIT 10)"#),
                (
                    Player.select { max($0.score) }.group(\.teamId),
                    #"SELECT COUNT(*) FROM (SELECT MAX("score") FROM "player" GROUP BY "teamId")"#
                ),
                (
                    Player.annotated { $0.name.forKey("alt") }.filter(Column("alt").detached),
                    #"SELECT COUNT(*) FROM (SELECT *, "name" AS "alt" FROM "player" WHERE "alt")"#
                ),
                (SQLRequest<Row>(sql: "SELECT 1 UNION SELECT 2"), "SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2)"),
                (
                    Player.joining(required: Player.team),
                    #"SELECT COUNT(*) FROM "player" JOIN "team" ON "team"."id" = "player"."teamId""#
                ),
                (
                    Player.including(required: Player.team),
                    #"SELECT COUNT(*) FROM "player" JOIN "team" ON "team"."id" = "player"."teamId""#
                ),
                (Team.including(all: Team.players), #"SELECT COUNT(*) FROM "team""#),
            ]
            for (request, sql) in requests {
                let counted = try countSQL(db, request)
                #expect(counted == sql)
                let count = try request.fetchCount(db)
                let rows = try Row.fetchAll(request.makePreparedRequest(db, forSingleResult: false).statement)
                #expect(count == rows.count, "\(sql)")
            }
        }
    }

    @Test("one row is there when only aggregates are selected")
    func countOfAggregates() throws {
        let count = try withLeague { db in try Player.select { max($0.score) }.fetchCount(db) }
        #expect(count == 1)
    }

    @Test("whether there are rows")
    func isEmpty() throws {
        try withLeague { db in
            let sql = try db.tracing { _ = try Player.filter { $0.name == "x" }.isEmpty(db) }.last
            #expect(sql == #"SELECT EXISTS (SELECT * FROM "player" WHERE "name" = 'x')"#)
            let answers = (try Player.filter { $0.name == "x" }.isEmpty(db), try Player.all().isEmpty(db))
            #expect(answers == (true, false))
        }
    }

    @Test("whether there are distinct rows after an offset")
    func isEmptyAfterAnOffset() throws {
        try withLeague { db in
            let reds = Player.select(\.teamId).filter { $0.teamId == 1 }.distinct()
            let sql = try db.tracing { _ = try reds.limit(10, offset: 1).isEmpty(db) }.last
            #expect(
                sql == """
                    SELECT EXISTS (SELECT * FROM \
                    (SELECT DISTINCT "teamId" FROM "player" WHERE "teamId" = 1 LIMIT 10 OFFSET 1))
                    """)
            // The keys of the awards make the rows of the two players distinct.
            let withAwards = reds.including(all: Player.awards).asRequest(of: Row.self)
            for offset in 0...3 {
                for request in [reds.asRequest(of: Row.self), withAwards] {
                    let isEmpty = try request.limit(10, offset: offset).isEmpty(db)
                    let rows = try request.limit(10, offset: offset).fetchAll(db)
                    #expect(isEmpty == rows.isEmpty, "\(offset)")
                }
            }
        }
    }

    @Test("LIMIT 1, unless there is one row at most")
    func fetchingOne() throws {
        let requests: [(any FetchRequest, Bool)] = [
            (Player.all(), true),
            (Player.filter(key: 1), false),
            (Player.filter { $0.id == 1 }, false),
            (Player.filter { 1 == $0.id }, false),
            (Player.filter { $0.id == nil }, false),
            (Player.filter { $0.id == 1 && $0.score > 10 }, false),
            (Player.filter { $0.score > 10 }.filter { $0.id == 1 }, false),
            (Citizenship.filter(key: ["playerId": 1, "countryCode": "FR"]), false),
            (Player.filter { $0.name == "x" }, true),
            (Player.filter(\.id), true),
            (Player.filter { $0.id != 1 }, true),
            (Player.filter { $0.id == 1 || $0.id == 2 }, true),
            (Table("champion").filter(Column("id") == 1), true),
            (Player.joining(required: Player.team.filter(key: 1)), true),
            (Player.select { max($0.score) }, false),
            (Player.select { [min($0.score).forKey("a"), max($0.score + 1) + 1] }, false),
            (Player.select { max($0.score) }.group(\.teamId), true),
        ]
        try withLeague { db in
            for (request, isLimited) in requests {
                let sql = try request.expandedSQL(db, forSingleResult: true)
                #expect(sql.hasSuffix(" LIMIT 1") == isLimited, "\(sql)")
            }
        }
    }

    @Test("the region of a view is that of the tables below")
    func regionOfAView() throws {
        try withLeague { db in
            for request in [Table("champion").all(), Table("champion").filter(Column("id") == 1)] {
                let region = try request.databaseRegion(db)
                #expect(region.description == "champion(id,name),player(id,name,score)")
            }
        }
    }

    @Test("regions are those of the rows, where these are known")
    func regions() throws {
        let requests: [(any FetchRequest, String)] = [
            (Team.all(), "team(color,id,name)"),
            (Team.select(\.name), "team(name)"),
            (Team.none(), "empty"),
            (Team.filter { $0.id == nil }, "empty"),
            (Team.filter { $0.id == 1 && $0.id == 2 }, "empty"),
            (Team.filter { [Int]().contains($0.name) }, "empty"),
            (Team.filter(key: 1), "team(color,id,name)[1]"),
            (Team.filter(key: 1).filter(key: 1), "team(color,id,name)[1]"),
            (Team.filter { $0.id == 1 && $0.name == "x" }, "team(color,id,name)[1]"),
            (Team.filter { $0.id == 1 || Column.rowID == 2 }, "team(color,id,name)[1,2]"),
            (Team.filter { $0.id == 1 || $0.name == "x" }, "team(color,id,name)"),
            (Team.filter(keys: [1, 2, 3]), "team(color,id,name)[1,2,3]"),
            (Team.filter { [1, 2].contains($0.id) && [2, 3].contains(Column.rowID) }, "team(color,id,name)[2]"),
            (Team.filter { $0.id >= 1 }, "team(color,id,name)"),
            (AnyFetchRequest(Team.filter(key: 1)), "team(color,id,name)[1]"),
            (
                Player.filter(key: 1).including(optional: Player.team.filter(key: 2)),
                "player(id,name,score,teamId)[1],team(color,id,name)"
            ),
            (Team.including(all: Team.players), "player(id,name,score,teamId),team(color,id,name)"),
        ]
        try withLeague { db in
            for (request, description) in requests {
                let region = try request.databaseRegion(db)
                #expect(region.description == description)
            }
        }
    }
}
