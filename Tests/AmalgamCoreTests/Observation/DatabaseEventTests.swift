import Amalgam
import TestSupport
import Testing

/// The events of changed rows.
struct DatabaseEventTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    @Test func eventsAndTheirCopiesLiveOn() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    INSERT INTO PLAYER VALUES (12, 'Anna');
                    UPDATE Player SET name = 'Bo';
                    UPDATE player SET id = 13;
                    DELETE FROM player;
                    """)
        }
        #expect(log.events.map(\.kind) == [.insert, .update, .update, .delete])
        #expect(log.events.map(\.kind.rawValue) == [18, 23, 23, 9])
        #expect(log.events.map(\.rowID) == [12, 12, 13, 13])
        #expect(log.events.allSatisfy { $0.tableName == "player" && $0.databaseName == "main" && $0.hasRowID })
        #expect(log.events[0].copy().line == "insert player(12)")
    }

    @Test func schemas() throws {
        let folder = Folder()
        try dbQueue.inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [folder.path("other.sqlite")])
            try db.execute(
                sql: """
                    CREATE TABLE other.player (id INTEGER PRIMARY KEY);
                    CREATE TEMP TABLE notes (id INTEGER PRIMARY KEY);
                    """)
            _ = log.take()
            try db.inTransaction {
                try db.execute(
                    sql: """
                        INSERT INTO player VALUES (1, 'Anna');
                        INSERT INTO other.player VALUES (2);
                        INSERT INTO notes VALUES (3);
                        """)
                return .commit
            }
            #expect(
                log.take() == ["insert player(1)", "insert player(2)", "insert notes(3)", "willCommit", "didCommit"])
            #expect(log.events.map(\.databaseName) == ["main", "other", "temp"])
        }
    }

    @Test func tablesWithoutRowID() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
            let lines = try db.events(logsValues: true) {
                try db.execute(sql: "INSERT INTO country VALUES ('FR', 'France')")
                try db.execute(sql: "UPDATE country SET name = 'République française'")
                try db.execute(sql: "DELETE FROM country WHERE code = 'FR'")
            }
            #expect(
                lines.filter { !$0.hasSuffix("Commit") } == [
                    #"will insert country: ["FR", "France"]"#, "insert country",
                    #"will update country: ["FR", "France"] -> ["FR", "République française"]"#, "update country",
                    #"will delete country: ["FR", "République française"]"#, "delete country",
                ])
        }
        #expect(log.events.suffix(3).allSatisfy { !$0.hasRowID && $0.rowID == 0 })
        #expect(log.preUpdateEvents.suffix(3).allSatisfy { $0.initialRowID == nil && $0.finalRowID == nil })
    }

    @Test func keysOfTablesWithoutRowIDMayChange() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
                    INSERT INTO country VALUES ('FR', 'France'), ('IT', 'Italia');
                    """)
            let lines = try db.events(logsValues: true) {
                try db.execute(sql: "UPDATE country SET code = 'ES' WHERE code = 'FR'")
            }
            #expect(
                lines == [
                    #"will update country: ["FR", "France"] -> ["ES", "France"]"#, "update country",
                    "willCommit", "didCommit",
                ])
        }
    }

    @Test func upserts() throws {
        try dbQueue.inDatabase { db in
            let upsert = "INSERT INTO player VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name"
            try db.execute(sql: upsert, arguments: ["Anna"])
            try db.execute(sql: upsert, arguments: ["Bo"])
            #expect(
                log.take() == [
                    "insert player(1)", "willCommit", "didCommit", "update player(1)", "willCommit", "didCommit",
                ])
            try db.execute(sql: "INSERT OR IGNORE INTO player VALUES (1, 'Cleo')")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func internalTablesAreNotTold() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a)")
            _ = log.take()
            try db.execute(sql: "INSERT INTO counted (a) VALUES (1)")  // and sqlite_sequence
            #expect(log.take() == ["insert counted(1)", "willCommit", "didCommit"])
            try db.execute(sql: "ALTER TABLE counted RENAME TO renamed; ANALYZE; CREATE INDEX i ON renamed(a); REINDEX")
            #expect(Set(log.take()) == ["willCommit", "didCommit"])
            try db.execute(sql: "VACUUM")
            #expect(!log.take().contains { !$0.hasSuffix("Commit") })
        }
    }

    @Test func droppedTablesDoNotLendTheirNameToOthers() throws {
        // SQLite may reuse the memory of the first name for the second one.
        try dbQueue.inDatabase { db in
            var names: [String] = []
            for index in 10..<60 {
                let name = "table\(index)"
                try db.execute(sql: "CREATE TABLE \(name) (id INTEGER PRIMARY KEY)")
                try db.execute(sql: "INSERT INTO \(name) VALUES (\(index))")
                try db.execute(sql: "DROP TABLE \(name)")
                names.append("insert \(name)(\(index))")
            }
            #expect(log.take().filter { $0.hasPrefix("insert") } == names)
        }
    }

    @Test func renamedTablesHaveTheirNewName() throws {
        try dbQueue.inDatabase { db in
            let names = ["one1", "two2", "six6", "ten0", "player"]
            var previous = "player"
            for (index, name) in names.enumerated() {
                try db.execute(sql: "INSERT INTO \(previous) VALUES (\(index), '')")
                try db.execute(sql: "ALTER TABLE \(previous) RENAME TO \(name)")
                previous = name
            }
            #expect(
                log.take().filter { $0.hasPrefix("insert") }
                    == ["insert player(0)", "insert one1(1)", "insert two2(2)", "insert six6(3)", "insert ten0(4)"])
        }
    }

    @Test func aTableMayHaveAnyName() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: #"CREATE TABLE "Équipe ""A""" (id INTEGER PRIMARY KEY)"#)
            _ = log.take()
            try db.execute(sql: #"INSERT INTO "Équipe ""A""" VALUES (1)"#)
            #expect(log.take().first == #"insert Équipe "A"(1)"#)
            try db.execute(sql: "CREATE TABLE pragma_notes (id INTEGER PRIMARY KEY)")
            _ = log.take()
            try db.execute(sql: "INSERT INTO pragma_notes VALUES (1)")
            #expect(log.take().first == "insert pragma_notes(1)")
        }
    }
}
