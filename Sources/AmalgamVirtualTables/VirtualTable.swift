public import AmalgamCore

/// A virtual table, whose rows are provided by Swift code: <https://sqlite.org/vtab.html>.
///
/// ```swift
/// final class Weekdays: VirtualTable {
///     let schema = "CREATE TABLE x(name TEXT, isWeekend INTEGER)"
///
///     func open() -> Cursor { Cursor() }
///
///     struct Cursor: VirtualTableCursor {
///         private let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
///         private var index = -1
///
///         mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) { index = -1 }
///
///         mutating func next() -> Bool {
///             index += 1
///             return index < names.count
///         }
///
///         func column(_ column: Int, _ result: borrowing SQLiteResult) {
///             if column == 0 { result.set(names[index]) } else { result.set(index == 0 || index == 6) }
///         }
///     }
/// }
///
/// try db.add(module: DatabaseModule("weekdays") { _ in Weekdays() })
/// let names = try String.fetchAll(db, sql: "SELECT name FROM weekdays WHERE NOT isWeekend")
/// ```
///
/// A read-only table that lists rows is shorter to write as a ``DatabaseTableFunction``.
///
/// There is one object per table and connection. SQLite releases this object when the connection is closed, when the
/// table is dropped, and sometimes when the schema changes. A property that refers to the connection must be `unowned`,
/// because the connection retains the table object.
///
/// Tables that support more operations conform to further protocols: ``UpdatableVirtualTable``,
/// ``TransactionalVirtualTable``, ``SavepointVirtualTable``, ``RenamableVirtualTable``,
/// ``FunctionOverloadingVirtualTable``, ``ShadowedVirtualTable``, ``CheckableVirtualTable``.
///
/// **Errors.** If a method throws, the statement fails:
/// - with the code and message of a ``DatabaseError``;
/// - with `SQLITE_INTERRUPT` for a `CancellationError`;
/// - with `SQLITE_ERROR` and the description of any other error.
///
/// **Nested statements.** All methods may execute statements on their connection, but not a ``Statement`` object that
/// is already running, such as the statement that calls the method. ``Database/cachedStatement(sql:)`` may return a
/// running statement. Therefore, use SQL strings or ``Database/makeStatement(sql:)`` instead.
public protocol VirtualTable: AnyObject {
    /// The type of a query plan, which ``bestIndex(_:)`` returns and ``VirtualTableCursor/filter(_:_:)`` receives.
    ///
    /// A plan is often an enumeration. Each different plan is stored while the table is connected, so plans should not
    /// contain the values of constraints: `filter` receives these values. `EXPLAIN QUERY PLAN` shows the description of
    /// a plan.
    associatedtype Plan: Hashable = FullScan

    /// The type of the cursors.
    associatedtype Cursor: VirtualTableCursor where Cursor.Plan == Plan

    /// The columns, as a `CREATE TABLE` statement. The table name in this statement is ignored.
    ///
    /// Columns whose type contains `HIDDEN` aren't part of `SELECT *`. They are the arguments, from left to right, if
    /// the table is used as a function: <https://sqlite.org/vtab.html#hidden_columns_in_virtual_tables>. The table may
    /// be `WITHOUT ROWID`.
    var schema: String { get }

    /// The options of the table, which tell SQLite where SQL may use the table, and what the table supports or needs.
    /// Empty by default.
    var options: VirtualTableSafetyOptions { get }

    /// Chooses a query plan when a statement is compiled:
    /// <https://sqlite.org/vtab.html#the_xbestindex_method>.
    ///
    /// ```swift
    /// enum Plan { case all, byName }
    ///
    /// func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
    ///     guard let name = info.constraint(on: 0, .equal) else { return .all }
    ///     try info.use(name, omit: true)
    ///     info.estimatedCost = 1
    ///     return .byName
    /// }
    /// ```
    ///
    /// SQLite may call this method several times for one statement, with different usable constraints. The method has a
    /// default implementation if ``Plan`` is ``FullScan``.
    ///
    /// - Parameter info: contains the constraints, and receives the properties of the plan, such as its cost.
    /// - Returns: the plan, or nil if the usable constraints don't suffice to find rows. If the result of all calls is
    ///   nil, the statement doesn't compile: `no query solution`.
    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan?

