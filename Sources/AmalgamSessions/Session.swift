public import AmalgamCore
import CAmalgam

/// A session that records the row changes that one connection makes in tables: <https://sqlite.org/sessionintro.html>.
///
/// The recorded changes are returned as a ``Changeset`` or a ``Patchset``: bytes that can be stored, sent, inverted,
/// combined, and applied to another database with the same tables.
///
/// ```swift
/// // Record the changes in one database.
/// let bytes = try phone.write { db in
///     let changeset = try db.recordChanges {
///         try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna', 10)")
///     }
///     return changeset.data
/// }
///
/// // Apply them to another database.
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
/// Changes of rows are recorded if the table has a declared primary key, and the key of the row contains no NULL. With
/// ``Options/recordsImplicitRowIDs``, tables without a primary key are recorded, too, unless their columns have all three
/// names `rowid`, `_rowid_` and `oid`. The tables of an audit log are only recorded if they are named: applied to
/// another database, they would overwrite its log.
///
/// A row is identified by the bytes of its primary key. If a key changes to another one that is equal by its collation,
/// such as `anna` to `Anna` with `COLLATE NOCASE`, the changeset has a deletion and an insertion.
///
/// When a row changes for the first time, the session stores its previous values. A changeset is computed on demand,
/// from the stored values and the current content of the tables. So a changeset doesn't contain rows that were inserted
/// and then deleted, nor changes that were rolled back. Several updates of a row are one change. Computing a changeset
/// doesn't clear the session: the next changeset contains the same changes, and later changes.
///
/// Only changes by this connection are recorded. Virtual tables aren't recorded, but their shadow tables (`…_content`,
/// `…_data`) are, because shadow tables are ordinary tables. Exclude shadow tables with ``attach(where:)`` if triggers
/// update the full-text tables of the receiving database.
///
/// # Lifetime
///
/// A session records until the session or its connection is closed or released. Outside of a database access, the
/// methods of the session throw `SQLITE_MISUSE`. A session can be released on any thread. A connection can have any
/// number of sessions and transaction observers, which can be created and removed in any order.
///
/// # Cost
///
/// SQLite calls each session for each changed row, and `DELETE` without `WHERE` deletes row by row. With a session,
/// inserting half a million small rows in memory takes 2.2 times as long as without a session, and updating them three
/// times as long. A session that only records other tables makes these statements a fifth slower. The previous values
/// are stored in memory, 60 to 80 bytes for each small row: see ``memoryUsed``.
public final class Session {
    // Used by one thread at a time, like the connection, so the properties need no lock.

    let database: Database
    let resource: ConnectionResource

    /// The schema whose tables are recorded: `main`, `temp`, or the name of an attached database.
    public let schemaName: String

    /// The options of a session: <https://sqlite.org/session/c_session_objconfig_rowid.html>.
    ///
    /// ```swift
    /// let session = try Session(db, options: .recordsImplicitRowIDs)
    /// ```
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Records tables without a declared primary key, as if their first column were `_rowid_ INTEGER PRIMARY KEY`.
        public static let recordsImplicitRowIDs = Options(rawValue: 1 << 0)

        /// Enables ``Session/maximumChangesetSize``, for a small cost per change.
        public static let tracksChangesetSize = Options(rawValue: 1 << 1)
    }

    /// Creates a session, which records no table until tables are attached.
    ///
    /// ```swift
    /// let session = try Session(db)
    /// try session.attach(table: "player")
    /// ```
    ///
    /// - Throws: `SQLITE_ERROR` if the schema doesn't exist; `SQLITE_MISUSE` outside of a database access.
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

    /// Ends the session, and discards the recorded changes. Further calls throw `SQLITE_MISUSE`. Releasing the session
    /// also ends it.
    ///
    /// ```swift
    /// let changeset = try session.changeset()
    /// try session.close()
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access.
    public func close() throws {
        try database.checkMayUseResources()
        resource.destroy()
    }
}

// MARK: - Tables

extension Session {
    /// Records the changes of all tables of the schema, including tables that are created later, except the tables of
    /// an audit log.
    ///
    /// ```swift
    /// let session = try Session(db)
    /// try session.attach()
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session or outside of a database access.
    public func attach() throws {
        sqlite3session_table_filter(
            try pointer(),
            { _, tableName in
                guard let tableName else { return 0 }
                return amalgam_session_is_log(tableName) != 0 ? 0 : 1
            }, nil)
        resource.dependency = nil
    }

