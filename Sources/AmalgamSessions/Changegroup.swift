public import AmalgamCore
import CAmalgam

/// Combines several changesets, or several patchsets, into one: <https://sqlite.org/session/changegroup.html>.
///
/// ```swift
/// let group = try Changegroup<Changeset>()
/// for day in days { try group.add(day) }
/// let week = try group.changes()
/// ```
///
/// Changes of the same row are combined, in the order in which they were added:
///
/// | first  | then   | result                                         |
/// | ------ | ------ | ---------------------------------------------- |
/// | INSERT | UPDATE | INSERT of the updated row                      |
/// | INSERT | DELETE | nothing                                        |
/// | UPDATE | UPDATE | UPDATE                                         |
/// | UPDATE | DELETE | DELETE                                         |
/// | DELETE | INSERT | UPDATE, or nothing if the row is unchanged     |
/// | other  |        | the first change; the second one is ignored    |
///
/// A group that was created with ``init(schemaOf:schemaName:)`` uses the schema of a database, and must be used in a
/// database access. It accepts changes that were recorded before columns were added to a table, and completes these
/// changes with the defaults of the new columns. It can also add changes by column names, with
/// ``insert(into:_:isIndirect:)`` for example. A group without a schema throws `SQLITE_MISUSE` for changes by column
/// names.
///
/// The combined changes are stored in memory. If SQLite rejects a change, the content of the group becomes undefined,
/// and all later calls throw `SQLITE_MISUSE`.
public final class Changegroup<Changes: RecordedChanges> {
    // Used by one thread at a time. If `database` isn't nil, the group is only used in accesses to that database.

    private let group: OpaquePointer
    let database: Database?
    let schemaName: String
    private let resource: ConnectionResource?
    private var hasFailed = false
    /// The last table that was found in the schema.
    private var knownTable: RecordedTable?

    /// Creates an empty group without a schema.
    ///
    /// - Throws: `SQLITE_NOMEM`.
    public init() throws {
        group = try Self.makeGroup()
        database = nil
        schemaName = "main"
        resource = nil
    }

    /// Creates an empty group with the schema of a database.
    ///
    /// ```swift
    /// let group = try Changegroup<Changeset>(schemaOf: db)
    /// ```
    ///
    /// - Throws: `SQLITE_ERROR` if the schema doesn't exist; `SQLITE_MISUSE` outside of a database access.
    public init(schemaOf db: Database, schemaName: String = "main") throws {
        try db.checkAccess()
        try checkName(schemaName)
        try db.checkSchemaExists(schemaName)
        group = try Self.makeGroup()
        database = db
        self.schemaName = schemaName
        resource = ConnectionResource(group, in: db.resources) { sqlite3changegroup_delete($0) }
        let code = sqlite3changegroup_schema(group, db.sqliteConnection, schemaName)
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }

    private static func makeGroup() throws -> OpaquePointer {
        var pointer: OpaquePointer?
        let code = sqlite3changegroup_new(&pointer)
        guard code == SQLITE_OK, let pointer else { throw DatabaseError(code: code) }
        var isPatchset: CInt = Changes.isPatchset ? 1 : 0
        sqlite3changegroup_config(pointer, SQLITE_CHANGEGROUP_CONFIG_PATCHSET, &isPatchset)
        return pointer
    }

    deinit {
        if let resource, let database {
            database.destroy(resource)
        } else {
            sqlite3changegroup_delete(group)
        }
    }

    /// Returns the C object. Throws if a change was rejected before, or if the connection can't be used.
    func pointer() throws -> OpaquePointer {
        if hasFailed {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The changegroup is unusable since it has thrown an error.")
        }
        if let resource, let database { return try database.pointer(resource) }
        return group
    }

    /// Adds changes.
    ///
    /// ```swift
    /// try group.add(changeset)
    /// ```
    ///
    /// - Throws: `SQLITE_SCHEMA` if a table has a different number of columns, or a different primary key, than in
    ///   earlier changes or in the schema of the group.
    public func add(_ changes: Changes) throws {
        try add(ChangeReader(changes.bytes)) { _ in true }
    }

    /// Adds the changes that a closure accepts.
    ///
    /// ```swift
    /// try group.add(changeset) { $0.tableName == "player" }
    /// ```
    ///
    /// - Throws: an error of ``add(_:)``; the error of the closure. If the closure throws, the group contains the
    ///   changes that were added before the error, and remains usable.
    public func add(_ changes: Changes, where isIncluded: (RecordedChange) throws -> Bool) throws {
        try add(ChangeReader(changes.bytes)) { try isIncluded($0.change()) }
    }

    /// Adds the changes of an input, which is read in chunks.
    ///
    /// ```swift
    /// try group.add(from: .file(url))
    /// ```
    ///
    /// After an error, the group contains the changes that were read before the error.
    ///
    /// - Throws: the error of the input; `SQLITE_CORRUPT` if the bytes aren't a changeset; `SQLITE_MISMATCH` if a group
    ///   of patchsets reads a changeset, or the reverse; `SQLITE_SCHEMA` in the cases of ``add(_:)``.
    public func add(from input: ChangesetInput) throws {
        try add(ChangeReader(input)) { _ in true }
    }

    /// Adds the changes that a closure accepts, one at a time, after a check that the schema of the group contains the
    /// changed table. `sqlite3changegroup_add`, which adds all changes at once, crashes if the schema lacks a table.
    private func add(_ reader: ChangeReader, where isIncluded: (ChangeReader) throws -> Bool) throws {
        let group = try pointer()
        while try reader.step() {
            try reader.checkKind(isPatchset: Changes.isPatchset)
            guard try isIncluded(reader) else { continue }
            try checkTable(reader.table())
            try check(sqlite3changegroup_add_change(group, reader.sqliteIterator))
        }
    }

    private func checkTable(_ table: RecordedTable) throws {
        guard let database, table !== knownTable else { return }
        if try RecordedTable.columnNames(database, of: table.name, schemaName: schemaName).columns.isEmpty {
            throw DatabaseError(resultCode: .SQLITE_SCHEMA, message: "no such table: \(schemaName).\(table.name)")
        }
        knownTable = table
    }

    /// Returns the combined changes.
    ///
    /// ```swift
    /// let changeset = try group.changes()
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if a change was rejected; an error of SQLite.
    public func changes() throws -> Changes {
        let group = try pointer()
        return try Changes(
            bytes: ChangesetBytes { count, bytes in
                let code = sqlite3changegroup_output(group, count, bytes)
                if code != SQLITE_OK { throw DatabaseError(code: code) }
            })
    }

    /// Writes the combined changes in chunks.
    ///
    /// ```swift
    /// try group.write(to: .file(url))
    /// ```
    ///
    /// - Throws: the error of the output, or an error of SQLite.
    public func write(to output: ChangesetOutput) throws {
        let group = try pointer()
        try output.write(onFailure: { DatabaseError(code: $0) }) { sqlite3changegroup_output_strm(group, $0, $1) }
    }

    private func check(_ code: CInt) throws {
        guard code != SQLITE_OK else { return }
        hasFailed = true
        switch ResultCode(rawValue: code).primaryResultCode {
        case .SQLITE_SCHEMA:
            throw DatabaseError(
                code: code, message: "a table has other columns, or another primary key, than the changegroup expects")
        default:
            throw ChangeReader.failure(code)
        }
    }
}
