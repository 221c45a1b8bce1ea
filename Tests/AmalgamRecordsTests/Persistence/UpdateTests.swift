#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

struct UpdateTests {
    @Test func updatesAllColumnsButTheKey() throws {
        try withClub { db in
            var player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            player.name = "Barbara"
            try expectSQL(db, [#"UPDATE "player" SET "name"='Barbara', "score"=1 WHERE "id"=1"#]) {
                try player.update(db)
            }
            expectEqual(try Player.find(db, key: 1), player)
        }
    }

    /// The SQL has the column names of the table, in whatever case the record writes them.
    @Test func spellsColumnsAsTheTable() throws {
        struct Person: PersistableRecord {
            static let databaseTableName = "persons"
            func encode(to container: inout PersistenceContainer) {
                container["ID"] = 1
                container["naME"] = "Craig"
                container["Age"] = 42
            }
        }
        try withClub { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, age INT)")
            try Person().insert(db)
            try expectSQL(db, [#"UPDATE "persons" SET "name"='Craig', "age"=42 WHERE "id"=1"#]) {
                try Person().update(db)
            }
            try expectSQL(db, [#"UPDATE "persons" SET "age"=42 WHERE "id"=1"#]) {
                try Person().update(db, columns: ["AgE"])
            }
            try expectSQL(db, [#"UPDATE "persons" SET "id"=1 WHERE "id"=1"#]) {
                try Person().update(db, columns: [String]())
            }
        }
    }

    @Test func updatesListedColumns() throws {
        try withClub { db in
            let player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            try expectSQL(db, [#"UPDATE "player" SET "score"=1 WHERE "id"=1"#]) {
                try player.update(db, columns: [Player.Columns.score])
            }
            try expectSQL(db, [#"UPDATE "player" SET "id"=1 WHERE "id"=1"#]) {
                try player.update(db, columns: ["id", "unknown"])
            }
            let country = try Country(isoCode: "FR", name: "France").inserted(db)
            try expectSQL(db, [#"UPDATE "country" SET "isoCode"='FR' WHERE "isoCode"='FR'"#]) {
                try country.update(db, columns: [String]())
            }
        }
    }

    @Test func findsRowsByCompositeKeys() throws {
        try withClub { db in
            let citizenship = Citizenship(playerId: 1, isoCode: "FR", native: true)
            try citizenship.insert(db)
            try expectSQL(
                db, [#"UPDATE "citizenship" SET "native"=1 WHERE "playerId"=1 AND "isoCode"='FR'"#]
            ) { try citizenship.update(db) }
            expectThrows(RecordError.self, #"Key not found in table citizenship: [isoCode:"DE" playerId:1]"#) {
                try Citizenship(playerId: 1, isoCode: "DE", native: true).update(db)
            }
            // NULL is the key of no row.
            try expectSQL(db, []) {
                expectThrows(RecordError.self, "Key not found in table citizenship: [isoCode:NULL playerId:1]") {
                    try Citizenship(playerId: 1, isoCode: nil, native: true).update(db)
                }
            }
        }
    }

    @Test func knowsThatTriggersAreNoUpdates() throws {
        try withClub { db in
            try db.execute(
                sql: """
                    INSERT INTO country VALUES ('FR', 'France'), ('DE', 'Germany');
                    CREATE TRIGGER t AFTER UPDATE ON player BEGIN UPDATE country SET name = name; END;
                    """)
            expectThrows(RecordError.self, "Key not found in table player: [id:1]") {
                try Player(id: 1, name: "Arthur", score: nil).update(db)
            }
            var player = Player(id: 1, name: "Arthur", score: nil)
            try player.save(db)
            try player.save(db)
            expectEqual(try Player.fetchCount(db), 1)
        }
    }

    @Test func followsChangesOfTheSchema() throws {
        try withClub { db in
            let player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            try player.update(db)
            expectEqual(try Player.fetchOne(db, key: 1), player)
            try db.execute(
                sql: """
                    ALTER TABLE player RENAME TO old;
                    CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER);
                    INSERT INTO player SELECT name, id, score FROM old;
                    """)
            try expectSQL(db, [#"UPDATE "player" SET "id"=1, "score"=1 WHERE "name"='Arthur'"#]) {
                try player.update(db)
            }
            expectEqual(try Player.fetchOne(db, key: "Arthur"), player)
        }
    }

    // MARK: Changes

    @Test func updatesChangesOnly() throws {
        try withClub { db in
            var player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            try expectSQL(db, [#"UPDATE "player" SET "score"=2 WHERE "id"=1"#]) {
                let hasChanged = try player.updateChanges(db) { $0.score = 2 }
                #expect(hasChanged)
            }
            try expectSQL(db, []) {
                let hasChanged = try player.updateChanges(db) { $0.score = 2 }
                #expect(!hasChanged)
            }
            let old = player
            player.name = "Barbara"
            player.score = nil
            try expectSQL(db, [#"UPDATE "player" SET "name"='Barbara', "score"=NULL WHERE "id"=1"#]) {
                let hasChanged = try player.updateChanges(db, from: old)
                #expect(hasChanged)
            }
            expectEqual(try Player.find(db, id: 1), player)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Name: StoredRecord {
        static let databaseTableName = "player"
        var id: Int64
        var name: String
    }

    @Test func comparesWithRecordsOfOtherTypes() throws {
        try withClub { db in
            let player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            try expectSQL(db, [#"UPDATE "player" SET "name"='Barbara' WHERE "id"=1"#]) {
                let hasChanged = try Name(id: 1, name: "Barbara").updateChanges(db, from: player)
                #expect(hasChanged)
            }
        }
    }

    @Test func fetchesChanges() throws {
        try withClub { db in
            var player = try Player(id: 1, name: "Arthur", score: 1).inserted(db)
            try expectSQL(db, [#"UPDATE "player" SET "score"=2 WHERE "id"=1 RETURNING *"#]) {
                let changed = try player.updateChangesAndFetch(db) { $0.score = 2 }
                #expect(changed == Player(id: 1, name: "Arthur", score: 2))
            }
            let unchanged = try player.updateChangesAndFetch(db) { $0.score = 2 }
            #expect(unchanged == nil)
            let name = try player.updateChangesAndFetch(db, selection: [Column("name")]) {
                try String.fetchOne($0)
            } modify: {
                $0.score = 3
            }
            #expect(name == "Arthur")
            player.id = 12
            expectThrows(RecordError.self, "Key not found in table player: [id:12]") {
                _ = try player.updateChangesAndFetch(db) { $0.score = 4 }
            }
        }
    }
}
#endif
