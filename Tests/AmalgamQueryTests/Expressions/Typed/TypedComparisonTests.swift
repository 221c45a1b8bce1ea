import Amalgam
import AmalgamQuery
import Foundation
import TestSupport
import Testing

/// Comparisons of typed columns: with a value, an optional value, a column of the same or the optional type, an
/// expression, and nil.
struct TypedComparisonTests {
    // MARK: Equality

    @Test func valuesAreEqual() throws {
        try expectAthletes([2], #""score" = 20"#) { $0.score == 20 }
        try expectAthletes([2], #"20 = "score""#) { 20 == $0.score }
        try expectAthletes([3], #""name" = 'Cleo'"#) { $0.name == "Cleo" }
        try expectAthletes([1, 3], #""jersey" = 'red'"#) { $0.jersey == .red }
        try expectAthletes([1, 3], #"'red' = "jersey""#) { .red == $0.jersey }
        try expectAthletes([3], #""birthday" = '2010-06-30 12:00:00.000'"#) {
            $0.birthday == Date(timeIntervalSince1970: 1_277_899_200)
        }
    }

    @Test func optionalColumnsAreEqualToNil() throws {
        try expectAthletes([4], #""squad_id" IS NULL"#) { $0.squadID == nil }
        try expectAthletes([4], #""squad_id" IS NULL"#) { nil == $0.squadID }
        try expectAthletes([1, 2, 3], #""squad_id" IS NOT NULL"#) { $0.squadID != nil }
        try expectAthletes([1, 2, 3], #""squad_id" IS NOT NULL"#) { nil != $0.squadID }
        try expectAthletes([4], #""squad_id" IS NULL"#) { $0.squadID === nil }
        try expectAthletes([1, 2, 3], #""squad_id" IS NOT NULL"#) { $0.squadID !== nil }
        try expectAthletes([2, 4], #""notes" IS NULL"#) { $0.notes == nil }
        try expectAthletes([1, 3], #""notes" IS NOT NULL"#) { $0.notes != nil }
        try expectAthletes([2, 4], #""notes" IS NULL"#) { $0.notes === nil }
        try expectAthletes([1, 3], #""notes" IS NOT NULL"#) { $0.notes !== nil }
    }

    @Test func optionalValues() throws {
        let (squad, none): (Int64?, Int64?) = (2, nil)
        try expectAthletes([3], #""squad_id" = 2"#) { $0.squadID == squad }
        try expectAthletes([4], #""squad_id" IS NULL"#) { $0.squadID == none }
        try expectAthletes([2], #""id" = 2"#) { $0.id == squad }
        try expectAthletes([2], #"2 = "id""#) { squad == $0.id }
        try expectAthletes([], #""id" IS NULL"#) { $0.id == none }
        try expectAthletes([], #""id" IS NULL"#) { none == $0.id }
        try expectAthletes([1, 3, 4], #""id" <> 2"#) { $0.id != squad }
        try expectAthletes([1, 2, 3, 4], #""id" IS NOT NULL"#) { none != $0.id }
        try expectAthletes([2], #""id" IS 2"#) { $0.id === squad }
        try expectAthletes([2], #"2 IS "id""#) { squad === $0.id }
        try expectAthletes([1, 3, 4], #""id" IS NOT 2"#) { $0.id !== squad }
        try expectAthletes([1, 3, 4], #"2 IS NOT "id""#) { squad !== $0.id }
    }

    @Test func valuesOfOptionalColumns() throws {
        let two: Int64 = 2
        try expectAthletes([3], #""squad_id" = 2"#) { $0.squadID == 2 }
        try expectAthletes([3], #""squad_id" = 2"#) { $0.squadID == two }
        try expectAthletes([1, 2], #""squad_id" <> 2"#) { $0.squadID != two }
        try expectAthletes([1, 2, 4], #""squad_id" IS NOT 2"#) { $0.squadID !== two }
        try expectAthletes([3], #"2 IS "squad_id""#) { two === $0.squadID }
    }

    @Test func columns() throws {
        try expectAthletes([3], #""score" = "bonus""#) { $0.score == $0.bonus }
        try expectAthletes([3], #""bonus" = "score""#) { $0.bonus == $0.score }
        try expectAthletes([1], #""bonus" <> "score""#) { $0.bonus != $0.score }
        try expectAthletes([1], #""score" <> "bonus""#) { $0.score != $0.bonus }
        try expectAthletes([3], #""score" IS "bonus""#) { $0.score === $0.bonus }
        try expectAthletes([1, 2, 4], #""score" IS NOT "bonus""#) { $0.score !== $0.bonus }
        try expectAthletes([1, 2, 4], #""bonus" IS NOT "score""#) { $0.bonus !== $0.score }
        try expectAthletes([4], #""name" = "nickname""#) { $0.name == $0.nickname }
        try expectAthletes([1, 2, 3, 4], #""score" = "score""#) { $0.score == $0.score }
        try expectAthletes([1, 3], #"("tags" = "tags") AND ("notes" = "notes")"#) {
            $0.tags == $0.tags && $0.notes == $0.notes
        }
    }

    @Test func expressions() throws {
        try expectAthletes([2], #""score" = (10 + 10)"#) { $0.score == 10.databaseValue + 10 }
        try expectAthletes([2], #"(10 + 10) = "score""#) { 10.databaseValue + 10 == $0.score }
        try expectAthletes([3], #""score" = "bonus""#) { $0.score == Column("bonus") }
        try expectAthletes([3], #""bonus" = "score""#) { Column("bonus") == $0.score }
        try expectAthletes([1], #""score" = (SELECT MAX("score") FROM "athlete")"#) {
            $0.score == Athlete.select { max($0.score) }
        }
        try expectAthletes([1, 2, 3, 4], #"LENGTH("name") < ("score" + 1)"#) { length($0.name) < $0.score + 1 }
        try expectAthletes([1, 2, 3, 4], #""score" > LENGTH("name")"#) { $0.score > length($0.name) }
        try expectAthletes([2], #""score" IS 20"#) { $0.score === 20.databaseValue }
        try expectAthletes([1, 3, 4], #""score" IS NOT 20"#) { $0.score !== 20.databaseValue }
    }

    @Test func truthValuesComeBehindTheColumn() throws {
        try expectAthletes([1, 3], #""isActive" = 1"#) { $0.isActive == true }
        try expectAthletes([1, 3], #""isActive" = 1"#) { true == $0.isActive }
        try expectAthletes([2, 4], #""isActive" <> 1"#) { true != $0.isActive }
        try expectAthletes([3], #""isPaid" = 0"#) { false == $0.isPaid }
        try expectAthletes([2, 4], #""isPaid" IS NULL"#) { $0.isPaid == nil }
    }

    // MARK: Order

    @Test func order() throws {
        try expectAthletes([1, 3], #""score" > 20"#) { $0.score > 20 }
        try expectAthletes([4], #"20 > "score""#) { 20 > $0.score }
        try expectAthletes([1, 2, 3], #""score" >= 20"#) { $0.score >= 20 }
        try expectAthletes([2, 4], #"20 >= "score""#) { 20 >= $0.score }
        try expectAthletes([4], #""score" < 20"#) { $0.score < 20 }
        try expectAthletes([1, 3], #"20 < "score""#) { 20 < $0.score }
        try expectAthletes([2, 4], #""score" <= 20"#) { $0.score <= 20 }
        try expectAthletes([1, 2, 3], #"20 <= "score""#) { 20 <= $0.score }
        try expectAthletes([3], #""birthday" > '2001-01-01 00:00:00.000'"#) {
            $0.birthday > Date(timeIntervalSince1970: 978_307_200)
        }
    }

    @Test func orderOfOptionalColumns() throws {
        let (five, none): (Int, Int?) = (5, nil)
        try expectAthletes([3], #""bonus" > 5"#) { $0.bonus > five }
        try expectAthletes([1, 3], #""bonus" >= 5"#) { $0.bonus >= 5 }
        try expectAthletes([], #""bonus" > NULL"#) { $0.bonus > none }
        try expectAthletes([1], #""score" > "bonus""#) { $0.score > $0.bonus }
        try expectAthletes([3], #"("bonus" >= "score") AND ("bonus" <= "score")"#) {
            $0.bonus >= $0.score && $0.bonus <= $0.score
        }
        try expectAthletes([1], #""bonus" < "score""#) { $0.bonus < $0.score }
        try expectAthletes([], #""score" < "bonus""#) { $0.score < $0.bonus }
        try expectAthletes([1, 3], #"("score" >= "bonus") AND ("bonus" <= "bonus")"#) {
            $0.score >= $0.bonus && $0.bonus <= $0.bonus
        }
        try expectAthletes([3], #""score" <= "bonus""#) { $0.score <= $0.bonus }
        try expectAthletes([], #""bonus" > "score""#) { $0.bonus > $0.score }
    }

    // MARK: Collations

    @Test func collationsKeepTheType() throws {
        try expectAthletes([1], #""name" = 'anna' COLLATE NOCASE"#) { $0.name.collating(.nocase) == "anna" }
        try expectAthletes([1], #"'anna' = "name" COLLATE NOCASE"#) { "anna" == $0.name.collating(.nocase) }
        try expectAthletes([4], #""nickname" = 'dan' COLLATE swiftCaseInsensitiveCompare"#) {
            $0.nickname.collating(.caseInsensitiveCompare) == "dan"
        }
        try expectAthletes([2], #"("name" COLLATE NOCASE) IN ('bob', 'eve')"#) {
            ["bob", "eve"].contains($0.name.collating(.nocase))
        }
        try withAthletes { db in
            let request = Athlete.order { $0.name.collating(.nocase).desc }.select(\.name)
            try expectEqual(
                request.expandedSQL(db), #"SELECT "name" FROM "athlete" ORDER BY "name" COLLATE NOCASE DESC"#)
            try expectEqual(String.fetchAll(db, request), ["Dan", "Cleo", "Bob", "Anna"])
        }
    }

    // MARK: Values with a stored form

    /// The column `joined` stores dates as seconds.
    @Test func valuesAreComparedInTheirStoredForm() throws {
        let date = Date(timeIntervalSince1970: 120)
        let optional: Date? = date
        try expectAthletes([2], #""joined" = 120"#) { $0.joined == date }
        try expectAthletes([2], #"120 = "joined""#) { date == $0.joined }
        try expectAthletes([2], #""joined" = 120"#) { $0.joined == optional }
        try expectAthletes([1, 3, 4], #""joined" IS NOT 120"#) { $0.joined !== date }
        try expectAthletes([3, 4], #""joined" > 120"#) { $0.joined > date }
        try expectAthletes([1], #"120 > "joined""#) { date > $0.joined }
        try expectAthletes([2, 3], #""joined" IN (120, 180)"#) { [date, date + 60].contains($0.joined) }
        try expectAthletes([2, 3], #""joined" BETWEEN 120 AND 180"#) { (date...date + 60).contains($0.joined) }
        try expectAthletes([2], #"("joined" >= 120) AND ("joined" < 180)"#) { (date..<date + 60).contains($0.joined) }
        try expectUpdate([60, 60, 60, 60], Athlete.Columns.joined, #""joined" = 60"#) {
            [$0.joined.set(to: date - 60)]
        }
    }
}
