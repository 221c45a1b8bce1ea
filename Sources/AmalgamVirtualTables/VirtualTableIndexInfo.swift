public import AmalgamCore
import CAmalgam

/// The constraints for which SQLite's query planner requests a plan, and the properties of the plan that the table
/// returns: <https://sqlite.org/vtab.html#the_xbestindex_method>.
///
/// ```swift
/// enum Plan { case all, byName }
///
/// func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
///     guard let name = info.constraint(on: 0, .equal) else { return .all }
///     try info.use(name)
///     return .byName
/// }
/// ```
///
/// This object is only valid during the call of ``VirtualTable/bestIndex(_:)``.
public struct VirtualTableIndexInfo: ~Copyable {
    private let info: UnsafeMutablePointer<sqlite3_index_info>

    /// The terms of the WHERE clause with columns of the table, and its LIMIT and OFFSET.
    public let constraints: [VirtualTableConstraint]

    init(_ info: UnsafeMutablePointer<sqlite3_index_info>, functions: [VirtualTableFunction]) {
        self.info = info
        constraints = (0..<max(0, Int(info.pointee.nConstraint))).map {
            VirtualTableConstraint(info.pointee.aConstraint[$0], index: $0, functions: functions)
        }
    }

    // MARK: Constraints

    /// Returns the first usable constraint with the given column and operator.
    ///
    /// ```swift
    /// if let score = info.constraint(on: 1, .greaterThan) { try info.use(score) }
    /// ```
    ///
    /// - Parameters:
    ///   - column: the position of the column in the schema, counted from 0, or nil for the rowid.
    ///   - operation: the operator.
    public func constraint(on column: Int?, _ operation: VirtualTableConstraint.Operator) -> VirtualTableConstraint? {
        constraints.first { $0.isUsable && $0.column == column && $0.operator == operation }
    }

    /// Makes SQLite pass the value of a constraint as an argument of ``VirtualTableCursor/filter(_:_:)``.
    ///
    /// ```swift
    /// if let name = info.constraint(on: 0, .equal) {
    ///     let position = try info.use(name, omit: true)
    ///     print("filter receives the name as arguments[\(position)]")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - constraint: a usable element of ``constraints``.
    ///   - omit: whether SQLite may skip its check of the constraint, because the cursor only returns rows that satisfy
    ///     the constraint.
    ///   - inList: whether the argument is the whole list of an `IN` constraint. Otherwise SQLite begins a scan for
    ///     each value of the list. See <https://sqlite.org/c3ref/vtab_in.html>.
    /// - Returns: the position of the argument.
    /// - Throws: `SQLITE_MISUSE` if the constraint isn't usable, or if `inList` is true and ``isList(_:)`` is false for
    ///   the constraint.
    @discardableResult
    public func use(_ constraint: VirtualTableConstraint, omit: Bool = false, inList: Bool = false) throws -> Int {
        try check(constraint)
        guard constraint.isUsable else { throw misuse("the constraint is not usable") }
        if inList && sqlite3_vtab_in(info, CInt(constraint.index), 1) == 0 {
            throw misuse("the constraint isn't a list")
        }
        let position = position(of: constraint) ?? usedCount
        info.pointee.aConstraintUsage[constraint.index].argvIndex = CInt(position + 1)
        info.pointee.aConstraintUsage[constraint.index].omit = omit ? 1 : 0
        return position
    }

    /// Whether a constraint is an `IN` operator whose whole list can be one argument. See ``use(_:omit:inList:)``.
    public func isList(_ constraint: VirtualTableConstraint) -> Bool {
        isOwn(constraint) && sqlite3_vtab_in(info, CInt(constraint.index), -1) != 0
    }

    /// Returns the value of a constraint, if SQLite knows this value already. In most cases, it must be a literal.
    public func value(of constraint: VirtualTableConstraint) -> DatabaseValue? {
        var value: OpaquePointer?
        guard isOwn(constraint), sqlite3_vtab_rhs_value(info, CInt(constraint.index), &value) == SQLITE_OK else {
            return nil
        }
        return DatabaseValue(sqliteValue: value)
    }

