import Amalgam
import TestSupport
import Testing

@Suite("Updates and deletions of many rows")
struct BatchTests {
    private func sql(_ db: Database, _ body: () throws -> Void) throws -> String? {
        try db.tracing(body).first
    }

    @Test("assignments")
    func assignments() throws {
        try withLeague { db in
            let cases: [(String, (Database) throws -> Int)] = [
                (#"UPDATE "player" SET "score" = 0"#, { try Player.updateAll($0) { $0.score.set(to: 0) } }),
                (
                    #"UPDATE "player" SET "score" = "score" + 1, "name" = 'x'"#,
                    { try Player.updateAll($0) { [$0.score += 1, $0.name.set(to: "x")] } }
                ),
                (
                    #"UPDATE "player" SET "score" = "score" + ("id" * 2)"#,
                    { try Player.updateAll($0) { $0.score += $0.id * 2 } }
                ),
                (#"UPDATE "player" SET "score" = NULL"#, { try Player.updateAll($0) { $0.score.set(to: nil) } }),
                (
                    #"UPDATE OR IGNORE "player" SET "score" = "score" - 1 WHERE "id" = 1"#,
                    { try Player.filter(key: 1).updateAll($0, onConflict: .ignore) { $0.score -= 1 } }
                ),
                (
                    #"UPDATE "player" SET "score" = ("score" * 2) WHERE "id" IN (SELECT "id" FROM "player" ORDER BY "score" DESC LIMIT 1)"#
                        .replacing(#"("score" * 2)"#, with: #""score" * 2"#),
                    { try Player.order(\.score.desc).limit(1).updateAll($0) { $0.score *= 2 } }
                ),
            ]
            for (expected, update) in cases {
                let actual = try sql(db) { _ = try update(db) }
                #expect(actual == expected)
            }
            let none = try Player.updateAll(db, [])
            #expect(none == 0)
        }
    }

    @Test("deletions")
    func deletions() throws {
        try withLeague { db in
            try db.execute(sql: "DELETE FROM award; DELETE FROM citizenship")
            let count = try Player.filter { $0.score < 50 }.deleteAll(db)
            #expect(count == 2)
            let joined = Player.joining(required: Player.team.filter { $0.color == "red" })
            let text = try sql(db) { _ = try joined.deleteAll(db) }
            #expect(
                text == """
                    DELETE FROM "player" WHERE "id" IN (SELECT "player"."id" FROM "player" \
                    JOIN "team" ON ("team"."id" = "player"."teamId") AND ("team"."color" = 'red'))
                    """)
            let left = try Player.select(\.name, as: String.self).fetchAll(db)
            #expect(left == ["Dan"])
        }
    }

    @Test("one row, by its key")
    func byKey() throws {
        try withLeague { db in
            try db.execute(sql: "DELETE FROM award; DELETE FROM citizenship")
            let exists = (try Player.exists(db, key: 1), try Player.exists(db, id: 9))
            #expect(exists == (true, false))
            let deleted = (try Player.deleteOne(db, key: 1), try Player.deleteOne(db, id: 1))
            #expect(deleted == (true, false))
            let count = try Player.deleteAll(db, keys: [2, 3, 9])
            #expect(count == 2)
            let none = try Player.deleteAll(db, ids: [])
            #expect(none == 0)
        }
    }

    @Test("groups of several rows are not changed")
    func groups() throws {
        try withLeague { db in
            let error = #expect(throws: DatabaseError.self) { _ = try Player.all().group(\.teamId).deleteAll(db) }
            #expect(error?.message == "Can't delete query with GROUP BY clause")
            let update = #expect(throws: DatabaseError.self) {
                _ = try Player.all().having(count() > 0).updateAll(db, Column("score").set(to: 0))
            }
            #expect(update?.message == "Can't update query with GROUP BY clause")
        }
    }

    @Test("groups of one row, by the primary key, are changed and deleted")
    func groupsOfOneRow() throws {
        let decorated = Player.having(Player.awards.count >= 2)
        let joined = Player.joining(required: Player.team).groupByPrimaryKey()
        try withLeague { db in
            let update = try sql(db) { _ = try decorated.updateAll(db) { $0.score.set(to: 7) } }
            #expect(
                update == """
                    UPDATE "player" SET "score" = 7 WHERE "id" IN (SELECT "player"."id" FROM "player" \
                    LEFT JOIN "award" ON "award"."playerId" = "player"."id" GROUP BY "player"."id" \
                    HAVING COUNT(DISTINCT "award"."id") >= 2)
                    """)
            let scores = try Int?.fetchAll(db, sql: "SELECT score FROM player ORDER BY id")
            #expect(scores == [7, 20, 30, nil])
            try db.execute(sql: "DELETE FROM award; DELETE FROM citizenship")
            let statement = try joined.deleteAndFetchStatement(db, selection: [name])
            #expect(
                statement.sql == """
                    DELETE FROM "player" WHERE "id" IN (SELECT "player"."id" FROM "player" \
                    JOIN "team" ON "team"."id" = "player"."teamId" GROUP BY "player"."id") RETURNING "name"
                    """)
            let names = try String.fetchAll(statement)
            #expect(names == ["Anna", "Bob", "Cleo"])
        }
    }

    @Test("RETURNING")
    func returning() throws {
        try withLeague { db in
            let statement = try Player.filter(key: 2).updateAndFetchStatement(
                db, assignments: { [$0.score += 1] }, select: { [$0.score] })
            #expect(statement.sql == #"UPDATE "player" SET "score" = "score" + ? WHERE "id" = ? RETURNING "score""#)
            let score = try Int.fetchOne(statement)
            #expect(score == 21)
            let ids = try Player.filter(keys: [2, 4]).deleteAndFetchIds(db)
            #expect(ids == [2, 4])
        }
    }
}
