import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Scalar functions.
struct FunctionTests {
    @Test func numbersAndTexts() throws {
        try expectExpression(abs(score), #"ABS("score")"#)
        try expectExpression(abs(score - 50) * 2, #"ABS("score" - 50) * 2"#)
        try expectExpression(length(name), #"LENGTH("name")"#)
        try expectExpression(min(score, 1000), #"MIN("score", 1000)"#)
        try expectExpression(min(score, 1000, id), #"MIN("score", 1000, "id")"#)
        try expectExpression(max(score, 1000), #"MAX("score", 1000)"#)
        try expectExpression(max(score, 1000, id), #"MAX("score", 1000, "id")"#)
        try expectValues(max(score, 25, id), [100, 25, 30, nil])
    }

    @Test func plainFunctionsArePlain() {
        let (one, two, three) = (abs(-1), min(2, 3), max(1, 2, 3))
        #expect([one, two, three] == [1, 2, 3])
    }

    @Test func replacementsOfNULL() throws {
        try expectExpression(score ?? 2, #"IFNULL("score", 2)"#)
        try expectExpression(score ?? score, #"IFNULL("score", "score")"#)
        try expectExpression((score ?? 2) + 1, #"IFNULL("score", 2) + 1"#)
        try expectExpression(coalesce([]), "NULL")
        try expectExpression(coalesce([name]), #""name""#)
        try expectExpression(coalesce([name, score]), #"COALESCE("name", "score")"#)
        try expectValues(score ?? 2, [100, 20, 30, 2])
    }

    @Test func casts() throws {
        try expectExpression(cast(name, as: .blob), #"CAST("name" AS BLOB)"#)
        try expectExpression(cast(score + 1, as: .real) / 3, #"CAST("score" + 1 AS REAL) / 3"#)
        try expectValues(cast(score, as: .text), ["100", "20", "30", nil])
    }

    @Test func unicode() throws {
        try expectExpression(name.capitalized, #"swiftCapitalizedString("name")"#)
        try expectExpression(name.lowercased, #"swiftLowercaseString("name")"#)
        try expectExpression(name.uppercased, #"swiftUppercaseString("name")"#)
        try expectExpression(name.localizedCapitalized, #"swiftLocalizedCapitalizedString("name")"#)
        try expectExpression(name.localizedLowercased, #"swiftLocalizedLowercaseString("name")"#)
        try expectExpression(name.localizedUppercased, #"swiftLocalizedUppercaseString("name")"#)
        try expectValues("jérÔME".databaseValue.uppercased, ["JÉRÔME", "JÉRÔME", "JÉRÔME", "JÉRÔME"])
    }

    @Test func functionsInSwift() throws {
        let function = DatabaseFunction("avgOf", pure: true) { (a: Int?, b: Int, c: Int) in a.map { ($0 + b + c) / 3 } }
        try withLeague { db in
            db.add(function: function)
            let expression = function(score, 1, 2)
            try expectEqual(expression.literalSQL(db), #"avgOf("score", 1, 2)"#)
            try expectEqual(expression.values(db), [34.databaseValue, 7.databaseValue, 11.databaseValue, .null])
        }
    }

    @Test func functionsOfSQLite() throws {
        try expectExpression(SQLFunction.round(score, 1), #"ROUND("score", 1)"#)
        try expectExpression(SQLFunction.replace(name, "n", "m") == "Amma", #"REPLACE("name", 'n', 'm') = 'Amma'"#)
        try expectExpression(SQLFunction.nullIf(score, 20) + 1, #"NULLIF("score", 20) + 1"#)
        try expectExpression(SQLFunction.pi(), "PI()")
        try expectValues(SQLFunction.sqrt(score) > 5, [1, 0, 1, nil])
        try expectValues(SQLFunction.typeof(score), ["integer", "integer", "integer", "null"])
        try expectValues(SQLFunction.substr(name, 1, 2), ["An", "Bo", "Cl", "Da"])
    }

    @Test(arguments: [
        (SQLFunction.abs, 1), (.char, 1), (.concat, 2), (.concatWithSeparator, 2), (.format, 2), (.hex, 1), (.instr, 2),
        (.length, 1), (.lower, 1), (.ltrim, 1), (.nullIf, 2), (.octetLength, 1), (.quote, 1), (.replace, 3),
        (.round, 2), (.rtrim, 1), (.sign, 1), (.substr, 3), (.trim, 2), (.typeof, 1), (.unhex, 1), (.unicode, 1),
        (.upper, 1), (.acos, 1), (.acosh, 1), (.asin, 1), (.asinh, 1), (.atan, 1), (.atan2, 2), (.atanh, 1),
        (.ceil, 1), (.cos, 1), (.cosh, 1), (.degrees, 1), (.exp, 1), (.floor, 1), (.ln, 1), (.log, 2), (.log2, 1),
        (.mod, 2), (.pi, 0), (.pow, 2), (.radians, 1), (.sin, 1), (.sinh, 1), (.sqrt, 1), (.tan, 1), (.tanh, 1),
        (.trunc, 1),
    ])
    func sqliteHas(_ function: SQLFunction, argumentCount: Int) throws {
        try withLeague { db in
            let (sql, arguments) = try function([Int](repeating: 1, count: argumentCount)).parameterSQL(db)
            _ = try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)", arguments: arguments)
        }
    }

    @Test func functionsByName() throws {
        try expectExpression(SQLFunction("likely")(score > 1) && true, #"likely("score" > 1) AND 1"#)
        try withLeague { db in
            try expectEqual(SQLFunction("my function")(score).literalSQL(db), #""my function"("score")"#)
            try expectEqual(SQLFunction("a\"b")().literalSQL(db), #""a""b"()"#)
            let error = #expect(throws: DatabaseError.self) { _ = try SQLFunction.pow(score).values(db) }
            #expect(error?.message == "wrong number of arguments to function POW()")
        }
    }

    @Test func conditions() throws {
        try expectExpression(iif(score > 25, then: "a", else: name), #"IIF("score" > 25, 'a', "name")"#)
        try expectValues(iif(score > 25, then: 1, else: nil), [1, nil, 1, nil])
    }

    // MARK: CASE

    @Test func cases() throws {
        let medal = SQLCase(when: score >= 100, then: "gold").when(score >= 30, then: "silver")
        try expectExpression(medal, #"CASE WHEN "score" >= 100 THEN 'gold' WHEN "score" >= 30 THEN 'silver' END"#)
        try expectValues(medal, ["gold", nil, "silver", nil])
        try expectExpression(
            medal.else("bronze"),
            #"CASE WHEN "score" >= 100 THEN 'gold' WHEN "score" >= 30 THEN 'silver' ELSE 'bronze' END"#)
        try expectValues(medal.else("bronze"), ["gold", "bronze", "silver", "bronze"])
        try expectExpression(
            SQLCase(when: score > 1, then: nil).else(nil) == nil,
            #"CASE WHEN "score" > 1 THEN NULL ELSE NULL END IS NULL"#)
    }

    @Test func casesOfAnExpression() throws {
        let rank = SQLCase(score + 0, when: 100, then: "first").when(30, then: name).else(score)
        try expectExpression(
            rank, #"CASE "score" + 0 WHEN 100 THEN 'first' WHEN 30 THEN "name" ELSE "score" END"#)
        try expectValues(rank, ["first", 20, "Cleo", nil])
        try expectSQL(
            Player.order { SQLCase($0.name, when: "Cleo", then: 0).else(1) },
            #"SELECT * FROM "player" ORDER BY CASE "name" WHEN 'Cleo' THEN 0 ELSE 1 END"#)
    }

    // MARK: Dates

    @Test func dates() throws {
        let date = "2024-02-29 13:14:15.678".databaseValue
        try expectExpression(dateTime(name), #"DATETIME("name")"#)
        try expectExpression(dateTime(name, .startOfDay, .hour(2)), #"DATETIME("name", 'start of day', '2 hours')"#)
        try expectExpression(julianDay(name, .day(1)), #"JULIANDAY("name", '1 days')"#)
        try expectExpression(Amalgam.date(name, .year(-1)), #"DATE("name", '-1 years')"#)
        try expectExpression(time(name), #"TIME("name")"#)
        try expectExpression(unixEpoch(name, .subsecond), #"UNIXEPOCH("name", 'subsec')"#)
        try expectExpression(strftime("%Y", name, .utc), #"STRFTIME('%Y', "name", 'utc')"#)
        try expectExpression(timeDifference(name, name), #"TIMEDIFF("name", "name")"#)
        try withLeague { db in
            let value = { (expression: SQLExpression) in try String.fromDatabaseValue(expression.values(db)[0]) }
            try expectEqual(value(dateTime(date)), "2024-02-29 13:14:15")
            try expectEqual(value(Amalgam.date(date, .year(1), .floor)), "2025-02-28")
            try expectEqual(value(time(date, .minute(50))), "14:04:15")
            try expectEqual(value(strftime("%d/%m", date, .month(1))), "29/03")
            try expectEqual(
                value(timeDifference(date, "2024-02-28 13:14:15".databaseValue)), "+0000-00-01 00:00:00.678")
        }
    }

    @Test(
        arguments: [
            (.second(1), "1.0 seconds"), (.second(-0.5), "-0.5 seconds"), (.minute(2), "2 minutes"),
            (.hour(3), "3 hours"),
            (.day(-4), "-4 days"), (.month(5), "5 months"), (.year(6), "6 years"), (.startOfDay, "start of day"),
            (.startOfMonth, "start of month"), (.startOfYear, "start of year"), (.weekday(1), "weekday 1"),
            (.unixEpoch, "unixepoch"), (.julianDay, "julianday"), (.auto, "auto"), (.localTime, "localtime"),
            (.utc, "utc"), (.ceiling, "ceiling"), (.floor, "floor"), (.subsecond, "subsec"),
        ] as [(SQLDateModifier, String)])
    func modifiers(_ modifier: SQLDateModifier, text: String) throws {
        try withLeague { db in
            try expectEqual(modifier.literalSQL(db), "'\(text)'")
            // SQLite accepts each of them.
            let dates = [
                dateTime(1_700_000_000.databaseValue, .unixEpoch, .month(1), modifier),
                dateTime(2_460_000.databaseValue, modifier),
            ]
            let isKnown = try dates.contains { try !$0.values(db)[0].isNull }
            #expect(isKnown)
        }
    }
}
