public import AmalgamCore

/// A table whose rows Swift makes: <https://sqlite.org/vtab.html>.
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
/// A table that only lists rows is written shorter as a ``DatabaseTableFunction``.
///
/// There is one instance per table and connection. It is released when SQLite disconnects the table: when the
/// connection closes, when the table is dropped, and now and then when the schema changes. Keep the connection, if at
/// all, in an `unowned` property.
///
/// Tables that do more conform to more: ``UpdatableVirtualTable``, ``TransactionalVirtualTable``,
/// ``SavepointVirtualTable``, ``RenamableVirtualTable``, ``FunctionOverloadingVirtualTable``,
/// ``ShadowedVirtualTable``, ``CheckableVirtualTable``.
///
/// **Errors.** An error that a method throws fails the statement: a ``DatabaseError`` with its code and message,
/// others with `SQLITE_ERROR` and their description, a `CancellationError` with `SQLITE_INTERRUPT`.
///
/// **Nested statements.** All methods may run statements on the connection that calls them, but not the ``Statement``
/// that called them: use plain SQL, or statements of your own, rather than ``Database/cachedStatement(sql:)``.
public protocol VirtualTable: AnyObject {
    /// How rows are going to be found, as ``bestIndex(_:)`` tells ``VirtualTableCursor/filter(_:_:)``.
    ///
    /// An enumeration, most often. Plans that were made are kept, once each, as long as the table is connected: leave
    /// values out of them, which travel as arguments. `EXPLAIN QUERY PLAN` shows their description.
    associatedtype Plan: Hashable = FullScan

    /// What gives the rows.
    associatedtype Cursor: VirtualTableCursor where Cursor.Plan == Plan

    /// The columns, as a `CREATE TABLE` statement in which the name of the table does not matter.
    ///
    /// Columns whose type contains `HIDDEN` are left out of `SELECT *` and, from left to right, are the arguments of
    /// the table used as a function: <https://sqlite.org/vtab.html#hidden_columns_in_virtual_tables>. The table may
    /// be `WITHOUT ROWID`.
    var schema: String { get }

    /// What SQLite may do with the table, and what the table needs of SQLite.
    var options: VirtualTableSafetyOptions { get }

    /// Chooses how to find rows, when a statement is compiled:
    /// <https://sqlite.org/vtab.html#the_xbestindex_method>.
    ///
    /// ```swift
    /// func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
    ///     guard let name = info.constraint(on: 0, .equal) else { return .all }
    ///     try info.use(name, omit: true)
    ///     info.estimatedCost = 1
    ///     return .byName
    /// }
    /// ```
    ///
    /// SQLite calls it several times for one statement, with different constraints marked as usable. It only needs to
    /// be implemented when ``Plan`` is not ``FullScan``.
    ///
    /// - Returns: nil when no rows can be found with the constraints that are usable. When this is so for all
    ///   attempts, the statement does not compile: `no query solution`.
    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan?

    /// Makes a cursor. Several may be open at the same time.
    func open() throws -> Cursor

    /// `DROP TABLE`: removes what the table stores. By default, nothing.
    ///
    /// An error leaves the table in place.
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

/// The plan of a table that always gives all of its rows.
public struct FullScan: Hashable, Sendable, CustomStringConvertible {
    /// The one plan.
    @inlinable
    public init() {}

    public var description: String { "" }
}

/// What gives the rows of a ``VirtualTable``. SQLite opens one per use of the table in a statement.
///
/// A cursor is a struct or a class. It is released when the statement is reset, ends, or is closed.
public protocol VirtualTableCursor {
    /// See ``VirtualTable/Plan``.
    associatedtype Plan: Hashable = FullScan

    /// Begins a scan, before its first row: <https://sqlite.org/vtab.html#xfilter>.
    ///
    /// A cursor may be used for many scans, as in the inner loop of a join.
    ///
    /// - Parameters:
    ///   - plan: what ``VirtualTable/bestIndex(_:)`` returned.
    ///   - arguments: the values of the constraints it uses. They are valid during the call.
    mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws

    /// Moves to the next row, which is the first one after ``filter(_:_:)``. Returns false when there is none.
    mutating func next() throws -> Bool

    /// Leaves the value of a column of the current row: by default, NULL.
    ///
    /// - Parameters:
    ///   - index: a column of the schema, counted from 0.
    ///   - result: valid during the call.
    func column(_ index: Int, _ result: borrowing SQLiteResult) throws

    /// The number that identifies the current row, in all scans: <https://sqlite.org/vtab.html#xrowid>.
    ///
    /// Only tables that are updated, or asked for their `rowid`, need one. By default, asking is an error.
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

/// What SQLite may do with a virtual table, and what the table needs of SQLite:
/// <https://sqlite.org/c3ref/c_vtab_constraint_support.html>.
public struct VirtualTableSafetyOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `SQLITE_VTAB_INNOCUOUS`: reading the table does no harm, whoever wrote the schema that reads it.
    public static let innocuous = VirtualTableSafetyOptions(rawValue: 1 << 0)

    /// `SQLITE_VTAB_DIRECTONLY`: views and triggers cannot use the table.
    public static let directOnly = VirtualTableSafetyOptions(rawValue: 1 << 1)

    /// `SQLITE_VTAB_CONSTRAINT_SUPPORT`: an insertion or update that throws `SQLITE_CONSTRAINT` has changed nothing,
    /// and conflict clauses are respected: see ``VirtualTableValues/conflictResolution``.
    public static let supportsConstraints = VirtualTableSafetyOptions(rawValue: 1 << 2)

    /// `SQLITE_VTAB_USES_ALL_SCHEMAS`: the table may read any attached database.
    public static let usesAllSchemas = VirtualTableSafetyOptions(rawValue: 1 << 3)
}
