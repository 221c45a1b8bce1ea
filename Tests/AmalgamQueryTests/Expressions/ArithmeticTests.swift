import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Numbers, bits, and concatenated strings.
struct ArithmeticTests {
    @Test func opposites() throws {
        try expectExpression(-score, #"-"score""#)
        try expectExpression(-(score + 1), #"-("score" + 1)"#)
        try expectExpression(-(-score + 1), #"-((-"score") + 1)"#)
        try expectExpression(-(-score), #"-(-"score")"#)
        try expectValues(-(-score + 1), [99, 19, 29, nil])
    }

    @Test func oppositesOfLiteralsAreNoComments() throws {
        try withLeague { db in
            let sql = try (-(-1).databaseValue + 1).literalSQL(db)
            #expect(sql == "(-(-1)) + 1")
            try expectEqual(Int.fetchOne(db, sql: "SELECT \(sql)"), 2)
            try expectEqual((~5.databaseValue).literalSQL(db), "~(5)")
            try expectEqual((-(-1).databaseValue).parameterSQL(db).sql, "-?")
        }
    }

    @Test func differences() throws {
        try expectExpression(score - 2, #""score" - 2"#)
        try expectExpression(2 - score, #"2 - "score""#)
        try expectExpression((score - score) - 1, #"("score" - "score") - 1"#)
        try expectExpression(
            1 - [score > 1, score == nil].joined(operator: .and), #"1 - (("score" > 1) AND ("score" IS NULL))"#)
    }

    @Test func sums() throws {
        try expectExpression(score + 2, #""score" + 2"#)
        try expectExpression(1 + (score + score), #"1 + ("score" + "score")"#)
        try expectExpression(score + 2 * 5, #""score" + 10"#)
        try expectExpression(score * 2 + 5, #"("score" * 2) + 5"#)
        try expectExpression(
            1 + [score > 1, score == nil].joined(operator: .and), #"1 + (("score" > 1) AND ("score" IS NULL))"#)
    }

    @Test func products() throws {
        try expectExpression(score * 2, #""score" * 2"#)
        try expectExpression(2 * (score * score), #"2 * ("score" * "score")"#)
    }

    @Test func quotients() throws {
        try expectExpression(score / 2, #""score" / 2"#)
        try expectExpression(1 / (score / score), #"1 / ("score" / "score")"#)
        try expectExpression(score / 2.0, #""score" / 2.0"#)
        try expectExpression(score % 3, #""score" % 3"#)
        try expectExpression(100 % (score + 1), #"100 % ("score" + 1)"#)
        try expectExpression(score % id == 0, #"("score" % "id") = 0"#)
        try expectValues(score % 30, [10, 20, 0, nil])
    }

    @Test func joinedNumbers() throws {
        let none: [SQLExpression] = []
        try expectExpression(none.joined(operator: .add), "0")
        try expectExpression(none.joined(operator: .multiply), "1")
        try expectExpression(none.joined(operator: .bitwiseAnd), "-1")
        try expectExpression(none.joined(operator: .bitwiseOr), "0")
        let terms: [any SQLSpecificExpressible] = [score, 2.databaseValue, score]
        try expectExpression(terms.joined(operator: .add), #""score" + 2 + "score""#)
        try expectExpression(terms.joined(operator: .multiply), #""score" * 2 * "score""#)
    }

    /// Because of rounding, `(a + b) + (c + d)` differs from `a + b + c + d`. Bit operations and concatenations have no
    /// rounding.
    @Test func nestedLists() throws {
        let lists: [[any SQLExpressible]] = [[score, 1], [2, score]]
        let joined = { (joint: SQLExpression.AssociativeBinaryOperator) in
            lists.map { $0.joined(operator: joint) }.joined(operator: joint)
        }
        try expectExpression(joined(.add), #"("score" + 1) + (2 + "score")"#)
        try expectExpression(joined(.multiply), #"("score" * 1) * (2 * "score")"#)
        try expectExpression(joined(.bitwiseAnd), #""score" & 1 & 2 & "score""#)
        try expectExpression(joined(.bitwiseOr), #""score" | 1 | 2 | "score""#)
        try expectExpression(joined(.concat), #""score" || 1 || 2 || "score""#)
    }

    @Test func bits() throws {
        try expectExpression(~score, #"~"score""#)
        try expectExpression(~(score + 1), #"~("score" + 1)"#)
        try expectExpression(~(~score + 1), #"~((~"score") + 1)"#)
        try expectExpression(score << 2, #""score" << 2"#)
        try expectExpression(2 << score, #"2 << "score""#)
        try expectExpression((score << score) << 1, #"("score" << "score") << 1"#)
        try expectExpression(score >> 2, #""score" >> 2"#)
        try expectExpression(2 >> score, #"2 >> "score""#)
        try expectExpression(score & 2, #""score" & 2"#)
        try expectExpression(2 & (score & score), #"2 & "score" & "score""#)
        try expectExpression(score | 2, #""score" | 2"#)
        try expectExpression(2 | (score | score), #"2 | "score" | "score""#)
        try expectExpression(
            1 << [score > 1, score == nil].joined(operator: .and), #"1 << (("score" > 1) AND ("score" IS NULL))"#)
    }

    @Test func texts() throws {
        let terms: [any SQLExpressible] = [name, " ", name]
        try expectExpression(terms.joined(operator: .concat), #""name" || ' ' || "name""#)
        try expectExpression([name, name].joined(operator: .concat) == "foo", #"("name" || "name") = 'foo'"#)
        try expectValues([name, name].joined(operator: .concat), ["AnnaAnna", "BobBob", "CleoCleo", "DanDan"])
    }
}
