internal import AmalgamCore
import CAmalgam
internal import Synchronization

/// Notes when a connection drops or renames tables of the main schema, so that an action doesn't take another table with
/// the same name for the one that it has changed.
///
/// A new table may have the name, the columns and the root page of a dropped table. So after each statement that changes
/// the schema, this object compares the names of the tables with those before. If a rollback restores a dropped table, it
/// also restores the schema version: the end of a table counts as long as the schema isn't older.
///
/// Like its connection, the object is used by one thread at a time.
final class TableLifetimes: DatabaseAttachment {
    private static let key = AttachmentKey<TableLifetimes>()
    /// Enough to restore the state after the rollback of several ends in one transaction.
    private static let maximumEndCount = 16

    // Unsafe for speed: the database owns its attachments.
    private unowned(unsafe) let database: Database
    private let id = lifetimesCount.wrappingAdd(1, ordering: .relaxed).newValue
    private(set) var endCount = 0
    private var ends: [TableName: [End]] = [:]
    /// The names of the tables after the last change of the schema.
    private(set) var names: Set<TableName> = []

    /// The drop or the renaming of a table.
    private struct End {
        let schemaVersion: Int64
        let number: Int
    }

    private init(_ database: Database) { self.database = database }

    /// Returns the object of a connection, which notes changes of the schema from now on.
    ///
    /// - Throws: an error of reading the schema.
    static func noting(_ db: Database) throws -> TableLifetimes {
        // Makes SQLite compare the schema in memory with the file.
        _ = try db.tableExists("sqlite_master", in: "main")
        let lifetimes = db.attachment(key, orInsert: TableLifetimes(db))
        lifetimes.schemaDidChange()
        return lifetimes
    }

    func schemaDidChange() {
        guard let connection = database.sqliteConnection else { return }
        var current: Set<TableName> = []
        let version = withUnsafeMutablePointer(to: &current) { current in
            amalgam_image_table_names(connection, current) { names, name in
                names!.assumingMemoryBound(to: Set<TableName>.self).pointee.insert(TableName(String(cString: name!)))
            }
        }
        guard version >= 0 else { return }
        for (name, known) in ends {
            let remaining = known.filter {
                $0.schemaVersion < version || ($0.schemaVersion == version && !current.contains(name))
            }
            ends[name] = remaining.isEmpty ? nil : remaining
        }
        for name in names.subtracting(current) {
            endCount += 1
            ends[name, default: []].append(End(schemaVersion: version, number: endCount))
            if ends[name]!.count > Self.maximumEndCount { ends[name]!.removeFirst() }
        }
        names = current
    }

    /// Returns the lifetime of the table that now has a name.
    func lifetime(of name: String) -> TableLifetime {
        TableLifetime(connectionID: id, endNumber: ends[TableName(name)]?.last?.number ?? 0)
    }

    /// Whether the table that had a name during a lifetime was dropped or renamed on this connection.
    func isOver(_ lifetime: TableLifetime, of name: String) -> Bool {
        lifetime.connectionID == id && lifetime != self.lifetime(of: name)
    }
}

/// The time between two ends of tables with the same name, as a connection knows it.
struct TableLifetime: Sendable, Equatable {
    fileprivate let connectionID: Int
    /// The number of the last end before the table; 0 if there was none.
    let endNumber: Int
}

private let lifetimesCount = Atomic<Int>(0)
