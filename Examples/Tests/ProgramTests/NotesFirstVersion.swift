import Amalgam

// The first version of the program `notes`, which the article about it has after its second step.

// guide: migrator
/// The schema, in the order in which it was made. A released migration never changes.
let migrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("v1 folders and notes") { db in
        try db.create(table: "folder") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull().unique().collate(.nocase)
        }
        try db.create(table: "note") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("folder", onDelete: .cascade).notNull()
            t.column("text", .text).notNull()
        }
    }
    return migrator
}()
// end

// guide: records
struct Folder: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    static let notes = hasMany(Note.self)

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Note: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var folderId: Int64
    var text: String

    enum Columns {
        static let id = Column(CodingKeys.id)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
// end
