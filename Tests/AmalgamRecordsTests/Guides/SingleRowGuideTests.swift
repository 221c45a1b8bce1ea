#if Macros || !MACRO_RECORDS
import Amalgam
import Testing

/// The settings of an application: one row, or none.
#if MACRO_RECORDS
@Record
#endif
private struct Settings: StoredRecord {
    private var id = 1
    private var storedVolume: Int?

    static let `default` = Settings(storedVolume: nil)

    var volume: Int {
        get { storedVolume ?? 5 }
        set { storedVolume = newValue }
    }

    mutating func resetVolume() { storedVolume = nil }

    func willUpdate(_ db: Database, columns: Set<String>) throws {
        if try !exists(db) { try Settings.default.insert(db) }
    }

    static func find(_ db: Database) throws -> Settings { try fetchOne(db) ?? .default }
}

@Suite("Guide: a table of one row")
struct SingleRowGuideTests {
    private func withSettings(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.create(table: "settings") { t in
                t.primaryKey("id", .integer, onConflict: .replace).check { $0 == 1 }
                t.column("storedVolume", .integer)
            }
            try test(db)
        }
    }

    @Test("the schema keeps it so")
    func theSchema() throws {
        try withSettings { db in
            let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master")
            #expect(
                sql == """
                    CREATE TABLE "settings" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE CHECK ("id" = 1), \
                    "storedVolume" INTEGER)
                    """)
            expectDatabaseError(.SQLITE_CONSTRAINT, "CHECK constraint failed: id") {
                try db.execute(sql: "INSERT INTO settings VALUES (2, 3)")
            }
        }
    }

    @Test("an empty table has the default values")
    func defaults() throws {
        try withSettings { db in
            let volume = try Settings.find(db).volume
            #expect(volume == 5)
            let count = try Settings.fetchCount(db)
            #expect(count == 0)
        }
    }

    @Test("changes insert the row that is not there")
    func changes() throws {
        try withSettings { db in
            var settings = try Settings.find(db)
            try settings.updateChanges(db) { $0.volume = 7 }
            let volume = try Settings.find(db).volume
            #expect(volume == 7)
            try settings.updateChanges(db) { $0.resetVolume() }
            let reset = try Settings.find(db).volume
            #expect(reset == 5)
        }
    }

    @Test("all ways to save it are the same", arguments: ["save", "update", "insert", "upsert"], [false, true])
    func saves(_ way: String, _ isThere: Bool) throws {
        try withSettings { db in
            if isThere { try Settings.default.insert(db) }
            var settings = try Settings.find(db)
            settings.volume = 9
            switch way {
            case "save": try settings.save(db)
            case "update": try settings.update(db)
            case "insert": try settings.insert(db)
            default: try settings.upsert(db)
            }
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM settings")
            #expect(rows == [["id": 1, "storedVolume": 9]])
        }
    }
}
#endif
