#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

struct SaveTests {
    @Test func insertsWithoutKey() throws {
        try withClub { db in
            var player = Player(id: nil, name: "Arthur", score: 1)
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',1)"#]) {
                try player.save(db)
            }
            #expect(player.id == 1)
            let saved = try Player(id: nil, name: "Barbara", score: 1).saved(db)
            #expect(saved.id == 2)
        }
    }

    @Test func updatesOrInserts() throws {
        try withClub { db in
            let country = Country(isoCode: "FR", name: "France")
            let update = #"UPDATE "country" SET "name"='France' WHERE "isoCode"='FR'"#
            try expectSQL(db, [update, #"INSERT INTO "country" ("isoCode", "name") VALUES ('FR','France')"#]) {
                try country.save(db)
            }
            try expectSQL(db, [update]) { try country.save(db) }
            try expectSQL(db, [#"UPDATE OR IGNORE "country" SET "name"='France' WHERE "isoCode"='FR'"#]) {
                try country.save(db, onConflict: .ignore)
            }
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Log: StoredRecord { var text: String }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct NumberedLog: StoredRecord {
        static let databaseTableName = "log"
        static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }
        var rowid: Int64
        var text: String
    }

    /// A record without a property for its rowid is always inserted.
    @Test func insertsRecordsWithAHiddenKey() throws {
        try withClub { db in
            try db.execute(sql: "CREATE TABLE log (text TEXT)")
            try Log(text: "a").save(db)
            try Log(text: "a").save(db)
            expectEqual(try Log(text: "a").exists(db), false)
            var log = try NumberedLog.find(db, key: 2)
            log.text = "b"
            try expectSQL(db, [#"UPDATE "log" SET "text"='b' WHERE "rowid"=2"#]) { try log.save(db) }
            try expectSQL(db, [#"DELETE FROM "log" WHERE "rowid"=2"#]) { try log.delete(db) }
            expectEqual(try String.fetchAll(db, sql: "SELECT text FROM log"), ["a"])
        }
    }

    @Test func deletesAndLooksForRows() throws {
        try withClub { db in
            let player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            try expectSQL(db, [#"SELECT EXISTS (SELECT 1 FROM "player" WHERE "id"=1)"#]) {
                let exists = try player.exists(db)
                #expect(exists)
            }
            try expectSQL(db, [#"DELETE FROM "player" WHERE "id"=1"#]) {
                let deleted = try player.delete(db)
                #expect(deleted)
            }
            expectEqual(try player.exists(db), false)
            expectEqual(try player.delete(db), false)
            try expectSQL(db, []) {
                let unknown = Player(id: nil, name: "Arthur", score: 1)
                expectEqual(try unknown.exists(db), false)
                expectEqual(try unknown.delete(db), false)
            }
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Missing: StoredRecord { var id: Int }

    @Test func refusesTablesThatAreNotThere() throws {
        try withClub { db in
            expectDatabaseError(.SQLITE_ERROR, "no such table: missing") { try Missing(id: 1).update(db) }
            expectDatabaseError(.SQLITE_ERROR, "no such table: missing") { try Missing(id: 1).insert(db) }
        }
    }
}
#endif
