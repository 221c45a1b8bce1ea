import Amalgam
import AmalgamCore
import Testing

/// Comparisons: each operand may be a column, a value that may be nil, or any other expression.
struct ComparisonTests {
    // MARK: Equality

    @Test func valuesAreEqual() throws {
        try expectExpression(score == 10, #""score" = 10"#)
        try expectExpression(score == (10 as Int?), #""score" = 10"#)
        try expectExpression(10 == score, #"10 = "score""#)
        try expectExpression((10 as Int?) == score, #"10 = "score""#)
        try expectExpression(score == score, #""score" = "score""#)
        try expectExpression(name == "B", #""name" = 'B'"#)
        try expectExpression("B" == name, #"'B' = "name""#)
        try expectExpression(name == "O'Brien", #""name" = 'O''Brien'"#)
    }

    @Test func nilIsNoValue() throws {
        try expectExpression(score == nil, #""score" IS NULL"#)
        try expectExpression(nil == score, #""score" IS NULL"#)
        try expectExpression(score == (nil as Int?), #""score" IS NULL"#)
        try expectExpression((nil as Int?) == score, #""score" IS NULL"#)
        try expectExpression(score == DatabaseValue.null, #""score" IS NULL"#)
        try expectExpression(DatabaseValue.null == score, #""score" IS NULL"#)
        try expectExpression(score + 1 == nil, #"("score" + 1) IS NULL"#)
        try expectValues(score == nil, [0, 0, 0, 1])
    }

    @Test func truthValuesComeBehindTheColumn() throws {
        try expectExpression(score == true, #""score" = 1"#)
        try expectExpression(score == false, #""score" = 0"#)
        try expectExpression(true == score, #""score" = 1"#)
        try expectExpression(false == score, #""score" = 0"#)
        try expectExpression(score != true, #""score" <> 1"#)
        try expectExpression(true != score, #""score" <> 1"#)
        try expectExpression(score != false, #""score" <> 0"#)
        try expectExpression(false != score, #""score" <> 0"#)
    }

    @Test func valuesDiffer() throws {
        try expectExpression(score != 10, #""score" <> 10"#)
        try expectExpression(score != (10 as Int?), #""score" <> 10"#)
        try expectExpression(10 != score, #"10 <> "score""#)
        try expectExpression(score != score, #""score" <> "score""#)
        try expectExpression(score != nil, #""score" IS NOT NULL"#)
        try expectExpression(nil != score, #""score" IS NOT NULL"#)
        try expectExpression(score != DatabaseValue.null, #""score" IS NOT NULL"#)
        try expectExpression(DatabaseValue.null != score, #""score" IS NOT NULL"#)
    }

    @Test func identityIsNeverNULL() throws {
        try expectExpression(score === 10, #""score" IS 10"#)
        try expectExpression(10 === score, #"10 IS "score""#)
        try expectExpression(score === score, #""score" IS "score""#)
        try expectExpression(score === nil, #""score" IS NULL"#)
        try expectExpression(nil === score, #""score" IS NULL"#)
        try expectExpression(name === "B", #""name" IS 'B'"#)
        try expectExpression("B" === name, #"'B' IS "name""#)
        try expectExpression(score !== 10, #""score" IS NOT 10"#)
        try expectExpression(10 !== score, #"10 IS NOT "score""#)
        try expectExpression(score !== score, #""score" IS NOT "score""#)
        try expectExpression(score !== nil, #""score" IS NOT NULL"#)
        try expectExpression(nil !== score, #""score" IS NOT NULL"#)
        try expectExpression(name !== "B", #""name" IS NOT 'B'"#)
        try expectValues(score != 20, [1, 0, 1, nil])
        try expectValues(score !== 20, [1, 0, 1, 1])
    }

    // MARK: Order

    @Test func greater() throws {
        try expectExpression(score > 10, #""score" > 10"#)
        try expectExpression(10 > score, #"10 > "score""#)
        try expectExpression(score > score, #""score" > "score""#)
        try expectExpression(name > "B", #""name" > 'B'"#)
        try expectExpression(score >= 10, #""score" >= 10"#)
        try expectExpression(10 >= score, #"10 >= "score""#)
        try expectExpression("B" >= name, #"'B' >= "name""#)
    }

    @Test func less() throws {
        try expectExpression(score < 10, #""score" < 10"#)
        try expectExpression(10 < score, #"10 < "score""#)
        try expectExpression("B" < name, #"'B' < "name""#)
        try expectExpression(score <= 10, #""score" <= 10"#)
        try expectExpression(10 <= score, #"10 <= "score""#)
        try expectExpression("B" <= name, #"'B' <= "name""#)
    }

    @Test func optionalValuesAreNULLWhereTheyAreNil() throws {
        try expectExpression(score > (10 as Int?), #""score" > 10"#)
        try expectExpression(score > (nil as Int?), #""score" > NULL"#)
        try expectExpression((nil as Int?) <= score, #"NULL <= "score""#)
        try expectValues(score > (nil as Int?), [nil, nil, nil, nil])
    }

    // MARK: Other operands

    @Test func plainValuesMakePlainConditions() throws {
        let isTrue: Bool = 20 > 10
        try expectSQL(Player.all().filterWhenConnected { _ in isTrue }, #"SELECT * FROM "player" WHERE 1"#)
        let isFalse: Bool = "A" == "B"
        try expectSQL(Player.all().filterWhenConnected { _ in isFalse }, #"SELECT * FROM "player" WHERE 0"#)
    }

    @Test func aggregates() throws {
        for (condition, sql) in [
            (average(score) + 10 > 20, ">"), (average(score) + 10 >= 20, ">="), (average(score) + 10 < 20, "<"),
            (average(score) + 10 <= 20, "<="),
        ] {
            try expectSQL(
                Player.select(name).group(name).having(condition),
                #"SELECT "name" FROM "player" GROUP BY "name" HAVING (AVG("score") + 10) \#(sql) 20"#)
        }
    }

    @Test func requests() throws {
        let best = Player.select(max(score))
        try expectExpression(best > 1, #"(SELECT MAX("score") FROM "player") > 1"#)
        try expectExpression(score == best, #""score" = (SELECT MAX("score") FROM "player")"#)
        let request = SQLRequest<Int>(sql: "SELECT MAX(score + ?) FROM player", arguments: [1])
        try expectSQL(
            Player.filter((score + 2) == request),
            #"SELECT * FROM "player" WHERE ("score" + 2) = (SELECT MAX(score + 1) FROM player)"#)
        try expectSQL(Player.select { $0.name == "foo" }, #"SELECT "name" = 'foo' FROM "player""#)
        try expectValues(score == best, [1, 0, 0, nil])
    }

    @Test func members() throws {
        enum Columns: String, ColumnExpression { case score, name }
        try expectExpression(Columns.score > 10 && Columns.name != nil, #"("score" > 10) AND ("name" IS NOT NULL)"#)
        try expectExpression(Columns.score == id, #""score" = "id""#)
        try expectSQL(
            Player.filter { $0.score > 10 && $0.name == "Anna" || !($0.score + 2 * $0.score >= 20) },
            """
            SELECT * FROM "player" WHERE (("score" > 10) AND ("name" = 'Anna')) \
            OR (NOT (("score" + (2 * "score")) >= 20))
            """)
    }

    // MARK: Patterns

    @Test func like() throws {
        try expectExpression(name.like("%foo"), #""name" LIKE '%foo'"#)
        try expectExpression(name.like("%foo", escape: "\\"), #""name" LIKE '%foo' ESCAPE '\'"#)
        try expectExpression(name.like("%foo") == true, #"("name" LIKE '%foo') = 1"#)
        try expectExpression(name.like("%foo") == false, #"("name" LIKE '%foo') = 0"#)
        try expectExpression(name.like("%foo", escape: "\\") == true, #"("name" LIKE '%foo' ESCAPE '\') = 1"#)
        try expectExpression(!name.like("%x"), #""name" NOT LIKE '%x'"#)
        try expectExpression(!(!name.like("%x")), #""name" LIKE '%x'"#)
        try expectValues(name.like("%O%"), [0, 1, 1, 0])
    }

    @Test func glob() throws {
        try expectExpression(name.glob("*o*"), #""name" GLOB '*o*'"#)
        try expectExpression(!name.glob("*o*"), #""name" NOT GLOB '*o*'"#)
        try expectValues(name.glob("[AB]*"), [1, 1, 0, 0])
        try expectValues(name.glob("*O*"), [0, 0, 0, 0])
    }
}
