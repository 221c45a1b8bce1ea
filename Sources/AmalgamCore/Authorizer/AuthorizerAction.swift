import CAmalgam

/// An action that a statement would perform, about which SQLite asks the authorizer during compilation:
/// <https://sqlite.org/c3ref/set_authorizer.html>.
///
/// ```swift
/// do {
///     try db.sandboxed(.readOnly(tables: ["player"])) { try Row.fetchAll(db, sql: "SELECT name FROM team") }
/// } catch let error as DatabaseError {
///     error.resultCode           // SQLITE_AUTH
///     error.deniedAction?.kind   // READ
///     error.deniedAction?.tableName    // "team"
///     error.deniedAction?.columnName   // "name"
/// }
/// ```
public struct AuthorizerAction: Hashable, Sendable {
    /// The kind of action: <https://sqlite.org/c3ref/c_alter_table.html>.
    public let kind: Kind

    /// The two arguments of SQLite's authorizer whose meaning depends on the kind.
    package let first: String?
    package let second: String?

    /// The schema of the object: `main`, `temp`, or the name of an attached database. Nil if SQLite doesn't report it.
    public let schemaName: String?

    /// The view or trigger that causes the action, or nil if the SQL itself does.
    ///
    /// SQLite reports the name of a common table expression (`WITH name AS …`) in the same way. So if an authorizer
    /// allows the view `name` to read a table, a common table expression with the name of the view could read this
    /// table, too. To prevent this, the property is nil for all statements with a WITH clause, even inside of views and
    /// triggers.
    public let accessorName: String?

    /// Whether SQLite or a virtual table compiles the statement for its internal use. For example, FTS5 reads its index
    /// with SQL.
    public let isInternal: Bool

    /// Whether `accessorName` is nil because a view or trigger can't be distinguished from a common table expression.
    package let withholdsAccessor: Bool

    init(
        kind: Kind, first: String? = nil, second: String? = nil, schemaName: String? = nil, accessorName: String? = nil,
        isInternal: Bool = false, withholdsAccessor: Bool = false
    ) {
        self.kind = kind
        self.first = first
        self.second = second
        self.schemaName = schemaName
        self.accessorName = accessorName
        self.isInternal = isInternal
        self.withholdsAccessor = withholdsAccessor
    }

    /// The table or view that is read, changed, created or dropped, or the table of the index or trigger.
    public var tableName: String? {
        switch kind {
        case .read, .insert, .update, .delete, .createTable, .createTemporaryTable, .dropTable, .dropTemporaryTable,
            .createVirtualTable, .dropVirtualTable, .analyze:
            first
        case .createIndex, .createTemporaryIndex, .createTrigger, .createTemporaryTrigger, .dropIndex,
            .dropTemporaryIndex, .dropTrigger, .dropTemporaryTrigger, .alterTable:
            second
        default: nil
        }
    }

    /// The column that is read, updated, or given a value by INSERT. It is empty if a table is read without its columns,
    /// as in `COUNT(*)`. For an INSERT, it is first nil, and then each column that the statement names, or all columns.
    public var columnName: String? { kind == .read || kind == .update || kind == .insert ? second : nil }

    /// The function that is called.
    public var functionName: String? { kind == .function ? second : nil }

    /// The name of the pragma.
    public var pragmaName: String? { kind == .pragma ? first : nil }

    /// The value that is passed to the pragma, if any.
    public var pragmaArgument: String? { kind == .pragma ? second : nil }

    /// The file that is attached, if it is known at compilation.
    public var fileName: String? { kind == .attach ? first : nil }
}

extension AuthorizerAction: CustomStringConvertible {
    /// The kind and the names of the action: `READ player.name`, `PRAGMA journal_mode`, `FUNCTION load_extension`.
    public var description: String {
        let names = [first, second].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ".")
        return names.isEmpty ? kind.description : "\(kind) \(names)"
    }
}

extension AuthorizerAction {
    /// A kind of action: <https://sqlite.org/c3ref/c_alter_table.html>.
    ///
    /// ```swift
    /// let rows = try db.withAuthorizer { action in
    ///     action.kind == .read || action.kind == .select ? .allow : .deny
    /// } perform: {
    ///     try Row.fetchAll(db, sql: "SELECT id, name FROM player")
    /// }
    /// ```
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// SQLite's number for the action.
        public let rawValue: CInt

        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// The name of SQLite's constant without its prefix: `READ`, `CREATE TABLE`.
        public var description: String { Self.names[rawValue] ?? "\(rawValue)" }

