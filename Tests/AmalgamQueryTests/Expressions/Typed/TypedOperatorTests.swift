import Amalgam
import AmalgamQuery
import Foundation
import TestSupport
import Testing

/// The other operators and functions of typed columns.
struct TypedOperatorTests {
    // MARK: Conditions

    @Test func booleanColumnsAreConditions() throws {
        try expectAthletes([1, 3], #""isActive""#) { $0.isActive }
        try expectAthletes([1], #""isPaid""#) { $0.isPaid }
        try expectAthletes([2, 4], #"NOT "isActive""#) { !$0.isActive }
        try expectAthletes([3], #"NOT "isPaid""#) { !$0.isPaid }
        try expectAthletes([1], #""isActive" AND "isPaid""#) { $0.isActive && $0.isPaid }
        try expectAthletes([1, 3], #""isActive" OR "isPaid""#) { $0.isActive || $0.isPaid }
        try expectAthletes([3], #""isActive" AND ("score" < 50)"#) { $0.isActive && $0.score < 50 }
        try expectAthletes([3], #"("score" < 50) AND "isActive""#) { $0.score < 50 && $0.isActive }
        try expectAthletes([1, 3, 4], #""isActive" OR ("score" < 10)"#) { $0.isActive || $0.score < 10 }
        try expectAthletes([1, 3, 4], #"("score" < 10) OR "isActive""#) { $0.score < 10 || $0.isActive }
        try expectAthletes([3], #""isActive" AND ("score" > 20) AND ("name" <> 'Anna') AND ("squad_id" IS NOT NULL)"#) {
            $0.isActive && $0.score > 20 && $0.name != "Anna" && $0.squadID != nil
        }
        try expectAthletes([1, 3], #""isActive" AND ("score" > 20)"#) {
            [$0.isActive, $0.score > 20].joined(operator: .and)
        }
    }

    @Test func booleanColumnsFilterRequests() throws {
        try withAthletes { db in
            try expectEqual(Athlete.filter(\.isActive).fetchCount(db), 2)
            try expectEqual(Athlete.filter(Athlete.Columns.isActive).fetchCount(db), 2)
            try expectEqual(Athlete.all().filter(\.isActive).fetchCount(db), 2)
            try expectEqual(Athlete.all().filter(Athlete.Columns.isPaid).fetchCount(db), 1)
            try expectEqual(Table<Athlete>("athlete").filter(\.isActive).fetchCount(db), 2)
            try expectEqual(Table("athlete").filter(Athlete.Columns.isActive).fetchCount(db), 2)
        }
    }

    // MARK: Numbers

    @Test func arithmetic() throws {
        try expectValues([101, 21, 31, 6], #""score" + 1"#) { $0.score + 1 }
        try expectValues([101, 21, 31, 6], #"1 + "score""#) { 1 + $0.score }
        try expectValues([105, nil, 60, nil], #""score" + "bonus""#) { $0.score + $0.bonus }
        try expectValues([6, nil, 31, nil], #""bonus" + 1"#) { $0.bonus + 1 }
        try expectValues([99, 19, 29, 4], #""score" - 1"#) { $0.score - 1 }
        try expectValues([-99, -19, -29, -4], #"1 - "score""#) { 1 - $0.score }
        try expectValues([-95, nil, 0, nil], #""bonus" - "score""#) { $0.bonus - $0.score }
        try expectValues([200, 40, 60, 10], #""score" * 2"#) { $0.score * 2 }
        try expectValues([3.0, 5.0, 1.0, 8.0], #"2.0 * "rate""#) { 2 * $0.rate }
        try expectValues([150.0, 50.0, 15.0, 20.0], #""score" * "rate""#) { $0.score * $0.rate }
        try expectValues([33, 6, 10, 1], #""score" / 3"#) { $0.score / 3 }
        try expectValues([1, 5, 3, 20], #"100 / "score""#) { 100 / $0.score }
        try expectValues([20, nil, 1, nil], #""score" / "bonus""#) { $0.score / $0.bonus }
        try expectValues([2, 6, 2, 5], #""score" % 7"#) { $0.score % 7 }
        try expectValues([7, 7, 7, 2], #"7 % "score""#) { 7 % $0.score }
        try expectValues([0, nil, 0, nil], #""score" % "bonus""#) { $0.score % $0.bonus }
        try expectValues([-100, -20, -30, -5], #"-"score""#) { -$0.score }
        try expectAthletes([1, 3], #"(("score" * 2) + 1) > 50"#) { $0.score * 2 + 1 > 50 }
        try expectValues([201, 41, 61, 11], #"("score" + "score") + 1"#) { $0.score + $0.score + 1 }
    }

    @Test func bits() throws {
        try expectValues([4, 4, 4, 4], #""score" & 4"#) { $0.score & 4 }
        try expectValues([4, 4, 4, 4], #"4 & "score""#) { 4 & $0.score }
        try expectValues([4, nil, 30, nil], #""score" & "bonus""#) { $0.score & $0.bonus }
        try expectValues([101, 21, 31, 5], #""score" | 1"#) { $0.score | 1 }
        try expectValues([101, 21, 31, 5], #"1 | "score""#) { 1 | $0.score }
        try expectValues([101, nil, 30, nil], #""score" | "bonus""#) { $0.score | $0.bonus }
        try expectValues([200, 40, 60, 10], #""score" << 1"#) { $0.score << 1 }
        try expectValues([2, 4, 8, 16], #"1 << "id""#) { 1 << $0.id }
        try expectValues([50, 10, 15, 2], #""score" >> 1"#) { $0.score >> 1 }
        try expectValues([-101, -21, -31, -6], #"~"score""#) { ~$0.score }
    }

    @Test func numbersOfOtherTypes() throws {
        struct Points: RawRepresentable, SQLNumericValue { var rawValue: Int }
        struct Flags: OptionSet, SQLIntegerValue { var rawValue: Int }
        let points = TypedColumn<Points>("score")
        let flags = TypedColumn<Flags?>("bonus")
        try expectValues([101, 21, 31, 6], #""score" + 1"#) { _ in points + Points(rawValue: 1) }
        try expectValues([5, nil, 6, nil], #""bonus" & 7"#) { _ in flags & Flags(rawValue: 7) }
    }

    @Test func aggregates() throws {
        try withAthletes { db in
            try expectQuery(
                db,
                Athlete.select {
                    [
                        count($0.bonus), count(distinct: $0.squadID), count(filter: $0.isActive), sum($0.score),
                        total($0.rate), average($0.bonus), min($0.name), max($0.birthday), median($0.score),
                    ]
                }
            ) {
                """
                SELECT COUNT("bonus"), COUNT(DISTINCT "squad_id"), COUNT(*) FILTER (WHERE "isActive"), SUM("score"), \
                TOTAL("rate"), AVG("bonus"), MIN("name"), MAX("birthday"), MEDIAN("score") FROM "athlete"
                """
            } rows: {
                "2|2|2|155|8.5|17.5|Anna|2010-06-30 12:00:00.000|25.0"
            }
            try expectQuery(
                db,
                Athlete.select { [$0.squadID, sum($0.score, filter: $0.score > 20), groupConcat($0.name)] }
                    .group(\.squadID).having { max($0.score) > 20 }
            ) {
                """
                SELECT "squad_id", SUM("score") FILTER (WHERE "score" > 20), GROUP_CONCAT("name") FROM "athlete" \
                GROUP BY "squad_id" HAVING MAX("score") > 20
                """
            } rows: {
                """
                1|100|Anna,Bob
                2|30|Cleo
                """
            }
        }
    }

    @Test func functions() throws {
        try expectValues([100, 20, 30, 5], #"ABS("score")"#) { abs($0.score) }
        try expectValues([4, 3, 4, 3], #"LENGTH("name")"#) { length($0.name) }
        try expectValues([5, nil, 30, nil], #"MIN("score", "bonus")"#) { min($0.score, $0.bonus) }
        try expectValues([100, 50, 50, 50], #"MAX("score", 50)"#) { max($0.score, 50) }
        try expectValues([1, 2, 0, 4], #"CAST("rate" AS INTEGER)"#) { cast($0.rate, as: .integer) }
        try expectValues(["Ann", "Bob", "Cleo", "Dan"], #"COALESCE("nickname", "name")"#) {
            coalesce([$0.nickname, $0.name])
        }
        try expectValues([100, 0, 30, 0], #"IIF("isActive", "score", 0)"#) { iif($0.isActive, then: $0.score, else: 0) }
        try expectValues(["2000-01-01", nil, "2010-06-30", nil], #"DATE("birthday")"#) { date($0.birthday) }
        try expectValues([1, 2, 1, 2], #"CASE "jersey" WHEN 'red' THEN 1 ELSE 2 END"#) {
            SQLCase($0.jersey, when: Jersey.red, then: 1).else(2)
        }
        try expectValues([nil, 100, 20, 30], #"LAG("score") OVER (ORDER BY "id")"#) {
            lag($0.score).over(orderBy: $0.id)
        }
        try expectValues([2.0, 3.0, 1.0, 4.0], #"ROUND("rate")"#) { SQLFunction.round($0.rate) }
        try expectValues([1, 0, 0, 0], #"("name", "score") = ('Anna', 100)"#) {
            SQLRowValue($0.name, $0.score) == SQLRowValue("Anna", 100)
        }
    }

    // MARK: Strings

    @Test func strings() throws {
        try expectAthletes([1, 4], #""name" LIKE '%an%'"#) { $0.name.like("%an%") }
        try expectAthletes([2, 3], #""name" NOT LIKE '%an%'"#) { !$0.name.like("%an%") }
        try expectAthletes([1], #""nickname" LIKE 'A%' ESCAPE '\'"#) { $0.nickname.like("A%", escape: "\\") }
        try expectAthletes([4], #""name" GLOB 'D*'"#) { $0.name.glob("D*") }
        try expectValues(["ANNA", "BOB", "CLEO", "DAN"], #"swiftUppercaseString("name")"#) { $0.name.uppercased }
        try expectValues(["anna", "bob", "cleo", "dan"], #"swiftLowercaseString("name")"#) { $0.name.lowercased }
        try expectValues(["Ann", nil, nil, "Dan"], #"swiftCapitalizedString("nickname")"#) { $0.nickname.capitalized }
        try expectValues(["ANNA", "BOB", "CLEO", "DAN"], #"swiftLocalizedUppercaseString("name")"#) {
            $0.name.localizedUppercased
        }
        try expectValues(["anna", "bob", "cleo", "dan"], #"swiftLocalizedLowercaseString("name")"#) {
            $0.name.localizedLowercased
        }
        try expectValues(["Anna", "Bob", "Cleo", "Dan"], #"swiftLocalizedCapitalizedString("name")"#) {
            $0.name.localizedCapitalized
        }
    }

    // MARK: NULL

    @Test func replacementsOfNull() throws {
        try expectValues([5, 0, 30, 0], #"IFNULL("bonus", 0)"#) { $0.bonus ?? 0 }
        try expectValues(["Ann", "Bob", "Cleo", "Dan"], #"IFNULL("nickname", "name")"#) { $0.nickname ?? $0.name }
        try expectValues(["Ann", nil, nil, "Dan"], #"IFNULL("nickname", "nickname")"#) { $0.nickname ?? $0.nickname }
        try expectValues(["Ann", "BOB", "CLEO", "Dan"], #"IFNULL("nickname", swiftUppercaseString("name"))"#) {
            $0.nickname ?? $0.name.uppercased
        }
        try expectAthletes([2, 4], #"IFNULL("bonus", 0) = 0"#) { ($0.bonus ?? 0) == 0 }
    }

    // MARK: Collections

    @Test func sequences() throws {
        try expectAthletes([2, 3], #""score" IN (20, 30)"#) { [20, 30].contains($0.score) }
        try expectAthletes([1, 4], #""score" NOT IN (20, 30)"#) { ![20, 30].contains($0.score) }
        try expectAthletes([1, 3], #""id" IN (1, 3)"#) { [1, 3].contains($0.id) }
        try expectAthletes([1, 2], #""squad_id" = 1"#) { [1].contains($0.squadID) }
        try expectAthletes([1], #""bonus" IN (5, NULL)"#) { [5, nil].contains($0.bonus) }
        try expectAthletes([1, 3], #""jersey" = 'red'"#) { [Jersey.red].contains($0.jersey) }
        try expectAthletes([], "0") { ([] as [Int]).contains($0.score) }
        let id = TypedColumn<Int>("id")
        try expectAthletes([1, 2, 3, 4], #""score" IN ("id", "score")"#) { [id, $0.score].contains($0.score) }
        try expectAthletes([], #""score" = "id""#) { [id].contains($0.score) }
        try expectEqual(
            withAthletes { db in try SQLArray([20, 30]).contains(Athlete.Columns.score).literalSQL(db) },
            #""score" IN (20,30)"#)
        try expectEqual(
            withAthletes { db in try Athlete.filter { SQLArray([20, 30]).contains($0.score) }.fetchCount(db) }, 2)
    }

    @Test func subqueries() throws {
        try expectAthletes([1, 2], #""squad_id" IN (SELECT "id" FROM "squad" WHERE "name" = 'Reds')"#) {
            Squad.filter { $0.name == "Reds" }.select(\.id).contains($0.squadID)
        }
    }

    @Test func ranges() throws {
        try expectAthletes([2, 3], #""score" BETWEEN 20 AND 30"#) { (20...30).contains($0.score) }
        try expectAthletes([1], #""bonus" BETWEEN 5 AND 10"#) { (5...10).contains($0.bonus) }
        try expectAthletes([2], #"("score" >= 20) AND ("score" < 30)"#) { (20..<30).contains($0.score) }
        try expectAthletes([1], #"("bonus" >= 5) AND ("bonus" < 30)"#) { (5..<30).contains($0.bonus) }
        try expectAthletes([1, 3], #""score" >= 30"#) { (30...).contains($0.score) }
        try expectAthletes([1, 3], #""bonus" >= 5"#) { (5...).contains($0.bonus) }
        try expectAthletes([2, 4], #""score" <= 20"#) { (...20).contains($0.score) }
        try expectAthletes([1], #""bonus" <= 5"#) { (...5).contains($0.bonus) }
        try expectAthletes([4], #""score" < 20"#) { (..<20).contains($0.score) }
        try expectAthletes([1], #""bonus" < 30"#) { (..<30).contains($0.bonus) }
        try expectAthletes([1], #""name" BETWEEN 'A' AND 'B'"#) { ("A"..."B").contains($0.name) }
    }
}
