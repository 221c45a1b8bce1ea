public import AmalgamCore
import CAmalgam

/// Combines changesets, or patchsets, into one: <https://sqlite.org/session/changegroup.html>.
///
/// ```swift
/// let group = try Changegroup<Changeset>()
/// for day in days { try group.add(day) }
/// let week = try group.changes()
/// ```
///
/// Changes of the same row become one. What was added first comes first:
///
/// | first  | then   | result                                         |
/// | ------ | ------ | ---------------------------------------------- |
/// | INSERT | UPDATE | INSERT of the updated row                      |
/// | INSERT | DELETE | nothing                                        |
/// | UPDATE | UPDATE | UPDATE                                         |
/// | UPDATE | DELETE | DELETE                                         |
/// | DELETE | INSERT | UPDATE, or nothing when the row is as before   |
/// | other  |        | the second change is ignored                   |
///
/// A group that knows the schema of a database (``init(schemaOf:schemaName:)``) accepts changes recorded before
/// columns were added to a table, and gives them the defaults of these columns. It also knows the names of columns:
/// changes can be written by hand. Such a group is used, like its connection, inside a database access; the others
/// need none.
///
/// The combined changes are in memory. After a change that SQLite refuses, the content of a group is undefined: it
/// throws `SQLITE_MISUSE` from then on.
public final class Changegroup<Changes: RecordedChanges> {
    // Used from one thread at a time; with a database, by the thread that has access to it.

    private let group: OpaquePointer
    let database: Database?
    let schemaName: String
    private let resource: ConnectionResource?
    private var hasFailed = false
    /// The table that was found last in the schema.
    private var knownTable: RecordedTable?

    /// An empty group.
    public init() throws {
        group = try Self.makeGroup()
        database = nil
        schemaName = "main"
        resource = nil
    }

    /// An empty group whose changes have the tables and columns of a schema.
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

    /// The C object, when it may be used.
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
    /// - throws: `SQLITE_SCHEMA` when a table has another number of columns, or another primary key, than in the
    ///   changes added before, or than in the schema of the group.
    public func add(_ changes: Changes) throws {
        try add(ChangeReader(changes.bytes)) { _ in true }
    }

    /// Adds the changes that a closure accepts.
    ///
    /// - throws: the error of the closure; the group can be used then, and has the changes before it.
    public func add(_ changes: Changes, where isIncluded: (RecordedChange) throws -> Bool) throws {
        try add(ChangeReader(changes.bytes)) { try isIncluded($0.change()) }
    }

    /// Adds the changes of an input, read chunk by chunk.
    ///
    /// After an error, the group has the changes before it.
    ///
    /// - throws: the error of the input; `SQLITE_CORRUPT` for bytes that are no changeset; `SQLITE_MISMATCH` for a
    ///   changeset in place of a patchset, or the reverse; `SQLITE_SCHEMA` as ``add(_:)``.
    public func add(from input: ChangesetInput) throws {
        try add(ChangeReader(input)) { _ in true }
    }

    /// Change by change: SQLite's functions that add a whole changeset crash when the schema of the group lacks a
    /// table.
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

    /// The changes added so far, as one.
    public func changes() throws -> Changes {
        let group = try pointer()
        return try Changes(
            bytes: ChangesetBytes { count, bytes in
                let code = sqlite3changegroup_output(group, count, bytes)
                if code != SQLITE_OK { throw DatabaseError(code: code) }
            })
    }

    /// Writes the changes added so far, as one, chunk by chunk.
    ///
    /// - throws: the error of the output.
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
