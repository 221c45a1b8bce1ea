import Amalgam
import AmalgamCore
import Testing

/// Negation, AND, OR.
struct LogicTests {
    private let conditions = [id == 1, name != nil, score == nil]

    @Test func negations() throws {
        try expectExpression(!score, #"NOT "score""#)
        try expectExpression(!(!score), #"NOT (NOT "score")"#)
        try expectExpression(!(score > 18), #"NOT ("score" > 18)"#)
        try expectExpression(
            !(score > 18) && !(name > "foo"), #"(NOT ("score" > 18)) AND (NOT ("name" > 'foo'))"#)
    }

    @Test func equalitiesHaveANegation() throws {
        try expectExpression(!(score == 10), #""score" <> 10"#)
        try expectExpression(!(10 == score), #"10 <> "score""#)
        try expectExpression(!(score == true), #""score" <> 1"#)
        try expectExpression(!(score != 10), #""score" = 10"#)
        try expectExpression(!(score == nil), #""score" IS NOT NULL"#)
        try expectExpression(!(DatabaseValue.null == score), #""score" IS NOT NULL"#)
        try expectExpression(!(score === 10), #""score" IS NOT 10"#)
        try expectExpression(!(nil === score), #""score" IS NOT NULL"#)
    }

    @Test func negatedLists() throws {
        try expectExpression(
            !conditions.joined(operator: .and), #"NOT (("id" = 1) AND ("name" IS NOT NULL) AND ("score" IS NULL))"#)
        try expectExpression(
            !conditions.joined(operator: .or), #"NOT (("id" = 1) OR ("name" IS NOT NULL) OR ("score" IS NULL))"#)
    }

    @Test func constantsAreNotFolded() throws {
        try expectExpression(score && true, #""score" AND 1"#)
        try expectExpression(true && score, #"1 AND "score""#)
        try expectExpression(score || false, #""score" OR 0"#)
        try expectExpression(false || score, #"0 OR "score""#)
    }

    @Test func compoundConditions() throws {
        try expectExpression(score != nil || name == nil, #"("score" IS NOT NULL) OR ("name" IS NULL)"#)
        let (a, b, c) = (score == 1, score == 2, score == 3)
        try expectExpression(a || b && c, #"("score" = 1) OR (("score" = 2) AND ("score" = 3))"#)
        try expectExpression((a || b) && c, #"(("score" = 1) OR ("score" = 2)) AND ("score" = 3)"#)
        try expectExpression(a && b && c, #"("score" = 1) AND ("score" = 2) AND ("score" = 3)"#)
    }

    @Test func joinedConditions() throws {
        let none: [SQLExpression] = []
        try expectExpression(none.joined(operator: .and), "1")
        try expectExpression(none.joined(operator: .or), "0")
        try expectExpression(none.joined(operator: .and) || false, "1 OR 0")
        try expectExpression(none.joined(operator: .or) && true, "0 AND 1")
        try expectExpression([id == 1].joined(operator: .and), #""id" = 1"#)
        try expectExpression([id == 1].joined(operator: .or) || false, #"("id" = 1) OR 0"#)
        try expectExpression([false.databaseValue].joined(operator: .and), "0")
        try expectExpression([true.databaseValue].joined(operator: .or) && true, "1 AND 1")
        try expectExpression(
            conditions.joined(operator: .and), #"("id" = 1) AND ("name" IS NOT NULL) AND ("score" IS NULL)"#)
        try expectExpression(
            conditions.joined(operator: .and) || false,
            #"(("id" = 1) AND ("name" IS NOT NULL) AND ("score" IS NULL)) OR 0"#)
        try expectExpression(
            conditions.joined(operator: .or) && true,
            #"(("id" = 1) OR ("name" IS NOT NULL) OR ("score" IS NULL)) AND 1"#)
    }

    @Test func literals() throws {
        let literal: SQL = "CAST(\(name) AS \(sql: "BLOB"))"
        try expectExpression(literal.sqlExpression, #"CAST("name" AS BLOB)"#)
        try expectExpression(literal && true, #"(CAST("name" AS BLOB)) AND 1"#)
        try expectExpression(score == 1 && SQL("1"), #"("score" = 1) AND (1)"#)
    }
}