    /// Records the changes of a table from now on. The table need not exist yet.
    ///
    /// ```swift
    /// try session.attach(table: "player")
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session, outside of a database access, or for a name with a NUL
    ///   character.
    public func attach(table tableName: String) throws {
        try checkName(tableName)
        try check(sqlite3session_attach(pointer(), tableName))
    }

    /// Records the changes of the tables that a closure accepts. The closure is called once for each table, when a row
    /// of the table changes for the first time.
    ///
    /// ```swift
    /// try session.attach { tableName in !tableName.hasPrefix("cache_") }
    /// ```
    ///
    /// A later call of this method replaces the closure. The session continues to record the tables that it already
    /// records. Tables that are attached by name are always recorded. The closure isn't called for the tables of an
    /// audit log. It must not use the connection: a use throws `SQLITE_MISUSE`.
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session or outside of a database access.
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

/// The closure that chooses the tables of a session, and the results of the closure for each table.
private final class SessionTableFilter {
    private unowned let database: Database
    private let isRecorded: (String) -> Bool
    private var answers: [ExactString: Bool] = [:]

    init(_ database: Database, _ isRecorded: @escaping (String) -> Bool) {
        self.database = database
        self.isRecorded = isRecorded
    }

    /// Called in the pre-update hook, for each changed row of a table that isn't recorded.
    func includes(_ tableName: String) -> Bool {
        let name = ExactString(tableName)
        if let answer = answers[name] { return answer }
        if amalgam_session_is_log(tableName) != 0 { return false }
        let answer = database.insideHook { isRecorded(tableName) }
        answers[name] = answer
        return answer
    }
}

// MARK: - Recording

extension Session {
    /// Whether changes are recorded. True for a new session.
    public var isEnabled: Bool { get throws { try sqlite3session_enable(pointer(), -1) != 0 } }

    /// Enables or disables recording.
    ///
    /// ```swift
    /// try session.setEnabled(false)
    /// ```
    ///
    /// A row that has changed while recording was enabled remains in the session. If the row is updated again while
    /// recording is disabled, the changeset contains this update, too.
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session or outside of a database access.
    public func setEnabled(_ isEnabled: Bool) throws {
        sqlite3session_enable(try pointer(), isEnabled ? 1 : 0)
    }

    /// Runs a closure whose changes aren't recorded.
    ///
    /// ```swift
    /// try session.withoutRecording {
    ///     try db.execute(sql: "UPDATE player SET seen = 1")
    /// }
    /// ```
    ///
    /// - Throws: the error of the closure; `SQLITE_MISUSE` for a closed session or outside of a database access.
    public func withoutRecording<T>(_ body: () throws -> T) throws -> T {
        let wasEnabled = try isEnabled
        try setEnabled(false)
        defer { try? setEnabled(wasEnabled) }
        return try body()
    }

    /// Whether all changes are recorded as indirect. False for a new session.
    public var isIndirect: Bool { get throws { try sqlite3session_indirect(pointer(), -1) != 0 } }

    /// Sets whether later changes are recorded as indirect: see ``RecordedChange/isIndirect``. Changes by triggers and
    /// foreign key actions are always recorded as indirect.
    ///
    /// ```swift
    /// try session.setIndirect(true)
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` for a closed session or outside of a database access.
    public func setIndirect(_ isIndirect: Bool) throws {
        sqlite3session_indirect(try pointer(), isIndirect ? 1 : 0)
    }

    /// Whether the session has recorded no change. If the property is false, the changeset may still be empty: for
    /// example, an updated row may have its old values again.
    public var isEmpty: Bool { get throws { try sqlite3session_isempty(pointer()) != 0 } }

    /// The memory that the session uses, in bytes.
    public var memoryUsed: Int { get throws { try Int(clamping: sqlite3session_memory_used(pointer())) } }

    /// An upper limit of the size, in bytes, of the changeset that ``changeset()`` would return now.
    ///
    /// - Throws: `SQLITE_MISUSE` for a session without ``Options/tracksChangesetSize``.
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

/// Throws if a name contains a NUL, at which C functions would cut the name.
func checkName(_ name: String) throws {
    if name.utf8.contains(0) {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a name contains a NUL character")
    }
}