        private static let names: [CInt: String] = [
            SQLITE_CREATE_INDEX: "CREATE INDEX", SQLITE_CREATE_TABLE: "CREATE TABLE",
            SQLITE_CREATE_TEMP_INDEX: "CREATE TEMP INDEX", SQLITE_CREATE_TEMP_TABLE: "CREATE TEMP TABLE",
            SQLITE_CREATE_TEMP_TRIGGER: "CREATE TEMP TRIGGER", SQLITE_CREATE_TEMP_VIEW: "CREATE TEMP VIEW",
            SQLITE_CREATE_TRIGGER: "CREATE TRIGGER", SQLITE_CREATE_VIEW: "CREATE VIEW", SQLITE_DELETE: "DELETE",
            SQLITE_DROP_INDEX: "DROP INDEX", SQLITE_DROP_TABLE: "DROP TABLE",
            SQLITE_DROP_TEMP_INDEX: "DROP TEMP INDEX", SQLITE_DROP_TEMP_TABLE: "DROP TEMP TABLE",
            SQLITE_DROP_TEMP_TRIGGER: "DROP TEMP TRIGGER", SQLITE_DROP_TEMP_VIEW: "DROP TEMP VIEW",
            SQLITE_DROP_TRIGGER: "DROP TRIGGER", SQLITE_DROP_VIEW: "DROP VIEW", SQLITE_INSERT: "INSERT",
            SQLITE_PRAGMA: "PRAGMA", SQLITE_READ: "READ", SQLITE_SELECT: "SELECT", SQLITE_TRANSACTION: "TRANSACTION",
            SQLITE_UPDATE: "UPDATE", SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH",
            SQLITE_ALTER_TABLE: "ALTER TABLE", SQLITE_REINDEX: "REINDEX", SQLITE_ANALYZE: "ANALYZE",
            SQLITE_CREATE_VTABLE: "CREATE VTABLE", SQLITE_DROP_VTABLE: "DROP VTABLE", SQLITE_FUNCTION: "FUNCTION",
            SQLITE_SAVEPOINT: "SAVEPOINT", SQLITE_RECURSIVE: "RECURSIVE",
        ]

        /// `SQLITE_READ`: a column of a table is read.
        public static let read = Kind(rawValue: SQLITE_READ)
        /// `SQLITE_SELECT`: a SELECT is compiled.
        public static let select = Kind(rawValue: SQLITE_SELECT)
        /// `SQLITE_RECURSIVE`: a common table expression refers to itself.
        public static let recursive = Kind(rawValue: SQLITE_RECURSIVE)
        /// `SQLITE_FUNCTION`: a function is called.
        public static let function = Kind(rawValue: SQLITE_FUNCTION)
        /// `SQLITE_INSERT`: rows are inserted into a table.
        public static let insert = Kind(rawValue: SQLITE_INSERT)
        /// `SQLITE_UPDATE`: a column of a table is changed.
        public static let update = Kind(rawValue: SQLITE_UPDATE)
        /// `SQLITE_DELETE`: rows of a table are deleted.
        public static let delete = Kind(rawValue: SQLITE_DELETE)
        /// `SQLITE_PRAGMA`: a pragma is read or set.
        public static let pragma = Kind(rawValue: SQLITE_PRAGMA)
        /// `SQLITE_TRANSACTION`: BEGIN, COMMIT or ROLLBACK.
        public static let transaction = Kind(rawValue: SQLITE_TRANSACTION)
        /// `SQLITE_SAVEPOINT`: a savepoint is opened, released or rolled back to.
        public static let savepoint = Kind(rawValue: SQLITE_SAVEPOINT)
        /// `SQLITE_ATTACH`: a database is attached. VACUUM requires it, too.
        public static let attach = Kind(rawValue: SQLITE_ATTACH)
        /// `SQLITE_DETACH`: a database is detached.
        public static let detach = Kind(rawValue: SQLITE_DETACH)
        /// `SQLITE_ANALYZE`: statistics of a table are collected.
        public static let analyze = Kind(rawValue: SQLITE_ANALYZE)
        /// `SQLITE_REINDEX`: an index is rebuilt.
        public static let reindex = Kind(rawValue: SQLITE_REINDEX)
        /// `SQLITE_ALTER_TABLE`: a table is altered.
        public static let alterTable = Kind(rawValue: SQLITE_ALTER_TABLE)
        /// `SQLITE_CREATE_TABLE`: a table is created.
        public static let createTable = Kind(rawValue: SQLITE_CREATE_TABLE)
        /// `SQLITE_CREATE_TEMP_TABLE`: a temporary table is created.
        public static let createTemporaryTable = Kind(rawValue: SQLITE_CREATE_TEMP_TABLE)
        /// `SQLITE_CREATE_VTABLE`: a virtual table is created.
        public static let createVirtualTable = Kind(rawValue: SQLITE_CREATE_VTABLE)
        /// `SQLITE_CREATE_INDEX`: an index is created.
        public static let createIndex = Kind(rawValue: SQLITE_CREATE_INDEX)
        /// `SQLITE_CREATE_TEMP_INDEX`: an index of a temporary table is created.
        public static let createTemporaryIndex = Kind(rawValue: SQLITE_CREATE_TEMP_INDEX)
        /// `SQLITE_CREATE_TRIGGER`: a trigger is created.
        public static let createTrigger = Kind(rawValue: SQLITE_CREATE_TRIGGER)
        /// `SQLITE_CREATE_TEMP_TRIGGER`: a temporary trigger is created.
        public static let createTemporaryTrigger = Kind(rawValue: SQLITE_CREATE_TEMP_TRIGGER)
        /// `SQLITE_CREATE_VIEW`: a view is created.
        public static let createView = Kind(rawValue: SQLITE_CREATE_VIEW)
        /// `SQLITE_CREATE_TEMP_VIEW`: a temporary view is created.
        public static let createTemporaryView = Kind(rawValue: SQLITE_CREATE_TEMP_VIEW)
        /// `SQLITE_DROP_TABLE`: a table is dropped.
        public static let dropTable = Kind(rawValue: SQLITE_DROP_TABLE)
        /// `SQLITE_DROP_TEMP_TABLE`: a temporary table is dropped.
        public static let dropTemporaryTable = Kind(rawValue: SQLITE_DROP_TEMP_TABLE)
        /// `SQLITE_DROP_VTABLE`: a virtual table is dropped.
        public static let dropVirtualTable = Kind(rawValue: SQLITE_DROP_VTABLE)
        /// `SQLITE_DROP_INDEX`: an index is dropped.
        public static let dropIndex = Kind(rawValue: SQLITE_DROP_INDEX)
        /// `SQLITE_DROP_TEMP_INDEX`: an index of a temporary table is dropped.
        public static let dropTemporaryIndex = Kind(rawValue: SQLITE_DROP_TEMP_INDEX)
        /// `SQLITE_DROP_TRIGGER`: a trigger is dropped.
        public static let dropTrigger = Kind(rawValue: SQLITE_DROP_TRIGGER)
        /// `SQLITE_DROP_TEMP_TRIGGER`: a temporary trigger is dropped.
        public static let dropTemporaryTrigger = Kind(rawValue: SQLITE_DROP_TEMP_TRIGGER)
        /// `SQLITE_DROP_VIEW`: a view is dropped.
        public static let dropView = Kind(rawValue: SQLITE_DROP_VIEW)
        /// `SQLITE_DROP_TEMP_VIEW`: a temporary view is dropped.
        public static let dropTemporaryView = Kind(rawValue: SQLITE_DROP_TEMP_VIEW)
    }
}

