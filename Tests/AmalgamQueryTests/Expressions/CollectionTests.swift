import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Membership in a list, a range, an array, and a request.
struct CollectionTests {
    // MARK: Lists

    @Test func lists() throws {
        try expectExpression([1, 2, 3].contains(id), #""id" IN (1, 2, 3)"#)
        try expectExpression(AnySequence([1, 2, 3]).contains(id), #""id" IN (1, 2, 3)"#)
        try expectExpression(["a", nil].contains(name), #""name" IN ('a', NULL)"#)
        try expectExpression(![1, 2, 3].contains(id), #""id" NOT IN (1, 2, 3)"#)
        try expectExpression(!(![1, 2, 3].contains(id)), #""id" IN (1, 2, 3)"#)
        try expectExpression([id, score].contains(score + 1), #"("score" + 1) IN ("id", "score")"#)
        try expectExpression([id + 1, score].contains(score), #""score" IN ("id" + 1, "score")"#)
        try expectValues([100, 30].contains(score), [1, 0, 1, nil])
    }

    @Test func listsOfOneElement() throws {
        try expectExpression([1].contains(id), #""id" = 1"#)
        try expectExpression(AnySequence([1]).contains(id), #""id" = 1"#)
        try expectExpression(![1].contains(id), #""id" <> 1"#)
        try expectExpression(!(![1].contains(id)), #""id" = 1"#)
        try expectExpression([id].contains(id), #""id" = "id""#)
        try expectExpression(AnySequence([id]).contains(id), #""id" = "id""#)
    }

    /// No list contains NULL, as in SQL, whatever its number of elements is.
    @Test func nullInLists() throws {
        let null: DatabaseValue = .null
        try expectExpression([null].contains(teamId), #""teamId" IN (NULL)"#)
        try expectExpression([1.databaseValue, null].contains(teamId), #""teamId" IN (1, NULL)"#)
        try expectExpression(![null].contains(teamId), #""teamId" NOT IN (NULL)"#)
        try expectValues([null].contains(teamId), [nil, nil, nil, nil])
        try expectValues([1.databaseValue, null].contains(teamId), [1, 1, nil, nil])
        try withLeague { db in
            let counts = try [
                Player.filter { [null].contains($0.teamId) }.fetchCount(db),
                Player.filter { ![null].contains($0.teamId) }.fetchCount(db),
                Player.filter { ![1.databaseValue, null].contains($0.teamId) }.fetchCount(db),
            ]
            #expect(counts == [0, 0, 0])
        }
    }

    /// NULL is in no list, whatever its number of elements is.
    @Test func listsWithoutNull() throws {
        let null: DatabaseValue = .null
        let first: [any SQLSpecificExpressible] = [id]
        try expectExpression([1].contains(null), "NULL IN (1)")
        try expectExpression(![1].contains(null), "NULL NOT IN (1)")
        try expectExpression([id].contains(null), #"NULL IN ("id")"#)
        try expectExpression(first.contains(null), #"NULL IN ("id")"#)
        try expectExpression([1].contains(null.collating(.nocase)), "(NULL COLLATE NOCASE) IN (1)")
        try expectExpression([null.collating(.nocase)].contains(name), #""name" IN (NULL COLLATE NOCASE)"#)
        for list in [[1], [1, 2]] {
            try expectValues(list.contains(null), [nil, nil, nil, nil])
            try expectValues(!list.contains(null), [nil, nil, nil, nil])
        }
    }

    @Test func emptyLists() throws {
        let none: [Int] = []
        try expectExpression(none.contains(id), "0")
        try expectExpression(EmptyCollection<Int>().contains(id), "0")
        try expectExpression(!none.contains(id), "1")
        try expectExpression(!(!none.contains(id)), "0")
        try expectExpression(none.contains(id) && score > 1, #"0 AND ("score" > 1)"#)
    }

    @Test func listsOfAnyExpressions() throws {
        let values: [any SQLExpressible] = [1, "a", id]
        try expectExpression(values.contains(score), #""score" IN (1, 'a', "id")"#)
        let columns: [any SQLSpecificExpressible] = [name, id]
        try expectExpression(columns.contains(score), #""score" IN ("name", "id")"#)
        try expectExpression([any SQLExpressible]().contains(score), "0")
    }

    @Test func plainListsArePlain() {
        let contains: Bool = [1, 2, 3].contains(2)
        #expect(contains)
        let isInRange: Bool = (1...3).contains(2)
        #expect(isInRange)
    }

    // MARK: Arrays

    @Test func arraysAreOneArgument() throws {
        try withLeague { db in
            for count in [0, 1, 3, 100_000] {
                let array = SQLArray((0..<count).map { $0 + 2 })
                let request = Player.filter { array.contains($0.id) }
                let (sql, arguments) = try array.contains(id).parameterSQL(db)
                #expect(sql == #""id" IN (SELECT +value FROM carray(?))"#)
                #expect(arguments == [array])
                try expectEqual(request.fetchCount(db), min(count, 3))
                try expectEqual(Player.filter { !array.contains($0.id) }.fetchCount(db), 4 - min(count, 3))
            }
            try expectEqual(SQLArray(["Bob"]).contains(name).parameterSQL(db).sql, #""name" IN carray(?)"#)
            try expectEqual(SQLArray([1, 2]).contains(id).literalSQL(db), #""id" IN (1,2)"#)
            try expectEqual((!SQLArray([1, 2]).contains(id + 1)).literalSQL(db), #"("id" + 1) NOT IN (1,2)"#)
        }
    }

    // MARK: Ranges

    @Test func ranges() throws {
        try expectExpression((1..<10).contains(id), #"("id" >= 1) AND ("id" < 10)"#)
        try expectExpression((1.1..<10.9).contains(id), #"("id" >= 1.1) AND ("id" < 10.9)"#)
        try expectExpression(("A"..<"z").contains(name), #"("name" >= 'A') AND ("name" < 'z')"#)
        try expectExpression(!(1..<10).contains(id), #"NOT (("id" >= 1) AND ("id" < 10))"#)
        try expectValues((20..<100).contains(score), [0, 1, 1, nil])
    }

    @Test func closedRanges() throws {
        try expectExpression((1...10).contains(id), #""id" BETWEEN 1 AND 10"#)
        try expectExpression(("A"..."z").contains(name), #""name" BETWEEN 'A' AND 'z'"#)
        try expectExpression(!(1...10).contains(id), #""id" NOT BETWEEN 1 AND 10"#)
        try expectExpression(!(!(1...9).contains(id)), #""id" BETWEEN 1 AND 9"#)
        try expectExpression((1...10).contains(id + 1), #"("id" + 1) BETWEEN 1 AND 10"#)
        try expectValues((20...100).contains(score), [1, 1, 1, nil])
    }

    @Test func unboundedRanges() throws {
        try expectExpression((1...).contains(id), #""id" >= 1"#)
        try expectExpression((...10).contains(id), #""id" <= 10"#)
        try expectExpression((..<10).contains(id), #""id" < 10"#)
        try expectExpression(("A"...).contains(name), #""name" >= 'A'"#)
    }

    // MARK: Requests

    @Test func requests() throws {
        try expectExpression(
            Player.select(score).filter(name != nil).distinct().contains(score),
            #""score" IN (SELECT DISTINCT "score" FROM "player" WHERE "name" IS NOT NULL)"#)
        let request: SQLRequest<Int> = "SELECT \(1) UNION SELECT \(2)"
        try expectExpression(request.contains(score + 1), #"("score" + 1) IN (SELECT 1 UNION SELECT 2)"#)
        try expectExpression(!request.contains(score), #""score" NOT IN (SELECT 1 UNION SELECT 2)"#)
        try expectExpression(request.contains(0), "0 IN (SELECT 1 UNION SELECT 2)")
        try expectExpression(
            request.contains("x".databaseValue.collating(.nocase)),
            "('x' COLLATE NOCASE) IN (SELECT 1 UNION SELECT 2)")
        try expectExpression(
            Player.filter(score == Player.select(max(score))).select(id).contains(id),
            """
            "id" IN (SELECT "id" FROM "player" WHERE "score" = (SELECT MAX("score") FROM "player"))
            """)
    }

    @Test func commonTables() throws {
        let cte = CommonTableExpression<Int>(named: "ids", sql: "SELECT 1 UNION SELECT 3")
        try expectSQL(
            Player.all().with(cte).filter(cte.contains(id)),
            #"WITH "ids" AS (SELECT 1 UNION SELECT 3) SELECT * FROM "player" WHERE "id" IN "ids""#)
        try expectSQL(
            Player.all().with(cte).filter(!cte.contains(id + 1)),
            #"WITH "ids" AS (SELECT 1 UNION SELECT 3) SELECT * FROM "player" WHERE ("id" + 1) NOT IN "ids""#)
    }

    @Test func existence() throws {
        let team = TableAlias<Team>()
        let players = Player.filter { $0.teamId == team.id }
        try expectSQL(
            Team.all().aliased(team).filter(players.exists()),
            #"SELECT * FROM "team" WHERE EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")"#)
        try expectSQL(
            Team.all().aliased(team).filter(!players.exists()),
            #"SELECT * FROM "team" WHERE NOT EXISTS (SELECT * FROM "player" WHERE "teamId" = "team"."id")"#)
        let literal = SQLRequest<Row>("SELECT * FROM player WHERE teamId = \(team[Column("id")])")
        try expectSQL(
            Team.all().aliased(team).filter(literal.exists() && id > 1),
            """
            SELECT * FROM "team" WHERE (EXISTS (SELECT * FROM player WHERE teamId = "team"."id")) AND ("id" > 1)
            """)
    }

    /// Inside EXISTS, SQLite ignores DISTINCT, also if OFFSET then skips other rows.
    @Test func existenceOfDistinctRowsAfterAnOffset() throws {
        let reds = Player.select(teamId).filter(teamId == 1).distinct()
        try expectSQL(
            Team.filter(reds.limit(10, offset: 1).exists()),
            """
            SELECT * FROM "team" WHERE EXISTS (SELECT * FROM \
            (SELECT DISTINCT "teamId" FROM "player" WHERE "teamId" = 1 LIMIT 10 OFFSET 1))
            """)
        try expectSQL(
            Team.filter(!reds.limit(10).exists()),
            """
            SELECT * FROM "team" WHERE NOT EXISTS \
            (SELECT DISTINCT "teamId" FROM "player" WHERE "teamId" = 1 LIMIT 10)
            """)
        let team = TableAlias<Team>()
        let scores = Player.select(teamId).filter { $0.teamId == team.id }.distinct()
        try withLeague { db in
            let literals: [SQLRequest<Row>] = [
                "SELECT DISTINCT teamId FROM player WHERE teamId = 1 LIMIT 10 OFFSET 1",
                "select distinct teamId from player where teamId = 1 limit 1, 10;",
            ]
            for literal in literals { try expectEqual(Team.filter(literal.exists()).fetchCount(db), 0) }
            try expectEqual(Team.filter(reds.unionAll(reds).limit(10, offset: 1).exists()).fetchCount(db), 3)
            try expectEqual(Team.filter(reds.unionAll(reds).limit(10, offset: 2).exists()).fetchCount(db), 0)
            try expectEqual(Team.aliased(team).filter(scores.limit(9, offset: 0).exists()).fetchCount(db), 2)
            try expectEqual(Team.aliased(team).filter(scores.limit(9, offset: 1).exists()).fetchCount(db), 0)
        }
    }

    @Test func existenceInTheSameTable() throws {
        let better = TableAlias<Player>(name: "p")
        try expectSQL(
            Player.all().aliased(better).filter(Player.filter { $0.score > better.score }.exists()),
            """
            SELECT "p".* FROM "player" "p" WHERE EXISTS (SELECT * FROM "player" WHERE "score" > "p"."score")
            """)
    }
}