    /// Creates a cursor. Several cursors may be open at the same time.
    func open() throws -> Cursor

    /// Deletes the content that the table stores, when `DROP TABLE` runs. By default, the method does nothing.
    ///
    /// An error prevents the table from being dropped.
    func destroy() throws
}

extension VirtualTable {
    public var options: VirtualTableSafetyOptions { [] }

    public func destroy() throws {}
}

extension VirtualTable where Plan == FullScan {
    @inlinable
    public func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> FullScan? { FullScan() }
}

/// The query plan of a table whose cursors always return all rows.
///
/// ```swift
/// struct TitleCursor: VirtualTableCursor {
///     let titles: [String]
///     var index = -1
///
///     mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) { index = -1 }
///
///     mutating func next() -> Bool {
///         index += 1
///         return index < titles.count
///     }
///
///     func column(_ column: Int, _ result: borrowing SQLiteResult) { result.set(titles[index]) }
/// }
/// ```
public struct FullScan: Hashable, Sendable, CustomStringConvertible {
    /// Creates the plan.
    @inlinable
    public init() {}

    public var description: String { "" }
}

/// A cursor over the rows of a ``VirtualTable``. SQLite opens a cursor for each use of the table in a statement.
///
/// A cursor is a struct or a class. SQLite releases it when the statement ends, is reset, or is finalized. See
/// ``VirtualTable`` for an example.
public protocol VirtualTableCursor {
    /// The type of a query plan. See ``VirtualTable/Plan``.
    associatedtype Plan: Hashable = FullScan

    /// Begins a scan, and positions the cursor before the first row: <https://sqlite.org/vtab.html#xfilter>.
    ///
    /// SQLite may use a cursor for several scans, for example in the inner loop of a join.
    ///
    /// - Parameters:
    ///   - plan: the plan that ``VirtualTable/bestIndex(_:)`` has returned.
    ///   - arguments: the values of the constraints that the plan uses, which are valid during the call.
    mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws

    /// Moves to the next row. The first call after ``filter(_:_:)`` moves to the first row. Returns false if there is
    /// no row.
    mutating func next() throws -> Bool

    /// Sets the result to the value of a column in the current row. If the method sets no result, the value is NULL.
    ///
    /// - Parameters:
    ///   - index: the position of the column in the schema, counted from 0.
    ///   - result: the result, which is valid during the call.
    func column(_ index: Int, _ result: borrowing SQLiteResult) throws

    /// The identifier of the current row: <https://sqlite.org/vtab.html#xrowid>. A row has the same identifier in all
    /// scans.
    ///
    /// The property is needed if the table is updated, and for statements that use `rowid`, RIGHT JOIN or FULL JOIN.
    /// SQLite may also read it for a condition with OR. The default implementation throws.
    var rowID: Int64 { get throws }
}

extension VirtualTableCursor {
    public var rowID: Int64 {
        get throws {
            throw DatabaseError(
                message: "the rows of this virtual table have no rowid: implement rowID in \(Self.self)")
        }
    }
}

/// The options of a virtual table, which tell SQLite where SQL may use the table, and what the table supports or needs:
/// <https://sqlite.org/c3ref/c_vtab_constraint_support.html>.
///
/// ```swift
/// var options: VirtualTableSafetyOptions { [.innocuous, .supportsConstraints] }
/// ```
public struct VirtualTableSafetyOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `SQLITE_VTAB_INNOCUOUS`: reading the table is harmless, so any view or trigger may use it.
    public static let innocuous = VirtualTableSafetyOptions(rawValue: 1 << 0)

    /// `SQLITE_VTAB_DIRECTONLY`: views and triggers cannot use the table.
    public static let directOnly = VirtualTableSafetyOptions(rawValue: 1 << 1)

    /// `SQLITE_VTAB_CONSTRAINT_SUPPORT`: the table respects conflict clauses, and an insertion or update that throws
    /// `SQLITE_CONSTRAINT` changes nothing. See ``VirtualTableValues/conflictResolution``.
    public static let supportsConstraints = VirtualTableSafetyOptions(rawValue: 1 << 2)

    /// `SQLITE_VTAB_USES_ALL_SCHEMAS`: the table may read any attached database.
    public static let usesAllSchemas = VirtualTableSafetyOptions(rawValue: 1 << 3)
}
