#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

struct InsertTests {
    @Test func insertsAllEncodedColumns() throws {
        try withClub { db in
            var player = Player(id: nil, name: "Arthur", score: 10)
            try expectSQL(db, [#"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',10)"#]) {
                try player.insert(db)
            }
            #expect(player.id == 1)
            let inserted = try Player(id: nil, name: "Barbara", score: nil).inserted(db)
            #expect(inserted == Player(id: 2, name: "Barbara", score: nil))
            expectEqual(try Player.fetchAll(db), [player, inserted])
        }
    }

    @Test func insertsRecordsThatDoNotChange() throws {
        try withClub { db in
            let country = Country(isoCode: "FR", name: "France")
            try expectSQL(db, [#"INSERT INTO "country" ("isoCode", "name") VALUES ('FR','France')"#]) {
                try country.insert(db)
            }
            expectEqual(try country.inserted(db, onConflict: .ignore), country)
            expectEqual(try Country.fetchAll(db), [country])
        }
    }

    @Test(
        arguments: [
            (.rollback, " OR ROLLBACK"), (.abort, " OR ABORT"), (.fail, " OR FAIL"), (.ignore, " OR IGNORE"),
            (.replace, " OR REPLACE"),
        ] as [(Database.ConflictResolution, String)])
    func resolvesConflicts(conflictResolution: Database.ConflictResolution, clause: String) throws {
        try withClub { db in
            let country = Country(isoCode: "FR", name: "France")
            try expectSQL(db, [#"INSERT\#(clause) INTO "country" ("isoCode", "name") VALUES ('FR','France')"#]) {
                try country.insert(db, onConflict: conflictResolution)
            }
        }
    }

    /// Without `OR ABORT`, one clause of the table rolls the transaction back, and the other one deletes a row.
    @Test func abortOverridesTheClausesOfTheTable() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (
                        isoCode TEXT NOT NULL PRIMARY KEY ON CONFLICT ROLLBACK, name TEXT UNIQUE ON CONFLICT REPLACE)
                    """)
            let countries = [Country(isoCode: "DE", name: "Germany"), Country(isoCode: "FR", name: "France")]
            for country in countries { try country.insert(db) }
            let other = Country(isoCode: "DE", name: "France")
            #expect(throws: DatabaseError.self) { try other.insert(db, onConflict: .abort) }
            #expect(throws: DatabaseError.self) { try other.update(db, onConflict: .abort) }
            #expect(throws: DatabaseError.self) { try other.save(db, onConflict: .abort) }
            #expect(db.isInsideTransaction)
            expectEqual(try Country.order(Column("isoCode")).fetchAll(db), countries)
            // Without the argument, the clause of the table applies.
            try other.update(db)
            expectEqual(try Country.fetchAll(db), [other])
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct PolicyCountry: StoredRecord {
        static let databaseTableName = "country"
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .ignore)
        var isoCode: String
        var name: String
    }

    @Test func usesThePolicyOfTheRecord() throws {
        try withClub { db in
            try PolicyCountry(isoCode: "FR", name: "Frankreich").insert(db)
            try expectSQL(db, [#"INSERT OR REPLACE INTO "country" ("isoCode", "name") VALUES ('FR','France')"#]) {
                try PolicyCountry(isoCode: "FR", name: "France").insert(db)
            }
            try expectSQL(db, [#"UPDATE OR IGNORE "country" SET "name"='Gaul' WHERE "isoCode"='FR'"#]) {
                try PolicyCountry(isoCode: "FR", name: "Gaul").update(db)
            }
            try expectSQL(db, [#"UPDATE OR IGNORE "country" SET "name" = 'X'"#]) {
                try PolicyCountry.updateAll(db, Column("name").set(to: "X"))
            }
        }
    }

    @Test func throwsErrorsOfConstraintsAndGoesOn() throws {
        try withClub { db in
            var player = Player(id: 1, name: "Arthur", score: nil)
            try player.insert(db)
            var other = Player(id: 1, name: "Barbara", score: nil)
            let error = #expect(throws: DatabaseError.self) { try other.insert(db) }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            #expect(error?.sql == #"INSERT INTO "player" ("id", "name", "score") VALUES (?,?,?)"#)
            other.id = nil
            try other.insert(db)
            #expect(other.id == 2)
        }
    }

    @Test func tellsWhatWasInserted() throws {
        final class Box { var inserted: InsertionSuccess? }
        struct Entry: MutablePersistableRecord {
            static let databaseTableName = "player"
            let box: Box
            func encode(to container: inout PersistenceContainer) {
                container["ID"] = nil
                container["name"] = "Arthur"
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { box.inserted = inserted }
        }
        try withClub { db in
            var entry = Entry(box: Box())
            try entry.insert(db)
            let inserted = try #require(entry.box.inserted)
            #expect(inserted.rowID == 1)
            #expect(inserted.rowIDColumn == "id")
            #expect(inserted.persistenceContainer.map(\.0) == ["ID", "name"])
            #expect(inserted.persistenceContainer.map(\.1) == [1.databaseValue, "Arthur".databaseValue])
        }
    }

    @Test func refusesRecordsWithoutColumns() throws {
        struct Nothing: PersistableRecord {
            static let databaseTableName = "player"
            func encode(to container: inout PersistenceContainer) {}
        }
        try withClub { db in
            expectDatabaseError(.SQLITE_MISUSE, "Nothing: invalid empty persistence container") {
                try Nothing().insert(db)
            }
        }
    }

    @Test func toleratesColumnsThatComeAndGo() throws {
        struct Entry: PersistableRecord {
            static let databaseTableName = "player"
            var columns: [(String, Int)]
            func encode(to container: inout PersistenceContainer) {
                for (column, value) in columns { container[column] = value }
            }
        }
        try withClub { db in
            try expectSQL(
                db,
                [
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (1,2,3)"#,
                    #"INSERT INTO "player" ("name", "score") VALUES (4,5)"#,
                    #"INSERT INTO "player" ("id", "name") VALUES (6,7)"#,
                    #"INSERT INTO "player" ("score", "name", "id") VALUES (8,9,10)"#,
                    #"INSERT INTO "player" ("score", "name") VALUES (13,12)"#,
                ]
            ) {
                try Entry(columns: [("id", 1), ("name", 2), ("score", 3)]).insert(db)
                try Entry(columns: [("name", 4), ("score", 5)]).insert(db)
                try Entry(columns: [("id", 6), ("name", 7)]).insert(db)
                try Entry(columns: [("score", 8), ("name", 9), ("id", 10)]).insert(db)
                try Entry(columns: [("score", 11), ("name", 12), ("SCORE", 13)]).insert(db)
            }
        }
    }
}
#endif
