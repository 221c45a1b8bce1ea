import Amalgam

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
    migrator.registerMigration("v2 done") { db in
        try db.alter(table: "note") { t in
            t.add(column: "isDone", .boolean).notNull().defaults(to: false)
        }
    }
    return migrator
}()
// end