/// The decision of an authorizer about an ``AuthorizerAction``.
///
/// ```swift
/// let rows = try db.withAuthorizer { action in
///     action.columnName == "score" ? .ignore : .allow   // the column reads as NULL
/// } perform: {
///     try Row.fetchAll(db, sql: "SELECT name, score FROM player")
/// }
/// ```
public enum AuthorizerDecision: Sendable {
    /// `SQLITE_OK`: the action is allowed.
    case allow
    /// `SQLITE_IGNORE`: the action is left out, without an error, where the rest of the statement doesn't need it:
    ///
    /// | kind | effect |
    /// | --- | --- |
    /// | `read` | The column reads as NULL, also in triggers and where SQLite checks foreign keys. |
    /// | `update` | The column keeps its value. |
    /// | `function` | The function isn't called, and its result is NULL. |
    /// | `insert` | INSERT has no effect. |
    /// | `delete` | DELETE deletes the rows all the same, one by one: SQLite's truncate optimization is off. |
    /// | `pragma`, `transaction`, `savepoint`, `attach`, `detach`, `reindex` | The statement has no effect. |
    ///
    /// Other actions are denied, because SQLite would go on with half of a query or of a schema change: SELECT, recursive
    /// queries, ANALYZE, and everything that creates, alters or drops an object of the schema. Also denied are:
    ///
    /// - columns of RETURNING, USING and NATURAL, and INSERT with RETURNING
    /// - an update of the rowid, or of a column of SQLite's own tables
    /// - columns and functions in the definition of an index, and in ALTER TABLE
    /// - columns that an internal statement reads or writes, and its changes of the schema: see
    ///   ``AuthorizerAction/isInternal``. Other internal actions are performed, and so are all those on the tables in
    ///   which a virtual table stores its rows.
    ///
    /// When SQLite reads or writes its schema table for a definition that the authorizer allows, an ignored action is
    /// performed. Transaction observers receive all changes that an ignored action makes.
    case ignore
    /// `SQLITE_DENY`: the statement doesn't compile, and throws `SQLITE_AUTH`.
    case deny

    var code: CInt {
        switch self {
        case .allow: SQLITE_OK
        case .ignore: SQLITE_IGNORE
        case .deny: SQLITE_DENY
        }
    }

    /// Returns the less permissive of two decisions.
    func and(_ other: AuthorizerDecision) -> AuthorizerDecision {
        switch (self, other) {
        case (.deny, _), (_, .deny): .deny
        case (.ignore, _), (_, .ignore): .ignore
        case (.allow, .allow): .allow
        }
    }
}
