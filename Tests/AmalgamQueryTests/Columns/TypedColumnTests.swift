import Amalgam
import AmalgamQuery
import Foundation
import TestSupport
import Testing

/// Typed columns in the clauses of requests, in assignments, and in rows.
struct TypedColumnTests {
    @Test func names() {
        enum Keys: String, CodingKey { case score = "points" }
        #expect(TypedColumn<Int>("score").name == "score")
        #expect(TypedColumn<Int>(Keys.score).name == "points")
        #expect(TypedColumn.rowID.name == "rowid")
        let untyped: Column = Athlete.Columns.squadID.untyped
        #expect(untyped.name == "squad_id")
    }

    // MARK: Requests

    @Test func keyPaths() throws {
        try withAthletes { db in
            try expectEqual(
                Athlete.order(\.score).select(\.name).expandedSQL(db),
                #"SELECT "name" FROM "athlete" ORDER BY "score""#)
            try expectEqual(
                String.fetchAll(db, Athlete.order(\.score.desc).select(\.name)), ["Anna", "Cleo", "Bob", "Dan"])
            try expectEqual(
                Athlete.select(\.squadID).group(\.squadID).order(\.squadID.ascNullsLast).expandedSQL(db),
                #"SELECT "squad_id" FROM "athlete" GROUP BY "squad_id" ORDER BY "squad_id" ASC NULLS LAST"#)
            try expectEqual(
                Athlete.order { [$0.bonus.descNullsFirst, $0.id.asc] }.select(\.score, as: Int.self).fetchAll(db),
                [20, 5, 30, 100])
        }
    }

    @Test func selections() throws {
        try withAthletes { db in
            try expectQuery(
                db,
                Athlete.select { [$0.name, $0.tags, $0.score.forKey("points"), ($0.score + 1).forKey("next")] }.limit(1)
            ) {
                #"SELECT "name", "tags", "score" AS "points", "score" + 1 AS "next" FROM "athlete" LIMIT 1"#
            } rows: {
                #"Anna|["a"]|100|101"#
            }
            try expectEqual(
                Squad.select(.allColumns(excluding: [Squad.Columns.name])).expandedSQL(db), #"SELECT "id" FROM "squad""#
            )
            try expectEqual(
                Squad.select(.allColumns(excluding: [Squad.Columns.name, Athlete.Columns.score])).expandedSQL(db),
                #"SELECT "id" FROM "squad""#)
            let total = TypedColumn<Int>("total")
            try expectEqual(
                Athlete.select { ($0.score * 2).forKey("total") }.order(total.detached).expandedSQL(db),
                #"SELECT "score" * 2 AS "total" FROM "athlete" ORDER BY "total""#)
        }
    }

    @Test func interpolations() throws {
        try withAthletes { db in
            let columns = Athlete.Columns.self
            let query: SQLRequest<String> = """
                SELECT \(columns.name) FROM athlete WHERE \(columns.score > 20) ORDER BY \(columns.score.desc)
                """
            try expectEqual(
                query.expandedSQL(db), #"SELECT "name" FROM athlete WHERE "score" > 20 ORDER BY "score" DESC"#)
            try expectEqual(query.fetchAll(db), ["Anna", "Cleo"])
        }
    }

    // MARK: Several tables

    @Test func aliases() throws {
        try withAthletes { db in
            let squad = TableAlias<Squad>()
            let request =
                Athlete
                .joining(required: Athlete.squad.aliased(squad))
                .filter { squad.name == "Reds" && $0.squadID == squad.id && $0.score > 20 }
                .order { _ in [squad.name, squad[Squad.Columns.id].desc] }
                .select(\.name)
            try expectEqual(
                request.expandedSQL(db),
                """
                SELECT "athlete"."name" FROM "athlete" JOIN "squad" ON "squad"."id" = "athlete"."squad_id" \
                WHERE ("squad"."name" = 'Reds') AND ("athlete"."squad_id" = "squad"."id") AND ("athlete"."score" > 20) \
                ORDER BY "squad"."name", "squad"."id" DESC
                """)
            try expectEqual(String.fetchAll(db, request), ["Anna"])
        }
    }

    @Test func correlatedSubqueries() throws {
        try withAthletes { db in
            let outer = TableAlias<Athlete>()
            let better = Athlete.filter { $0.squadID == outer.squadID && $0.score > outer.score }
            let request = Athlete.aliased(outer).filter(!better.exists()).select(\.name)
            try expectEqual(String.fetchAll(db, request), ["Anna", "Cleo", "Dan"])
        }
    }

    @Test func associationAggregates() throws {
        try withAthletes { db in
            let request = Squad.annotated(
                with: Squad.athletes.max(\.score), Squad.athletes.average { $0.rate }, Squad.athletes.sum { $0.bonus },
                Squad.athletes.total(\.score), Squad.athletes.min(\.name))
            let row = try Row.fetchOne(db, request.orderByPrimaryKey())
            #expect(row?["maxAthleteScore"] == 100)
            #expect(row?["averageAthleteRate"] == 2.0)
            #expect(row?["athleteBonusSum"] == 5)
            #expect(row?["minAthleteName"] == "Anna")
        }
    }

    // MARK: Assignments

    @Test func assignments() throws {
        try expectUpdate([1, 1, 1, 1], Athlete.Columns.score, #""score" = 1"#) { [$0.score.set(to: 1)] }
        try expectUpdate([nil, nil, nil, nil], Athlete.Columns.bonus, #""bonus" = NULL"#) { [$0.bonus.set(to: nil)] }
        try expectUpdate([7, 7, 7, 7], Athlete.Columns.bonus, #""bonus" = 7"#) { [$0.bonus.set(to: 7)] }
        try expectUpdate([100, 20, 30, 5], Athlete.Columns.bonus, #""bonus" = "score""#) {
            [$0.bonus.set(to: $0.score)]
        }
        try expectUpdate([100, 20, 30, 5], Athlete.Columns.score, #""score" = "score""#) {
            [$0.score.set(to: $0.score)]
        }
        try expectUpdate([201, 41, 61, 11], Athlete.Columns.score, #""score" = ("score" * 2) + 1"#) {
            [$0.score.set(to: $0.score * 2 + 1)]
        }
        try expectUpdate(["blue", "blue", "blue", "blue"], Athlete.Columns.jersey, #""jersey" = 'blue'"#) {
            [$0.jersey.set(to: .blue)]
        }
        try expectUpdate([101, 21, 31, 6], Athlete.Columns.score, #""score" = "score" + 1, "name" = 'x'"#) {
            [$0.score += 1, $0.name.set(to: "x")]
        }
    }

    @Test func assignmentOperators() throws {
        try expectUpdate([105, nil, 60, nil], Athlete.Columns.bonus, #""bonus" = "bonus" + "score""#) {
            [$0.bonus += $0.score]
        }
        try expectUpdate([105, 20, 60, 5], Athlete.Columns.score, #""score" = "score" + IFNULL("bonus", 0)"#) {
            [$0.score += $0.bonus ?? 0]
        }
        try expectUpdate([99, 19, 29, 4], Athlete.Columns.score, #""score" = "score" - 1"#) { [$0.score -= 1] }
        try expectUpdate([0, 0, 0, 0], Athlete.Columns.score, #""score" = "score" - "score""#) {
            [$0.score -= $0.score]
        }
        try expectUpdate([200, 40, 60, 10], Athlete.Columns.score, #""score" = "score" * 2"#) { [$0.score *= 2] }
        try expectUpdate([100, 40, 90, 20], Athlete.Columns.score, #""score" = "score" * "id""#) { [$0.score *= $0.id] }
        try expectUpdate([50, 10, 15, 2], Athlete.Columns.score, #""score" = "score" / 2"#) { [$0.score /= 2] }
        try expectUpdate([100, 10, 10, 1], Athlete.Columns.score, #""score" = "score" / "id""#) { [$0.score /= $0.id] }
        try expectUpdate([4, 4, 4, 4], Athlete.Columns.score, #""score" = "score" & 4"#) { [$0.score &= 4] }
        try expectUpdate([0, 0, 2, 4], Athlete.Columns.score, #""score" = "score" & "id""#) { [$0.score &= $0.id] }
        try expectUpdate([101, 21, 31, 5], Athlete.Columns.score, #""score" = "score" | 1"#) { [$0.score |= 1] }
        try expectUpdate([101, 22, 31, 5], Athlete.Columns.score, #""score" = "score" | "id""#) { [$0.score |= $0.id] }
        try expectUpdate([200, 40, 60, 10], Athlete.Columns.score, #""score" = "score" << 1"#) { [$0.score <<= 1] }
        try expectUpdate([50, 10, 15, 2], Athlete.Columns.score, #""score" = "score" >> 1"#) { [$0.score >>= 1] }
    }

    // MARK: Rows

    @Test func rowsReturnTypedValues() throws {
        try withAthletes { db in
            let row = try #require(try Row.fetchOne(db, Athlete.filter { $0.id == 1 }))
            let score = row[Athlete.Columns.score]
            let birthday = row[Athlete.Columns.birthday]
            let jersey = row[Athlete.Columns.jersey]
            #expect(type(of: score) == Int.self && score == 100)
            #expect(type(of: birthday) == Date?.self && birthday == Date(timeIntervalSince1970: 946_684_800))
            #expect(jersey == .red)
            let decoded = try row.decode(forColumn: Athlete.Columns.name)
            let decodedJersey = try row.decode(forColumn: Athlete.Columns.jersey)
            #expect(decoded == "Anna" && decodedJersey == .red)
            let name: String? = row.coalesce([Athlete.Columns.nickname, Athlete.Columns.name])
            #expect(name == "Ann")
            let size = try row.withUnsafeData(at: Athlete.Columns.name) { $0?.count }
            #expect(size == 4)
        }
    }

    /// The column `joined` stores dates as seconds.
    @Test func rowsReturnValuesOfStoredFormats() throws {
        try withAthletes { db in
            let row = try #require(try Row.fetchOne(db, Athlete.filter { $0.id == 1 }))
            #expect(row[Athlete.Columns.joined] == Date(timeIntervalSince1970: 60))
            let decoded = try row.decode(forColumn: Athlete.Columns.joined)
            #expect(decoded == Date(timeIntervalSince1970: 60))
            let text = try #require(try Row.fetchOne(db, sql: "SELECT 'x' AS joined"))
            #expect(throws: RowDecodingError.self) { try text.decode(forColumn: Athlete.Columns.joined) }
            let other = try #require(try Row.fetchOne(db, sql: "SELECT 'x' AS jersey"))
            #expect(throws: RowDecodingError.self) { try other.decode(forColumn: Athlete.Columns.joined) }
        }
    }

    @Test func rowsWithoutTheColumn() throws {
        try withAthletes { db in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT 'x' AS jersey"))
            #expect(row[Athlete.Columns.bonus] == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(forColumn: Athlete.Columns.score) }
            #expect(throws: RowDecodingError.self) { try row.decode(forColumn: Athlete.Columns.jersey) }
        }
    }

    // MARK: Schemas

    @Test func expressionsOfSchemas() throws {
        try withAthletes { db in
            try db.create(
                index: "byScore", on: "athlete",
                expressions: [Athlete.Columns.score, Athlete.Columns.name.collating(.nocase)],
                condition: Athlete.Columns.isActive)
            try db.create(table: "match") { t in
                let (points, bonus) = (TypedColumn<Int>("points"), TypedColumn<Int?>("bonus"))
                t.column("points", .integer)
                t.column("bonus", .integer)
                t.column("total", .integer).generatedAs(points + bonus)
                t.check(points > 0 && bonus != 0)
                t.check(TypedColumn<Bool>("points"))
            }
            let sql = try String.fetchAll(
                db,
                sql: "SELECT sql FROM sqlite_master WHERE name IN ('byScore', 'match') ORDER BY rootpage DESC LIMIT 2")
            #expect(
                sql.sorted() == [
                    """
                    CREATE INDEX "byScore" ON "athlete"("score", "name" COLLATE NOCASE) WHERE "isActive"
                    """,
                    """
                    CREATE TABLE "match" ("points" INTEGER, "bonus" INTEGER, \
                    "total" INTEGER GENERATED ALWAYS AS ("points" + "bonus") VIRTUAL, \
                    CHECK (("points" > 0) AND ("bonus" <> 0)), CHECK ("points"))
                    """,
                ])
        }
    }
}
