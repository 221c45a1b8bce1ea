public import AmalgamCore
import CAmalgam

/// Records the changes made to tables by one connection: <https://sqlite.org/sessionintro.html>.
///
/// What a session has recorded comes out as a ``Changeset`` or a ``Patchset``: bytes to be stored, sent, inverted,
/// combined, and applied to another database that has the same tables.
///
/// ```swift
/// // Record on one device, and store.
/// let bytes = try phone.write { db in
///     let changeset = try db.recordChanges {
///         try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna', 10)")
///     }
///     return changeset.data
/// }
///
/// // Apply on another one.
/// try tablet.write { db in
///     _ = try db.apply(Changeset(data: bytes)) { conflict in conflict.replaceOrOmit }
/// }
///
/// // Undo.
/// try phone.write { db in
///     _ = try db.apply(Changeset(data: bytes).inverted())
/// }
/// ```
///
/// # What is recorded
///
/// Rows of tables that have a declared primary key whose columns are not NULL; with
/// ``Options/recordsImplicitRowIDs``, also rows of tables without a primary key. A row is noted the first time it
/// changes, with the values it had. The changeset is made when it is asked for, from these notes and the content
/// that the tables have at that moment: a row inserted and deleted again is in no changeset, changes that were
/// rolled back, as a whole or to a savepoint, are in none, and several updates of a row are one. Asking does not
/// empty the session: the next changeset contains the same changes, and those made since.
///
/// Only changes made by this connection are seen. Virtual tables are not recorded; the tables in which they keep
/// their content (`…_content`, `…_data`) are ordinary ones and are, unless they are filtered out with
/// ``attach(where:)``: do so where the receiving database fills its full-text tables with triggers.
///
/// # Life of a session
///
/// A session records until it is released, closed, or its connection is. It belongs to its connection, and is used
/// where that may be used: elsewhere its methods throw `SQLITE_MISUSE`. It may be released anywhere. Any number of
/// sessions and of transaction observers can live on one connection, and come and go in any order.
///
/// # Cost
///
/// While a session lives, SQLite calls it for each row that changes, and `DELETE` without `WHERE` deletes row by row.
/// Half a million small rows in memory take 2.2 times as long to insert, and three times as long to update; a session
/// that records other tables adds a fifth. Rows noted are kept in memory, some 60 to 80 bytes each for small ones: see
/// ``memoryUsed``.
public final class Session {
    // Guarded, as all of this type, by the rule that a connection is used from one thread at a time.

    let database: Database
    let resource: ConnectionResource

    /// The schema whose tables are recorded: `main`, `temp`, or the name of an attached database.
    public let schemaName: String

    /// What a session does beyond the usual: <https://sqlite.org/session/c_session_objconfig_rowid.html>.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Tables without a declared primary key are recorded, as if their first column was
        /// `_rowid_ INTEGER PRIMARY KEY`.
        public static let recordsImplicitRowIDs = Options(rawValue: 1 << 0)

        /// ``Session/maximumChangesetSize`` is known. It costs a little per change.
        public static let tracksChangesetSize = Options(rawValue: 1 << 1)
    }

    /// Starts a session that records no table, until tables are attached.
    ///
    /// ```swift
    /// let session = try Session(db)
    /// try session.attach(table: "player")
    /// ```
    ///
    /// - throws: `SQLITE_ERROR` when there is no such schema.
    public init(_ db: Database, schemaName: String = "main", options: Options = []) throws {
        try db.checkAccess()
        try checkName(schemaName)
        try db.checkSchemaExists(schemaName)
        var pointer: OpaquePointer?
        let code = amalgam_session_create(db.hooks.pointer, schemaName, &pointer)
        guard code == SQLITE_OK, let pointer else { throw db.error(code) }
        database = db
        self.schemaName = schemaName
        let hooks = db.hooks.pointer
        resource = ConnectionResource(pointer, in: db.resources) { [weak db] in
            amalgam_session_delete(hooks, $0)
            db?.observersDidChange()
        }
        db.observersDidChange()
        try configure(SQLITE_SESSION_OBJCONFIG_ROWID, options.contains(.recordsImplicitRowIDs))
        try configure(SQLITE_SESSION_OBJCONFIG_SIZE, options.contains(.tracksChangesetSize))
    }

    deinit {
        database.destroy(resource)
    }

    private func configure(_ option: CInt, _ isOn: Bool) throws {
        guard isOn else { return }
        var value: CInt = 1
        try check(sqlite3session_object_config(pointer(), option, &value))
    }

    func pointer() throws -> OpaquePointer { try database.pointer(resource) }

    func check(_ code: CInt) throws {
        if code != SQLITE_OK { throw database.error(code) }
    }

    /// Ends the session. What it has recorded is lost. Further calls throw `SQLITE_MISUSE`.
    ///
    /// Releasing the session does the same.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access.
    public func close() throws {
        try database.checkMayUseResources()
        resource.destroy()
    }
}

// MARK: - Tables

