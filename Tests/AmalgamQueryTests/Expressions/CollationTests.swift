import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// A collation is written where SQLite applies it.
struct CollationTests {
    private let collated = name.collating(.nocase)

    @Test func comparisons() throws {
        try expectExpression(collated == "fOo", #""name" = 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated != "fOo", #""name" <> 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated === "fOo", #""name" IS 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated !== "fOo", #""name" IS NOT 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated < "fOo", #""name" < 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated <= "fOo", #""name" <= 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated > "fOo", #""name" > 'fOo' COLLATE NOCASE"#)
        try expectExpression(collated >= "fOo", #""name" >= 'fOo' COLLATE NOCASE"#)
        try expectExpression("fOo" == collated, #"'fOo' = "name" COLLATE NOCASE"#)
        try expectExpression(!(collated == "fOo"), #""name" <> 'fOo' COLLATE NOCASE"#)
        try expectExpression((name == "fOo").collating(.nocase), #""name" = 'fOo' COLLATE NOCASE"#)
        try expectValues(collated == "ANNA", [1, 0, 0, 0])
        try expectValues("ANNA" == collated, [1, 0, 0, 0])
        try expectValues(collated < "bob", [1, 0, 0, 0])
    }

    @Test func theCollationOnTheLeftCounts() throws {
        try expectExpression(collated == name.collating(.binary), #""name" = "name" COLLATE NOCASE"#)
        try expectExpression(name.collating(.binary) == collated, #""name" = "name" COLLATE BINARY"#)
        try expectExpression(collated.collating(.binary) == "a", #""name" = 'a' COLLATE BINARY"#)
        try expectExpression((collated == "a").collating(.binary), #""name" = 'a' COLLATE NOCASE"#)
    }

    @Test func collationsInSwift() throws {
        try expectExpression(
            name.collating(.localizedCaseInsensitiveCompare) == "fOo",
            #""name" = 'fOo' COLLATE swiftLocalizedCaseInsensitiveCompare"#)
        let collation = DatabaseCollation("by length") { lhs, rhs in
            lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
        }
        try withLeague { db in
            db.add(collation: collation)
            let condition = name.collating(collation) == "four"
            try expectEqual(condition.literalSQL(db), #""name" = 'four' COLLATE "by length""#)
            try expectEqual(Player.filter(condition).select(name, as: String.self).fetchAll(db), ["Anna", "Cleo"])
        }
    }

    @Test func nilHasACollationToo() throws {
        try expectExpression(collated == nil, #""name" IS NULL COLLATE NOCASE"#)
        try expectExpression(collated != nil, #""name" IS NOT NULL COLLATE NOCASE"#)
        try expectExpression(collated == ("a" as String?), #""name" = 'a' COLLATE NOCASE"#)
    }

    @Test func lists() throws {
        let list = ["a", "b"]
        try expectExpression(list.contains(collated), #"("name" COLLATE NOCASE) IN ('a', 'b')"#)
        try expectExpression(!list.contains(collated), #"("name" COLLATE NOCASE) NOT IN ('a', 'b')"#)
        try expectExpression(list.contains(name).collating(.nocase), #"("name" COLLATE NOCASE) IN ('a', 'b')"#)
        try expectExpression((!list.contains(name)).collating(.nocase), #"("name" COLLATE NOCASE) NOT IN ('a', 'b')"#)
        try expectExpression([name].contains(collated), #""name" = "name" COLLATE NOCASE"#)
        try expectExpression([name].contains(name).collating(.nocase), #""name" = "name" COLLATE NOCASE"#)
        try expectExpression([String]().contains(collated), "0")
        try expectExpression([String]().contains(name).collating(.nocase), "0 COLLATE NOCASE")
        try expectValues(["ANNA", "bob"].contains(collated), [1, 1, 0, 0])
    }

    @Test func ranges() throws {
        let between = #"("name" COLLATE NOCASE) BETWEEN 'A' AND 'z'"#
        try expectExpression(("A"..."z").contains(collated), between)
        try expectExpression(("A"..."z").contains(name).collating(.nocase), between)
        // The collation is that of both comparisons.
        try expectValues(("b"..."CLEO").contains(collated), [0, 1, 1, 0])
        try expectValues((!("b"..."CLEO").contains(name)).collating(.nocase), [1, 0, 0, 1])
        let conditions = #"("name" >= 'A' COLLATE NOCASE) AND ("name" < 'z' COLLATE NOCASE)"#
        try expectExpression(("A"..<"z").contains(collated), conditions)
        try expectExpression(("A"..<"z").contains(name).collating(.nocase), conditions)
        try expectValues(("B"..<"cleo").contains(collated), [0, 1, 0, 0])
    }

    @Test func compoundConditions() throws {
        try expectExpression(
            collated == "x" && score >= 1, #"("name" = 'x' COLLATE NOCASE) AND ("score" >= 1)"#)
        try expectExpression(
            (name == "x" || !(name > "y")).collating(.nocase),
            #"("name" = 'x' COLLATE NOCASE) OR (NOT ("name" > 'y' COLLATE NOCASE))"#)
    }

    @Test func otherExpressions() throws {
        try expectExpression(
            [name, name].joined(operator: .concat).collating(.nocase), #"("name" || "name") COLLATE NOCASE"#)
        try expectExpression(name.like("a").collating(.nocase), #"("name" LIKE 'a') COLLATE NOCASE"#)
        try expectExpression((name ?? "").collating(.nocase), #"IFNULL("name", '') COLLATE NOCASE"#)
    }

    @Test func orders() throws {
        try expectSQL(
            Player.order { $0.name.collating(.nocase) }, #"SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE"#)
        try expectSQL(
            Player.order { [$0.name.collating(.nocase).desc, $0.name.collating(.rtrim).ascNullsLast] },
            """
            SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE DESC, "name" COLLATE RTRIM ASC NULLS LAST
            """)
    }

    @Test func aliases() throws {
        let player = TableAlias<Player>(name: "p")
        let request = Player.all().aliased(player)
        let where_ = #"SELECT "p".* FROM "player" "p" WHERE "#
        try expectSQL(
            request.filter(player.name.collating(.nocase) == "x"), where_ + #""p"."name" = 'x' COLLATE NOCASE"#)
        try expectSQL(request.filter(player[collated] == "x"), where_ + #""p"."name" = 'x' COLLATE NOCASE"#)
        try expectSQL(
            request.filter(player[name == "x"].collating(.nocase)), where_ + #""p"."name" = 'x' COLLATE NOCASE"#)
    }
}
