#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

struct UpsertTests {
    #if MACRO_RECORDS
    @Record
    #endif
    struct Word: StoredRecord, Equatable {
        static let databaseTableName = "vocabulary"
        static var databaseSelection: [any SQLSelectable] { [.allColumns] }
        var word: String
        var kind: String
        var isTainted: Bool
        var count: Int?
    }

    private func withVocabulary(_ test: (Database) throws -> Void) throws {
        try withClub { db in
            try db.execute(
                sql: """
                    CREATE TABLE vocabulary (word TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL,
                        isTainted BOOLEAN DEFAULT 0, count INT DEFAULT 1);
                    INSERT INTO vocabulary VALUES ('jovial', 'adjective', 1, 1);
                    """)
            try test(db)
        }
    }

    @Test func overwritesAllColumnsButTheKey() throws {
        try withClub { db in
            let sql = #"""
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',1000) \#
                ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score" RETURNING "rowid"
                """#
            for _ in 1...2 {
                var player = Player(id: nil, name: "Arthur", score: 1000)
                try expectSQL(db, [sql]) { try player.upsert(db) }
                #expect(player.id == 1)
            }
        }
    }

    @Test func returnsTheRow() throws {
        try withClub { db in
            let sql = #"""
                INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',1000) \#
                ON CONFLICT DO UPDATE SET "name" = "excluded"."name", "score" = "excluded"."score" RETURNING *, "rowid"
                """#
            var player = Player(id: nil, name: "Arthur", score: 1000)
            try expectSQL(db, [sql, sql]) {
                expectEqual(try player.upsertAndFetch(db), Player(id: 1, name: "Arthur", score: 1000))
                player.id = nil
                expectEqual(try player.upsertAndFetch(db, as: Player.self), Player(id: 1, name: "Arthur", score: 1000))
            }
        }
    }

    @Test func assignsColumns() throws {
        try withVocabulary { db in
            let word = Word(word: "jovial", kind: "ignored", isTainted: false, count: nil)
            let insert = #"""
                INSERT INTO "vocabulary" ("word", "kind", "isTainted", "count") VALUES ('jovial','ignored',0,NULL) \#
                ON CONFLICT("word") DO UPDATE SET
                """#
            let returning = #"RETURNING *, "rowid""#
            try expectSQL(
                db, [#"\#(insert) "count" = "count" + 1, "kind" = "excluded"."kind" \#(returning)"#]
            ) {
                let upserted = try word.upsertAndFetch(
                    db, onConflict: ["word"],
                    doUpdate: { _ in [Column("count") += 1, Column("isTainted").noOverwrite] })
                #expect(upserted == Word(word: "jovial", kind: "ignored", isTainted: true, count: 2))
            }
            try expectSQL(db, [#"\#(insert) "word" = "word" \#(returning)"#]) {
                _ = try word.upsertAndFetch(
                    db, onConflict: ["word"],
                    doUpdate: { _ in ["count", "isTainted", "kind"].map { Column($0).noOverwrite } })
            }
            try expectSQL(db, [#"\#(insert) "count" = "count" + 2 \#(returning)"#]) {
                _ = try word.upsertAndFetch(
                    db, onConflict: ["word"], updating: .noColumnUnlessSpecified,
                    doUpdate: { _ in [Column("count") += 2] })
            }
            try expectSQL(db, [#"\#(insert) "word" = "word" \#(returning)"#]) {
                _ = try word.upsertAndFetch(db, onConflict: ["word"], updating: .noColumnUnlessSpecified)
            }
            try expectSQL(
                db,
                [
                    #"""
                    \#(insert) "kind" = "excluded"."kind", "count" = MAX("count", "excluded"."count"), \#
                    "isTainted" = "excluded"."isTainted" \#(returning)
                    """#
                ]
            ) {
                _ = try word.upsertAndFetch(
                    db, onConflict: ["word"],
                    doUpdate: { excluded in
                        [
                            Column("kind").set(to: excluded[Column("kind")]),
                            Column("count").set(to: max(Column("count"), excluded["count"])),
                        ]
                    })
            }
        }
    }

    @Test func failsOnTwoRowsInTheWay() throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 1), (2, 'Barbara', 2)")
            var player = Player(id: 1, name: "Barbara", score: 3)
            let error = #expect(throws: DatabaseError.self) { try player.upsert(db) }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            #expect(error?.message == "UNIQUE constraint failed: player.name")
            #expect(
                error?.sql == #"""
                    INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?) ON CONFLICT DO UPDATE SET \#
                    "name" = "excluded"."name", "score" = "excluded"."score" RETURNING "rowid"
                    """#)
        }
    }

    /// If a trigger inserts other rows, the record receives the rowid of the row that it inserted.
    @Test func knowsItsRowAmongThoseOfTriggers() throws {
        try withClub { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE playerText USING fts5(name);
                    CREATE TRIGGER t AFTER INSERT ON player BEGIN
                        INSERT INTO playerText (rowid, name) VALUES (new.id + 100, new.name);
                    END;
                    """)
            for id in 1...3 as ClosedRange<Int64> {
                var player = Player(id: nil, name: "Player \(id)", score: 1)
                try player.upsert(db)
                #expect(player.id == id)
            }
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM playerText"), 3)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Setting: StoredRecord, Equatable {
        var name: String
        var value: Int
    }

    @Test func servesTablesWithoutRowID() throws {
        try withClub { db in
            try db.execute(sql: "CREATE TABLE setting (name TEXT PRIMARY KEY, value INT) WITHOUT ROWID")
            try Setting(name: "a", value: 1).upsert(db)
            expectEqual(try Setting(name: "a", value: 2).upsertAndFetch(db), Setting(name: "a", value: 2))
            expectEqual(try Setting.fetchAll(db), [Setting(name: "a", value: 2)])
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Odd: MutableStoredRecord {
        static var databaseSelection: [any SQLSelectable] { [.allColumns] }
        var id: Int64?
        var rowid: String
        var value: Int

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    @Test func aColumnCalledRowidIsNotTheRowID() throws {
        try withClub { db in
            try db.execute(
                sql: """
                    CREATE TABLE odd (id INTEGER PRIMARY KEY, rowid TEXT UNIQUE, value INTEGER);
                    INSERT INTO odd VALUES (3, 'seven', 1);
                    """)
            let sql = #"""
                INSERT INTO "odd" ("id", "rowid", "value") VALUES (NULL,'seven',2) \#
                ON CONFLICT("rowid") DO UPDATE SET "value" = "excluded"."value" RETURNING *, "_rowid_"
                """#
            var odd = Odd(id: nil, rowid: "seven", value: 2)
            try expectSQL(db, [sql]) {
                let fetched = try odd.upsertAndFetch(db, onConflict: ["rowid"])
                #expect(fetched.value == 2)
            }
            #expect(odd.id == 3)
            var new = Odd(id: nil, rowid: "eight", value: 3)
            try new.upsert(db)
            #expect(new.id == 4)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Taken: StoredRecord, Equatable {
        var code: String
        var rowid: Int
        var _rowid_: Int
        var oid: Int
    }

    @Test func aTableWhoseColumnsHideTheRowID() throws {
        try withClub { db in
            try db.execute(sql: "CREATE TABLE taken (code TEXT PRIMARY KEY, rowid INT, _rowid_ INT, oid INT)")
            for value in 1...2 {
                let taken = Taken(code: "a", rowid: value, _rowid_: value, oid: value)
                expectEqual(try taken.upsertAndFetch(db), taken)
            }
            expectEqual(try Taken.fetchCount(db), 1)
        }
    }
}
#endif
