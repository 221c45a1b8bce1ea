public import AmalgamCore

/// The permissions of untrusted SQL.
///
/// ```swift
/// var sandbox = Sandbox.readOnly(tables: ["player", "team"])
/// sandbox.hideColumns(["email"], of: "player")       // reads as NULL
/// sandbox.limits.time = .seconds(2)
/// sandbox.maximumRowCount = 1000
/// let rows = try dbQueue.read { db in
///     try db.sandboxed(sandbox) { try Row.fetchAll(db, sql: untrusted) }
/// }
/// ```
///
/// Actions that aren't permitted throw `SQLITE_AUTH` with ``DatabaseError/deniedAction``. A sandbox never permits
/// changes of the schema, statements that begin or end transactions, `ATTACH`, `VACUUM`, `ANALYZE`, `REINDEX`, and
/// `load_extension()`. Inside a transaction, it also refuses statements that could roll the transaction back: with
/// `OR ROLLBACK`, `ON CONFLICT ROLLBACK` and `RAISE(ROLLBACK)`.
///
/// `EXPLAIN QUERY PLAN` is permitted. EXPLAIN isn't, because it shows addresses in the memory of the process.
///
/// SQLite asks the sandbox about each action while it compiles a statement. Then the compiled program is checked: what it
/// does without having been asked about must be permitted, too.
///
/// Table-valued functions such as `sqlite_dbpage`, `bytecode` and `pragma_table_info` can only be read if they are
/// listed in ``readableTables``. `json_each`, `json_tree`, `jsonb_each`, `jsonb_tree` and `carray` only return data of
/// their arguments, and can always be read.
///
/// Time and memory are limited (``limits``), also while a statement is compiled, and inside SQLite's functions. The number
/// of rows (``maximumRowCount``) has no limit by default. See <https://sqlite.org/security.html>.
public struct Sandbox: Sendable {
    /// The tables and views that can be read; nil for all tables and views of the schema.
    ///
    /// A plain name is a table of the main database. Write `temp.player` or `archive.player` for a table of a different
    /// schema, and `main.` before a name that contains a period. A view can be read without listing its tables.
    ///
    /// In four cases, the tables of a view must be listed, too:
    /// - in statements with a WITH clause, because SQLite's authorizer doesn't distinguish common table expressions
    ///   from views
    /// - in statements with USING or NATURAL, whose columns SQLite doesn't report to the authorizer
    /// - for `COUNT(*)` of a view, because SQLite doesn't report the view to the authorizer
    /// - in queries that read only hidden columns of a view, for the same reason
    public var readableTables: Set<String>?

    /// The tables that can be read, and written by INSERT, UPDATE and DELETE.
    ///
    /// The sandbox doesn't restrict the statements in the triggers of these tables, unless the statement that fires the
    /// trigger has a WITH clause. If foreign keys are enforced, SQLite reads the parent and child tables of a changed
    /// table. These tables must be readable.
    public var writableTables: Set<String> = []

    /// The functions that can be called, usually functions of the application. Harmless functions (`SQLITE_INNOCUOUS`)
    /// and the functions of full-text search can be called without being listed.
    public var functions: Set<String> = []

    /// The pragmas that can be read and set. The set is empty by default.
    public var pragmas: Set<String> = []

    /// Whether recursive common table expressions are allowed. It is true by default: the limits stop them.
    public var allowsRecursiveQueries = true

    /// The limits of execution: five seconds for all statements together, and 64 MiB of memory by default.
    public var limits = ExecutionLimits(time: .seconds(5), memory: 64 << 20)

    /// The maximal number of rows returned by all statements together; nil for no limit. If a statement with RETURNING
    /// exceeds this number, the changes of the statement aren't undone.
    public var maximumRowCount: Int?

    /// The limits of the connection in the sandbox. A current limit of the connection that is lower stays in effect.
    /// The defaults are close to the recommendations of <https://sqlite.org/security.html>: values and rows of at most
    /// a million bytes, SQL of at most a hundred thousand bytes, and so on.
    public var connectionLimits: [Database.Limit: Int] = Self.defaultConnectionLimits

    private(set) var hiddenColumns: [TableName: Set<TableName>] = [:]
    private(set) var deniedColumns: [TableName: Set<TableName>] = [:]

    /// Creates a read-only sandbox.
    ///
    /// ```swift
    /// let sandbox = Sandbox(readableTables: ["player"])
    /// ```
    ///
    /// - Parameter readableTables: the tables and views that can be read; nil for all tables and views of the schema.
    public init(readableTables: Set<String>? = nil) {
        self.readableTables = readableTables
    }

    /// A read-only sandbox for all tables and views of the schema.
    ///
    /// ```swift
    /// let rows = try db.sandboxed(.readOnly) { try Row.fetchAll(db, sql: untrusted) }
    /// ```
    public static var readOnly: Sandbox { Sandbox() }

    /// Returns a read-only sandbox for the given tables and views.
    ///
    /// ```swift
    /// let sandbox = Sandbox.readOnly(tables: ["player", "team"])
    /// ```
    public static func readOnly(tables: Set<String>) -> Sandbox { Sandbox(readableTables: tables) }

