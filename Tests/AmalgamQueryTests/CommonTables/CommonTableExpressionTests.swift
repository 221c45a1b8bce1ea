import Amalgam
import TestSupport
import Testing

@Suite("Common table expressions")
struct CommonTableExpressionTests {
    private let cte = CommonTableExpression(named: "cte", literal: "SELECT \("O'Brien") AS id")

    @Test("definitions")
    func definitions() throws {
        let named = CommonTableExpression(named: "cte", columns: ["id", "a"], sql: "SELECT ?, 2", arguments: [1])
        let counter = CommonTableExpression<Int>(
            recursive: true, named: "counter", columns: ["x"],
            sql: "VALUES(0) UNION ALL SELECT x+1 FROM counter WHERE x < 10")
        try expectSQL(
            Team.with(cte),
            #"WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT * FROM "team""#)
        try expectSQL(
            Team.with(CommonTableExpression(named: "c", request: Player.all())),
            #"WITH "c" AS (SELECT * FROM "player") SELECT * FROM "team""#)
        try expectSQL(
            Team.with(named),
            #"WITH "cte"("id", "a") AS (SELECT 1, 2) SELECT * FROM "team""#)
        try expectSQL(
            counter.all().with(counter),
            #"WITH RECURSIVE "counter"("x") AS (VALUES(0) UNION ALL SELECT x+1 FROM counter WHERE x < 10) SELECT * FROM "counter""#
        )
        try expectSQL(
            Team.with(cte).with(CommonTableExpression(named: "other", sql: "SELECT 1")),
            #"WITH "cte" AS (SELECT 'O''Brien' AS id), "other" AS (SELECT 1) SELECT * FROM "team""#)
        try expectSQL(
            Team.with(cte).filter { cte.contains($0.name) },
            #"WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT * FROM "team" WHERE "name" IN "cte""#)
        try expectSQL(
            Team.with(cte).filter { $0.name == cte.all() },
            #"WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT * FROM "team" WHERE "name" = (SELECT * FROM "cte")"#)
        try expectSQL(
            SQLRequest<Row>("WITH \(definitionFor: named) SELECT * FROM \(named)"),
            #"WITH "cte"("id", "a") AS (SELECT 1, 2) SELECT * FROM "cte""#)
        let numbers = try withLeague { db in try counter.all().with(counter).fetchAll(db) }
        #expect(numbers == Array(0...10))
    }

    @Test("associations")
    func associations() throws {
        let best = CommonTableExpression(
            named: "best", request: Player.annotated { max($0.score) }.group(\.teamId))
        let association = Team.association(to: best, on: { team, best in team.id == best["teamId"] })
        try expectQuery(Team.with(best).including(optional: association).orderByPrimaryKey()) {
            """
            WITH "best" AS (SELECT *, MAX("score") FROM "player" GROUP BY "teamId") \
            SELECT "team".*, "best".* FROM "team" LEFT JOIN "best" ON "team"."id" = "best"."teamId" \
            ORDER BY "team"."id"
            """
        } rows: {
            """
            1|Reds|red
              best: 1|Anna|100|1|100
            2|Blues|NULL
              best: 3|Cleo|30|2|30
            3|Greens|green
              best: NULL|NULL|NULL|NULL|NULL
            """
        }
        try expectSQL(
            Team.with(cte).joining(required: Team.association(to: cte)),
            #"WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT "team".* FROM "team" JOIN "cte""#)
        try expectSQL(
            Team.with(cte).joining(required: Team.association(to: cte).filter(Column("id") > 0)),
            #"WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT "team".* FROM "team" JOIN "cte" ON "cte"."id" > 0"#)
        try expectSQL(
            Player.joining(optional: Player.team.with(cte)),
            """
            WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT "player".* FROM "player" \
            LEFT JOIN "team" ON "team"."id" = "player"."teamId"
            """)
    }

    @Test("columns that cannot be counted are an error that says what to do")
    func uncountableColumns() throws {
        let broken = CommonTableExpression(named: "cte1", sql: "SELECT * FROM cte2")
        try withLeague { db in
            let error = #expect(throws: DatabaseError.self) {
                _ = try Team.with(broken).including(required: Team.association(to: broken)).expandedSQL(db)
            }
            #expect(
                error?.message == """
                    Can't compute the number of columns in the "cte1" common table expression: no such table: cte2. \
                    Check the syntax of the SQL definition, or provide the explicit list of selected columns with the \
                    `columns` parameter in the CommonTableExpression initializer.
                    """)
        }
    }

    @Test("updates and deletions")
    func writes() throws {
        let one = CommonTableExpression(named: "cte", sql: "SELECT 1")
        try withLeague { db in
            try db.execute(sql: "DELETE FROM award; DELETE FROM citizenship")
            let sql = try db.tracing {
                _ = try Player.with(one).updateAll(db, Column("score").set(to: one.all()))
                _ = try Player.with(one).filter { one.contains($0.id) }.deleteAll(db)
            }
            #expect(
                sql.prefix(2) == [
                    #"WITH "cte" AS (SELECT 1) UPDATE "player" SET "score" = (SELECT * FROM "cte")"#,
                    #"WITH "cte" AS (SELECT 1) DELETE FROM "player" WHERE "id" IN "cte""#,
                ])
        }
    }

    @Test("two definitions of one name are an error, unless they are the same")
    func sameName() throws {
        let other = CommonTableExpression(named: "CTE", sql: "SELECT 2 AS id")
        let message = """
            The request defines the common table expression "cte" twice, and not by the same query. Give one of both \
            definitions another name.
            """
        try withLeague { db in
            expectError(.SQLITE_MISUSE, message) { _ = try Row.fetchAll(db, Team.with(cte).with(other)) }
            expectError(.SQLITE_MISUSE, message) {
                _ = try Row.fetchAll(db, Player.with(cte).joining(required: Player.team.with(other)))
            }
            expectError(.SQLITE_MISUSE, message) { _ = try Player.with(cte).with(other).deleteAll(db) }
            // The letter é as one scalar, and as two. For Swift, both strings are equal.
            let word = CommonTableExpression(named: "cte", sql: "SELECT '\u{E9}' AS id")
            let otherWord = CommonTableExpression(named: "cte", sql: "SELECT 'e\u{301}' AS id")
            expectError(.SQLITE_MISUSE, message) { _ = try Row.fetchAll(db, Team.with(word).with(otherWord)) }
            let otherArgument = CommonTableExpression(named: "cte", literal: "SELECT \("Smith") AS id")
            expectError(.SQLITE_MISUSE, message) { _ = try Team.with(cte).with(otherArgument).fetchCount(db) }
        }
        let same = CommonTableExpression(named: "cte", literal: "SELECT \("O'Brien") AS id")
        try expectSQL(
            Player.with(cte).with(same).joining(required: Player.team.with(cte)),
            """
            WITH "cte" AS (SELECT 'O''Brien' AS id) SELECT "player".* FROM "player" \
            JOIN "team" ON "team"."id" = "player"."teamId"
            """)
    }
}
