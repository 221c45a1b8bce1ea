public import AmalgamCore

/// What SQL written by strangers may do.
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
/// What is not allowed is refused, with `SQLITE_AUTH` and ``DatabaseError/deniedAction``. Never allowed are: changing
/// the schema, beginning and ending transactions, `ATTACH`, `VACUUM`, `ANALYZE`, `REINDEX`, `load_extension()`, and
/// virtual tables that show more than their arguments, such as `sqlite_dbpage`, `bytecode` and those of pragmas,
/// unless they are listed in ``readableTables``.
///
/// Memory is bounded by the limits together: the size of a value, the number of rows, and the page cache.
/// See <https://sqlite.org/security.html>.
public struct Sandbox: Sendable {
    /// The tables and views that may be read; nil for all those of the schema.
    ///
    /// A name stands for a table of the main database; write `temp.player` or `archive.player` for another one. A
    /// view may be read without its tables being listed: it shows what it shows, and nothing else. In statements with
    /// a WITH clause, what a view reads must be listed as well, because SQLite takes the names of common table
    /// expressions for those of views; and for `COUNT(*)` of a view, because SQLite does not tell the view then.
    public var readableTables: Set<String>?

    /// The tables that may be inserted into, updated and deleted from. Reading them is allowed, too. Their triggers
    /// may do what they do, except in statements with a WITH clause. Where foreign keys are enforced, the tables on
    /// the other side must be readable: SQLite looks into them.
    public var writableTables: Set<String> = []

    /// The functions that may be called beside those that SQLite knows to be harmless (`SQLITE_INNOCUOUS`) and those
    /// of full-text search: the functions of the app, above all.
    public var functions: Set<String> = []

    /// The pragmas that may be read and set. None by default.
    public var pragmas: Set<String> = []

    /// Whether a common table expression may refer to itself. True by default: the limits end it.
    public var allowsRecursiveQueries = true

    /// How long statements may run. Five seconds by default, for all statements together.
    public var limits = ExecutionLimits.time(.seconds(5))

    /// How many rows may be read, by all statements together; nil for any number. What a statement with RETURNING has
    /// written stays, even if its rows are too many.
    public var maximumRowCount: Int?

    /// Limits of the connection inside of the sandbox, where they are lower than those outside. By default close to
    /// those that <https://sqlite.org/security.html> recommends: values and rows of a million bytes, SQL of a hundred
    /// thousand bytes, and so on.
    public var connectionLimits: [Database.Limit: Int] = Self.defaultConnectionLimits

    private(set) var hiddenColumns: [String: Set<String>] = [:]
    private(set) var deniedColumns: [String: Set<String>] = [:]

    /// Nothing may be written, and these tables may be read; nil for all those of the schema.
    public init(readableTables: Set<String>? = nil) {
        self.readableTables = readableTables
    }

    /// All tables and views of the schema may be read.
    public static var readOnly: Sandbox { Sandbox() }

    /// These tables and views may be read.
    public static func readOnly(tables: Set<String>) -> Sandbox { Sandbox(readableTables: tables) }

    /// These tables may be read, inserted into, updated and deleted from.
    public static func readWrite(tables: Set<String>) -> Sandbox {
        var sandbox = Sandbox(readableTables: [])
        sandbox.writableTables = tables
        return sandbox
    }

    /// Makes columns read as NULL. They cannot be updated.
    public mutating func hideColumns(_ columns: Set<String>, of table: String) {
        hiddenColumns[table, default: []].formUnion(columns)
    }

    /// Refuses statements that read or update columns, also by `SELECT *`.
    public mutating func denyColumns(_ columns: Set<String>, of table: String) {
        deniedColumns[table, default: []].formUnion(columns)
    }

    /// The limits of SQL that is not trusted.
    public static let defaultConnectionLimits: [Database.Limit: Int] = [
        .length: 1_000_000, .sqlLength: 100_000, .columnCount: 100, .expressionDepth: 100, .compoundSelectCount: 20,
        .instructionCount: 25_000, .functionArgumentCount: 32, .attachedCount: 0, .likePatternLength: 50,
        .triggerDepth: 10, .workerThreadCount: 0,
    ]
}