    /// Returns a sandbox in which the given tables can be read, and written by INSERT, UPDATE and DELETE.
    ///
    /// ```swift
    /// try db.sandboxed(.readWrite(tables: ["note"])) { try db.execute(sql: untrusted) }
    /// ```
    public static func readWrite(tables: Set<String>) -> Sandbox {
        var sandbox = Sandbox(readableTables: [])
        sandbox.writableTables = tables
        return sandbox
    }

    /// Hides columns: they are read as NULL, and can't be inserted or updated.
    ///
    /// ```swift
    /// var sandbox = Sandbox.readOnly(tables: ["player"])
    /// sandbox.hideColumns(["email"], of: "player")
    /// // SELECT name, email FROM player → 'Anna', NULL
    /// ```
    ///
    /// Generated columns that are computed from a hidden column are hidden, too. Statements throw `SQLITE_AUTH` if SQLite
    /// can't read the column as NULL: with RETURNING, NATURAL, and USING of this column. Indexes with the column aren't
    /// used.
    ///
    /// If the table is a full-text table, its search functions such as `highlight()`, its column `rank`, its shadow tables
    /// and its vocabulary can't be used, queries with typos throw `SQLITE_AUTH`, and searches must name a column:
    /// `name MATCH ?`, in FTS5. The same holds for a full-text table whose content is the table, or a view that reads the
    /// table. Such a view is judged by its SQL: with subqueries, aggregates, DISTINCT, LIMIT, USING or common table
    /// expressions, all its columns count as computed from the hidden column.
    ///
    /// While any column is hidden or denied, tables that store values of all other tables can only be read if
    /// ``readableTables`` lists them: `sqlite_stat1`, `sqlite_stat4` and `sqlite_sequence`, the tables `amalgam_audit…` of an
    /// audit log, and virtual tables of the modules `dbstat` and `sqlite_dbpage`. A view doesn't make them readable. A copy
    /// that the application stores in a table with a different name isn't protected. The schema isn't either:
    /// `sqlite_schema` shows the values in the SQL of a DEFAULT, a CHECK or a partial index.
    ///
    /// If the column is an `INTEGER PRIMARY KEY`, `last_insert_rowid()` can't be called unless ``functions`` contains it,
    /// and `ON CONFLICT DO UPDATE` can't use the key that SQLite has chosen (`excluded.id`).
    ///
    /// Constraints still see the column: an UPDATE may fail because of a CHECK that compares it. Without ORDER BY, rows have
    /// the order of their primary key, also if it is hidden.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns, compared as SQLite compares names. An array can contain two names that Swift
    ///     takes for equal, but SQLite doesn't, such as the letter é in its two Unicode forms.
    ///   - table: The name of the table or view: see ``readableTables``.
    public mutating func hideColumns(_ columns: [String], of table: String) {
        hiddenColumns[TableName(table), default: []].formUnion(columns.map(TableName.init))
    }

    /// Hides columns: see ``hideColumns(_:of:)-([String],_)``.
    ///
    /// ```swift
    /// let secrets: Set = ["email", "phone"]
    /// var sandbox = Sandbox.readOnly(tables: ["player"])
    /// sandbox.hideColumns(secrets, of: "player")
    /// ```
    ///
    /// Of two names that are canonically equivalent in Unicode, a set contains only one. Give both in an array.
    public mutating func hideColumns(_ columns: Set<String>, of table: String) {
        hideColumns(Array(columns), of: table)
    }

    /// Denies columns: statements that read, insert or update them throw `SQLITE_AUTH`, including `SELECT *`. Where a column
    /// shows in other ways, the rules are those of ``hideColumns(_:of:)-([String],_)``.
    ///
    /// ```swift
    /// var sandbox = Sandbox.readOnly(tables: ["player"])
    /// sandbox.denyColumns(["email"], of: "player")
    /// ```
    public mutating func denyColumns(_ columns: [String], of table: String) {
        deniedColumns[TableName(table), default: []].formUnion(columns.map(TableName.init))
    }

    /// Denies columns: see ``denyColumns(_:of:)-([String],_)``.
    ///
    /// ```swift
    /// let secrets: Set = ["email", "phone"]
    /// var sandbox = Sandbox.readOnly(tables: ["player"])
    /// sandbox.denyColumns(secrets, of: "player")
    /// ```
    ///
    /// Of two names that are canonically equivalent in Unicode, a set contains only one. Give both in an array.
    public mutating func denyColumns(_ columns: Set<String>, of table: String) {
        denyColumns(Array(columns), of: table)
    }

    /// The default limits of the connection for untrusted SQL.
    public static let defaultConnectionLimits: [Database.Limit: Int] = [
        .length: 1_000_000, .sqlLength: 100_000, .columnCount: 100, .expressionDepth: 100, .compoundSelectCount: 20,
        .instructionCount: 25_000, .functionArgumentCount: 32, .attachedCount: 0, .likePatternLength: 50,
        .triggerDepth: 10, .workerThreadCount: 0,
    ]
}
