public import AmalgamCore
import CAmalgam

/// A question of SQLite's planner: with these constraints, how would you find rows, and what would it cost?
/// <https://sqlite.org/vtab.html#the_xbestindex_method>
///
/// It is valid during the call of ``VirtualTable/bestIndex(_:)``.
public struct VirtualTableIndexInfo: ~Copyable {
    private let info: UnsafeMutablePointer<sqlite3_index_info>

    /// The terms of the WHERE clause that concern the table, and its LIMIT and OFFSET.
    public let constraints: [VirtualTableConstraint]

    init(_ info: UnsafeMutablePointer<sqlite3_index_info>, functions: [VirtualTableFunction]) {
        self.info = info
        constraints = (0..<max(0, Int(info.pointee.nConstraint))).map {
            VirtualTableConstraint(info.pointee.aConstraint[$0], index: $0, functions: functions)
        }
    }

    // MARK: Constraints

    /// The first usable constraint on a column with this operator.
    ///
    /// - Parameter column: a column of the schema, counted from 0; nil for the rowid.
    public func constraint(on column: Int?, _ operation: VirtualTableConstraint.Operator) -> VirtualTableConstraint? {
        constraints.first { $0.isUsable && $0.column == column && $0.operator == operation }
    }

    /// Uses a constraint: its value will be an argument of ``VirtualTableCursor/filter(_:_:)``.
    ///
    /// - Parameters:
    ///   - omit: whether the cursor gives no row that breaks the constraint: SQLite may spare its own check.
    ///   - inList: whether the argument is to be the whole list of an `IN` constraint; without it, SQLite begins a
    ///     scan for each value of the list. See <https://sqlite.org/c3ref/vtab_in.html>.
    /// - Returns: the position of the argument.
    /// - throws: `SQLITE_MISUSE` when the constraint is not usable, or when it is to be a list and is none.
    @discardableResult
    public func use(_ constraint: VirtualTableConstraint, omit: Bool = false, inList: Bool = false) throws -> Int {
        try check(constraint)
        guard constraint.isUsable else { throw misuse("the constraint is not usable") }
        if inList && sqlite3_vtab_in(info, CInt(constraint.index), 1) == 0 { throw misuse("the constraint is no list") }
        let position = position(of: constraint) ?? usedCount
        info.pointee.aConstraintUsage[constraint.index].argvIndex = CInt(position + 1)
        info.pointee.aConstraintUsage[constraint.index].omit = omit ? 1 : 0
        return position
    }

    /// Whether a constraint is an `IN` whose list can be one argument: see ``use(_:omit:inList:)``.
    public func isList(_ constraint: VirtualTableConstraint) -> Bool {
        isOwn(constraint) && sqlite3_vtab_in(info, CInt(constraint.index), -1) != 0
    }

    /// The value that a constraint compares with, where SQLite knows it already: for literals, most often.
    public func value(of constraint: VirtualTableConstraint) -> DatabaseValue? {
        var value: OpaquePointer?
        guard isOwn(constraint), sqlite3_vtab_rhs_value(info, CInt(constraint.index), &value) == SQLITE_OK else {
            return nil
        }
        return DatabaseValue(sqliteValue: value)
    }

    /// The name of the collation that a constraint compares with: <https://sqlite.org/c3ref/vtab_collation.html>.
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

    /// A term of the order that SQLite would like.
    public struct OrderingTerm: Hashable, Sendable {
        /// The column, counted from 0; nil for the rowid.
        public let column: Int?

        /// Whether larger values come first.
        public let isDescending: Bool
    }

    /// The order that SQLite would like rows to have. Empty when it wants none, or one that only SQLite can make.
    public var orderBy: [OrderingTerm] {
        (0..<max(0, Int(info.pointee.nOrderBy))).map { index in
            let term = info.pointee.aOrderBy[index]
            return OrderingTerm(column: term.iColumn < 0 ? nil : Int(term.iColumn), isDescending: term.desc != 0)
        }
    }

    /// What the order is for: <https://sqlite.org/c3ref/vtab_distinct.html>.
    public enum Distinctness: CInt, Sendable {
        /// Rows must be sorted.
        case ordered = 0
        /// Rows with equal values in the columns of the order must be adjacent, in any order: GROUP BY.
        case grouped = 1
        /// The same, and but one row of equal ones is needed: DISTINCT.
        case distinct = 2
        /// Rows must be sorted, and but one row of equal ones is needed: DISTINCT with ORDER BY.
        case orderedDistinct = 3
    }

    /// What the order is for.
    public var distinctness: Distinctness { Distinctness(rawValue: sqlite3_vtab_distinct(info)) ?? .ordered }

    /// Whether rows will come in the order wanted, so that SQLite does not sort them.
    public var isOrdered: Bool {
        get { info.pointee.orderByConsumed != 0 }
        nonmutating set { info.pointee.orderByConsumed = newValue ? 1 : 0 }
    }

    /// Whether a column of the table is used by the statement. From the 64th on, columns are only known together.
    public func usesColumn(_ index: Int) -> Bool {
        index >= 0 && info.pointee.colUsed & (1 << UInt64(min(index, 63))) != 0
    }

    // MARK: Cost

    /// What a scan costs, about in row accesses; very much when it is not set.
    public var estimatedCost: Double {
        get { info.pointee.estimatedCost }
        nonmutating set { info.pointee.estimatedCost = newValue }
    }

    /// How many rows a scan gives; 25 when it is not set.
    public var estimatedRows: Int64 {
        get { info.pointee.estimatedRows }
        nonmutating set { info.pointee.estimatedRows = newValue }
    }

    /// Whether a scan gives one row at most (`SQLITE_INDEX_SCAN_UNIQUE`).
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
