#if Macros
import Amalgam
import TestSupport
import Testing

/// Inserts a record into a new table, and fetches it.
func roundTrip<Record: FetchableRecord & MutablePersistableRecord>(
    _ record: Record, columns: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Record {
    try DatabaseQueue().write { db in
        let table = Record.databaseTableName.quotedDatabaseIdentifier
        try db.execute(sql: "CREATE TABLE \(table) (\(columns))")
        var record = record
        try record.insert(db)
        return try #require(try Record.fetchOne(db), sourceLocation: sourceLocation)
    }
}

/// Whether an insertion can't change a record: SQLite doesn't assign its key.
func isPersistable(_ type: Any.Type) -> Bool { type is any PersistableRecord.Type }
#endif
