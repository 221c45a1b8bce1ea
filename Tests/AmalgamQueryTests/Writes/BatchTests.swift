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

    /// Found by the simulation: without `OR ABORT`, the clause of the table rolls the transaction back.
    @Test("ABORT overrides the ON CONFLICT clause of the table")
    func abortOverridesTheClauseOfTheTable() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE item (name UNIQUE ON CONFLICT ROLLBACK);
                    INSERT INTO item VALUES ('a'), ('b');
                    """)
            let text = try sql(db) {
                _ = try? Table("item").updateAll(db, onConflict: .abort, Column("name").set(to: "c"))
            }
            #expect(text == #"UPDATE OR ABORT "item" SET "name" = 'c'"#)
            #expect(db.isInsideTransaction)
            #expect(try String.fetchAll(db, sql: "SELECT name FROM item") == ["a", "b"])
        }
        // Without the argument, the clause of the table applies.
        #expect(throws: DatabaseError.self) {
            try queue.write { db in try Table("item").updateAll(db, Column("name").set(to: "c")) }
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

    @Test("groups of one row, in every kind of table")
    func groupsInEveryTable() throws {
        let tables = [
            ("passport", "(code, citizen, PRIMARY KEY (code, citizen))", "\"rowid\"", "\"rowid\""),
            (
                "permit", "(code, citizen, PRIMARY KEY (code, citizen)) WITHOUT ROWID", "(\"code\", \"citizen\")",
                "\"code\", \"citizen\""
            ),
            ("stamp", "(code INTEGER PRIMARY KEY, citizen)", "\"code\"", "\"code\""),
            ("entry", "(code, citizen)", "\"rowid\"", "\"rowid\""),
        ]
        for (name, definition, key, columns) in tables {
            try DatabaseQueue().write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE \(name) \(definition);
                        INSERT INTO \(name) VALUES (1, 2), (3, 4)
                        """)
                let rows = Table(name).all().groupByPrimaryKey()
                let condition = #"WHERE \#(key) IN (SELECT \#(columns) FROM "\#(name)" GROUP BY \#(columns))"#
                let update = try sql(db) { _ = try rows.updateAll(db, Column("citizen") += 1) }
                #expect(update == #"UPDATE "\#(name)" SET "citizen" = "citizen" + 1 \#(condition)"#)
                let statement = try rows.deleteAndFetchStatement(db, selection: [Column("citizen")])
                #expect(statement.sql == #"DELETE FROM "\#(name)" \#(condition) RETURNING "citizen""#)
                let citizens = try Int.fetchSet(statement)
                #expect(citizens == [3, 5])
                let deletion = try sql(db) { _ = try rows.deleteAll(db) }
                #expect(deletion == #"DELETE FROM "\#(name)" \#(condition)"#)
                if name == "permit" { return }
                let byRowID = try sql(db) { _ = try Table(name).all().group(Column.rowID).deleteAll(db) }
                let byKey = condition.replacing("GROUP BY \(columns)", with: "GROUP BY \"rowid\"")
                #expect(byRowID == #"DELETE FROM "\#(name)" \#(byKey)"#)
            }
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
