import Amalgam
import AmalgamQuery
import Foundation
import TestSupport
import Testing

/// The results of functions of typed columns, which are compared with values of their type. Benchmarks/TypeChecking has
/// the comparisons that don't compile.
struct TypedFunctionTests {
    // MARK: Aggregates

    @Test func smallestAndLargestValuesHaveTheTypeOfTheColumn() throws {
        try expectSquads([1], #"MAX("score") > 30"#) { max($0.score) > 30 }
        try expectSquads([2], #"MIN("score") = 30"#) { min($0.score) == 30 }
        try expectSquads([1, 2, nil], #"MAX("name") >= 'Bob'"#) { max($0.name) >= "Bob" }
        try expectSquads([2], #"MIN("birthday") > '2005-01-01 00:00:00.000'"#) {
            min($0.birthday) > Date(timeIntervalSince1970: 1_104_537_600)
        }
        try expectSquads([1], #"(MAX("jersey") = 'red') AND (MIN("jersey") = 'blue')"#) {
            max($0.jersey) == .red && min($0.jersey) == .blue
        }
        try expectSquads([1, 2], #"MAX("isActive")"#) { max($0.isActive) }
        try expectSquads([1], #"MAX("score") FILTER (WHERE "isActive") > 50"#) {
            max($0.score, filter: $0.isActive) > 50
        }
        try expectSquads([nil], #"MIN("bonus") IS NULL"#) { min($0.bonus) == nil }
        try expectSquads([1, 2], #"MIN("score") BETWEEN 20 AND 30"#) { (20...30).contains(min($0.score)) }
        try expectSquads([2], #"MAX("score") = MAX("bonus")"#) { max($0.score) == max($0.bonus) }
        try expectSquads([2, nil], #"MAX("score") = MIN("score")"#) { max($0.score) == min($0.score) }
    }

    @Test func valuesAreComparedInTheFormatOfTheColumn() throws {
        let joined = Date(timeIntervalSince1970: 120)
        try expectSquads([1], #"MAX("joined") = 120"#) { max($0.joined) == joined }

        // Scores that are stored as tenths.
        let tenths = TypedColumn<Double>(
            "score", encode: { Int64($0 * 10).databaseValue },
            decode: { Int64.fromDatabaseValue($0).map { Double($0) / 10 } })
        let optionalTenths = tenths.optional
        try expectSquads([1], #"SUM("score") = 120"#) { _ in sum(tenths) == 12 }
        try expectSquads([1], #"SUM("score") = 120"#) { _ in sum(optionalTenths) == 12 }
        try expectSquads([1], #"TOTAL("score") = 120"#) { _ in total(tenths) == 12 }
        try expectSquads([1], #"TOTAL("score") = 120"#) { _ in total(optionalTenths) == 12 }
        try expectSquads([1], #"AVG("score") = 60"#) { _ in average(tenths) == 6 }
        try expectSquads([1], #"AVG("score") = 60"#) { _ in average(optionalTenths) == 6 }
        try expectSquads([1], #"COUNT("score") = 2"#) { _ in count(tenths) == 2 }
        try expectSquads([nil], #"LENGTH(MIN("score")) = 1"#) { _ in length(min(tenths)) == 1 }
        try expectAthletes([2], #"ABS("score") = 20"#) { _ in abs(tenths) == 2 }
        try expectAthletes([2], #"IFNULL("score", 0) = 20"#) { _ in (optionalTenths ?? 0) == 2 }
    }

    @Test func numbersOfValues() throws {
        try expectSquads([1], #"COUNT("score") > 1"#) { count($0.score) > 1 }
        try expectSquads([1, 2], #"COUNT("bonus") = 1"#) { count($0.bonus) == 1 }
        try expectSquads([2, nil], #"COUNT("tags") = 1"#) { count($0.tags) == 1 }
        try expectSquads([1], #"COUNT(DISTINCT "jersey") = 2"#) { count(distinct: $0.jersey) == 2 }
        try expectSquads([2], #"COUNT("name") FILTER (WHERE "score" = 30) = 1"#) {
            count($0.name, filter: $0.score == 30) == 1
        }
        try expectSquads([1], #"COUNT(DISTINCT "name") FILTER (WHERE "score" > 50) = 1"#) {
            count(distinct: $0.name, filter: $0.score > 50) == 1
        }
        try expectSquads([1, nil], #"COUNT("score") = (COUNT("bonus") + 1)"#) { count($0.score) == count($0.bonus) + 1 }
    }

    @Test func sumsAndAverages() throws {
        try expectSquads([1], #"SUM("score") = 120"#) { sum($0.score) == 120 }
        try expectSquads([nil], #"SUM("bonus") IS NULL"#) { sum($0.bonus) == nil }
        try expectSquads([1, nil], #"SUM("rate") = 4.0"#) { sum($0.rate) == 4 }
        try expectSquads([1], #"SUM("rate" ORDER BY "id" DESC) FILTER (WHERE "isActive") = 1.5"#) {
            sum($0.rate, orderBy: $0.id.desc, filter: $0.isActive) == 1.5
        }
        try expectSquads([1], #"TOTAL("score") > 99.5"#) { total($0.score) > 99.5 }
        try expectSquads([nil], #"TOTAL("bonus") = 0.0"#) { total($0.bonus) == 0 }
        try expectSquads([1, nil], #"TOTAL("rate" ORDER BY "id") = 4.0"#) { total($0.rate, orderBy: $0.id) == 4 }
        try expectSquads([1], #"AVG("score") = 60.0"#) { average($0.score) == 60 }
        try expectSquads([2], #"AVG("bonus") FILTER (WHERE "isActive") >= 29.5"#) {
            average($0.bonus, filter: $0.isActive) >= 29.5
        }
        try expectSquads([1], #"MEDIAN("score") = 60.0"#) { median($0.score) == 60 }
        try expectSquads([1], #"PERCENTILE("score", 25) = 40.0"#) { percentile($0.score, 25) == 40 }
        try expectSquads([1, 2, nil], #"(SUM("score") / COUNT(*)) > 4"#) { sum($0.score) / count() > 4 }
        try expectSquads([1], #"(SUM("score") * 2) = 240"#) { sum($0.score) * 2 == 240 }
    }

    @Test func concatenatedStrings() throws {
        try expectSquads([1], #"GROUP_CONCAT("name" ORDER BY "id") = 'Anna,Bob'"#) {
            groupConcat($0.name, orderBy: $0.id) == "Anna,Bob"
        }
        try expectSquads([1], #"GROUP_CONCAT("name", '/') FILTER (WHERE "score" < 30) = 'Bob'"#) {
            groupConcat($0.name, separator: "/", filter: $0.score < 30) == "Bob"
        }
        try expectSquads([2], #"GROUP_CONCAT("nickname") IS NULL"#) { groupConcat($0.nickname) == nil }
        try expectSquads([1], #"GROUP_CONCAT("name") LIKE '%B%'"#) { groupConcat($0.name).like("%B%") }
    }

    @Test func windows() throws {
        try withAthletes { db in
            try expectQuery(
                db,
                Athlete.select {
                    [
                        $0.id, sum($0.score).over(partitionBy: $0.squadID, orderBy: $0.id),
                        count($0.bonus).over(SQLWindow(partitionBy: $0.squadID)),
                    ]
                }.order(\.id)
            ) {
                """
                SELECT "id", SUM("score") OVER (PARTITION BY "squad_id" ORDER BY "id"), COUNT("bonus") OVER \
                (PARTITION BY "squad_id") FROM "athlete" ORDER BY "id"
                """
            } rows: {
                """
                1|100|1
                2|120|1
                3|30|1
                4|5|0
                """
            }
        }
        try withAthletes { db in
            let request = Athlete.select { [$0.score.over(partitionBy: $0.squadID)] }
            let message = "over(…) needs a call of an aggregate or window function, such as sum(…).over(…)"
            expectFailure(.SQLITE_MISUSE, message) { _ = try Row.fetchAll(db, request) }
        }
    }

    // MARK: Scalar functions

    @Test func lengthsAndAbsoluteValues() throws {
        try expectAthletes([1, 3], #"LENGTH("name") > 3"#) { length($0.name) > 3 }
        try expectAthletes([2, 3], #"LENGTH("nickname") IS NULL"#) { length($0.nickname) == nil }
        try expectAthletes([1, 3], #"LENGTH("name") = 4"#) { length($0.name) == 4 }
        try expectAthletes([1, 2, 3, 4], #"LENGTH("name") < "score""#) { length($0.name) < $0.score }
        try expectAthletes([4], #"ABS("score") < 20"#) { abs($0.score) < 20 }
        try expectAthletes([3], #"ABS("rate") = 0.5"#) { abs($0.rate) == 0.5 }
        try expectAthletes([2, 4], #"ABS("bonus") IS NULL"#) { abs($0.bonus) == nil }
    }

    @Test func stringsOfStrings() throws {
        try expectAthletes([1], #"swiftLowercaseString("name") = 'anna'"#) { $0.name.lowercased == "anna" }
        try expectAthletes([1, 4], #"swiftUppercaseString("name") LIKE '%AN%'"#) { $0.name.uppercased.like("%AN%") }
        try expectAthletes([2, 3], #"swiftCapitalizedString("nickname") IS NULL"#) { $0.nickname.capitalized == nil }
        try expectAthletes([2], #"swiftLowercaseString(swiftUppercaseString("name")) = 'bob'"#) {
            $0.name.uppercased.lowercased == "bob"
        }
        try withAthletes { db in
            try Athlete.updateAll(db) { [$0.name.set(to: $0.name.uppercased), $0.bonus.set(to: length($0.name))] }
            try expectEqual(String.fetchAll(db, Athlete.select(\.name)), ["ANNA", "BOB", "CLEO", "DAN"])
            try expectEqual(Int.fetchAll(db, Athlete.select(\.bonus)), [4, 3, 4, 3])
        }
    }

    // MARK: NULL

    @Test func replacementsOfNullAreNotOptional() throws {
        try expectAthletes([2, 4], #"IFNULL("bonus", 0) = 0"#) { ($0.bonus ?? 0) == 0 }
        try expectAthletes([1, 2], #"IFNULL("nickname", "name") < 'C'"#) { ($0.nickname ?? $0.name) < "C" }
        try expectAthletes([1, 3], #"IFNULL("bonus", 0) > 1"#) { ($0.bonus ?? 0) > 1 }
        try expectAthletes([2, 4], #"(IFNULL("bonus", 0) + 1) < 5"#) { ($0.bonus ?? 0) + 1 < 5 }
        try expectAthletes([1], #"IFNULL("isPaid", 0)"#) { $0.isPaid ?? false }
        try expectSquads([nil], #"IFNULL(SUM("bonus"), 0) = 0"#) { (sum($0.bonus) ?? 0) == 0 }
        try expectValues(["Ann", "Bob", "Cleo", "Dan"], #"IFNULL("nickname", IFNULL("nickname", "name"))"#) {
            $0.nickname ?? $0.nickname ?? $0.name
        }
        try withAthletes { db in
            try Athlete.updateAll(db) { [$0.score += $0.bonus ?? 1] }
            try expectEqual(Int.fetchAll(db, Athlete.select(\.score)), [105, 21, 60, 6])
        }
    }

    // MARK: Without a type

    @Test func otherTypesAreComparedWithTheExpression() throws {
        try expectSquads([1], #"MAX("score") > 30.5"#) { max($0.score).sqlExpression > 30.5 }
        try expectAthletes([1, 3], #"LENGTH("name") > 3.5"#) { length($0.name).sqlExpression > 3.5 }
    }

    /// The result of a function isn't a column: SQLite reports its name.
    @Test func resultsHaveNoNames() throws {
        try withAthletes { db in
            expectFailure(.SQLITE_ERROR, #"no such column: MAX("score")"#) {
                try Athlete.updateAll(db) { [max($0.score).set(to: 1)] }
            }
            let message = #"no such column: "MAX("score")" - should this be a string literal in single-quotes?"#
            expectFailure(.SQLITE_ERROR, message) {
                _ = try Row.fetchAll(db, Athlete.select { [max($0.score).untyped] })
            }
            try expectEqual(Int.fetchAll(db, Athlete.select(\.score)), [100, 20, 30, 5])
        }
    }
}

/// Expects the SQL of a condition on groups of athletes, and the squads for which it is true.
private func expectSquads(
    _ ids: [Int64?], _ sql: String, sourceLocation: SourceLocation = #_sourceLocation,
    having condition: (Athlete.Columns.Type) throws -> any SQLCondition
) throws {
    try withAthletes { db in
        let request = try Athlete.select(\.squadID).group(\.squadID).having(condition).order(\.squadID.ascNullsLast)
        let actual = try request.expandedSQL(db)
        let expected = """
            SELECT "squad_id" FROM "athlete" GROUP BY "squad_id" HAVING \(sql) ORDER BY "squad_id" ASC NULLS LAST
            """
        #expect(actual == expected, sourceLocation: sourceLocation)
        let actualIDs = try Optional<Int64>.fetchAll(db, request)
        #expect(actualIDs == ids, sourceLocation: sourceLocation)
    }
}