extension Session {
    /// Records all tables of the schema, also those that are created later.
    ///
    /// - throws: `SQLITE_MISUSE` for a closed session, and outside of an access.
    public func attach() throws {
        try check(sqlite3session_attach(pointer(), nil))
    }

    /// Records a table. It need not exist yet. The changes made before are not recorded.
    ///
    /// ```swift
    /// try session.attach(table: "player")
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` for a closed session, outside of an access, and for a name with a NUL character.
    public func attach(table tableName: String) throws {
        try checkName(tableName)
        try check(sqlite3session_attach(pointer(), tableName))
    }

    /// Records the tables that a closure accepts. It is asked once for each table, when a row of it changes for the
    /// first time.
    ///
    /// ```swift
    /// try session.attach { tableName in !tableName.hasPrefix("cache_") }
    /// ```
    ///
    /// A new closure takes the place of the one before, for tables that are not recorded yet. Tables attached by name
    /// are recorded in any case. The connection must not be used in the closure: it throws `SQLITE_MISUSE` there.
    ///
    /// - throws: `SQLITE_MISUSE` for a closed session, and outside of an access.
    public func attach(where isRecorded: @escaping (_ tableName: String) -> Bool) throws {
        let pointer = try pointer()
        let filter = SessionTableFilter(database, isRecorded)
        sqlite3session_table_filter(
            pointer,
            { context, tableName in
                guard let context, let tableName else { return 0 }
                let filter = Unmanaged<SessionTableFilter>.fromOpaque(context).takeUnretainedValue()
                return filter.includes(String(cString: tableName)) ? 1 : 0
            }, Unmanaged.passUnretained(filter).toOpaque())
        resource.dependency = filter
    }
}

/// The closure that chooses the tables of a session, and what it has answered.
private final class SessionTableFilter {
    private unowned let database: Database
    private let isRecorded: (String) -> Bool
    private var answers: [String: Bool] = [:]

    init(_ database: Database, _ isRecorded: @escaping (String) -> Bool) {
        self.database = database
        self.isRecorded = isRecorded
    }

    /// Called in the middle of a change, for each changed row of a table that is not recorded.
    func includes(_ tableName: String) -> Bool {
        if let answer = answers[tableName] { return answer }
        let answer = database.insideHook { isRecorded(tableName) }
        answers[tableName] = answer
        return answer
    }
}

// MARK: - Recording

extension Session {
    /// Whether changes are recorded. True for a new session.
    public var isEnabled: Bool { get throws { try sqlite3session_enable(pointer(), -1) != 0 } }

    /// Switches recording on or off.
    ///
    /// A row that was noted before stays noted: when it is updated while recording is off, the changeset has its
    /// values of the moment the changeset is made.
    ///
    /// - throws: `SQLITE_MISUSE` for a closed session, and outside of an access.
    public func setEnabled(_ isEnabled: Bool) throws {
        sqlite3session_enable(try pointer(), isEnabled ? 1 : 0)
    }

    /// Runs a closure whose changes are not recorded.
    ///
    /// ```swift
    /// try session.withoutRecording {
    ///     try db.execute(sql: "UPDATE player SET seen = 1")
    /// }
    /// ```
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` for a closed session, and outside of an access.
    public func withoutRecording<T>(_ body: () throws -> T) throws -> T {
        let wasEnabled = try isEnabled
        try setEnabled(false)
        defer { try? setEnabled(wasEnabled) }
        return try body()
    }

    /// Whether all changes are marked as indirect. False for a new session.
    public var isIndirect: Bool { get throws { try sqlite3session_indirect(pointer(), -1) != 0 } }

    /// Chooses whether all changes from now on are marked as indirect: ``RecordedChange/isIndirect``. Changes made by
    /// triggers and foreign key actions always are.
    ///
    /// - throws: `SQLITE_MISUSE` for a closed session, and outside of an access.
    public func setIndirect(_ isIndirect: Bool) throws {
        sqlite3session_indirect(try pointer(), isIndirect ? 1 : 0)
    }

    /// Whether nothing was recorded. When it is false, a changeset may still be empty: a row may have got its first
    /// values again.
    public var isEmpty: Bool { get throws { try sqlite3session_isempty(pointer()) != 0 } }

    /// The memory that the session uses, in bytes.
    public var memoryUsed: Int { get throws { try Int(clamping: sqlite3session_memory_used(pointer())) } }

    /// The size in bytes that a changeset made now has at most.
    ///
    /// - throws: `SQLITE_MISUSE` for a session without ``Options/tracksChangesetSize``.
    public var maximumChangesetSize: Int {
        get throws {
            var isTracked: CInt = -1
            try check(sqlite3session_object_config(pointer(), SQLITE_SESSION_OBJCONFIG_SIZE, &isTracked))
            guard isTracked != 0 else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the size of changesets is known to sessions with the option tracksChangesetSize only")
            }
            return try Int(clamping: sqlite3session_changeset_size(pointer()))
        }
    }
}

/// A name on its way to a C function that stops at the first NUL.
func checkName(_ name: String) throws {
    if name.utf8.contains(0) {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a name contains a NUL character")
    }
}