    /// Returns the name of the collation of a constraint: <https://sqlite.org/c3ref/vtab_collation.html>.
    public func collation(of constraint: VirtualTableConstraint) -> String {
        guard isOwn(constraint), let name = sqlite3_vtab_collation(info, CInt(constraint.index)) else {
            return "BINARY"
        }
        return String(cString: name)
    }

    private func isOwn(_ constraint: VirtualTableConstraint) -> Bool {
        constraints.indices.contains(constraint.index)
    }

    private func check(_ constraint: VirtualTableConstraint) throws {
        if !isOwn(constraint) { throw misuse("the constraint is not one of this call") }
    }

    private func misuse(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "bestIndex: \(message)")
    }

    private func position(of constraint: VirtualTableConstraint) -> Int? {
        let argument = info.pointee.aConstraintUsage[constraint.index].argvIndex
        return argument > 0 ? Int(argument) - 1 : nil
    }

    private var usedCount: Int {
        constraints.count { info.pointee.aConstraintUsage[$0.index].argvIndex > 0 }
    }

    // MARK: Order

    /// A term of the requested order.
    public struct OrderingTerm: Hashable, Sendable {
        /// The position of the column, counted from 0; nil for the rowid.
        public let column: Int?

        /// Whether the order is descending.
        public let isDescending: Bool
    }

    /// The requested order of rows. Empty if any order is allowed, or if only SQLite can sort the rows.
    public var orderBy: [OrderingTerm] {
        (0..<max(0, Int(info.pointee.nOrderBy))).map { index in
            let term = info.pointee.aOrderBy[index]
            return OrderingTerm(column: term.iColumn < 0 ? nil : Int(term.iColumn), isDescending: term.desc != 0)
        }
    }

    /// The purpose of the requested order: <https://sqlite.org/c3ref/vtab_distinct.html>.
    public enum Distinctness: CInt, Sendable {
        /// Rows must be sorted.
        case ordered = 0
        /// GROUP BY: rows with equal values in the columns of the order must be adjacent, in any order.
        case grouped = 1
        /// DISTINCT: like `grouped`, but the cursor may also leave out rows that are equal in these columns.
        case distinct = 2
        /// DISTINCT with ORDER BY: rows must be sorted, and the cursor may leave out rows as for `distinct`.
        case orderedDistinct = 3
    }

    /// The purpose of the requested order.
    public var distinctness: Distinctness { Distinctness(rawValue: sqlite3_vtab_distinct(info)) ?? .ordered }

    /// Whether the cursor returns rows in the requested order, so that SQLite doesn't sort them.
    ///
    /// ```swift
    /// info.isOrdered = info.orderBy.count == 1 && info.orderBy[0].column == 0 && !info.orderBy[0].isDescending
    /// ```
    public var isOrdered: Bool {
        get { info.pointee.orderByConsumed != 0 }
        nonmutating set { info.pointee.orderByConsumed = newValue ? 1 : 0 }
    }

    /// Whether the statement uses a column of the table. For all columns after the 63rd, the result is the same.
    public func usesColumn(_ index: Int) -> Bool {
        index >= 0 && info.pointee.colUsed & (1 << UInt64(min(index, 63))) != 0
    }

    // MARK: Cost

    /// The estimated cost of a scan, approximately the number of row accesses. The default is a very large number.
    public var estimatedCost: Double {
        get { info.pointee.estimatedCost }
        nonmutating set { info.pointee.estimatedCost = newValue }
    }

    /// The estimated number of rows of a scan; 25 if it isn't set.
    public var estimatedRows: Int64 {
        get { info.pointee.estimatedRows }
        nonmutating set { info.pointee.estimatedRows = newValue }
    }

    /// Whether a scan returns one row at most (`SQLITE_INDEX_SCAN_UNIQUE`).
    public var isUnique: Bool {
        get { info.pointee.idxFlags & SQLITE_INDEX_SCAN_UNIQUE != 0 }
        nonmutating set {
            if newValue {
                info.pointee.idxFlags |= SQLITE_INDEX_SCAN_UNIQUE
            } else {
                info.pointee.idxFlags &= ~SQLITE_INDEX_SCAN_UNIQUE
            }
        }
    }
}
