import AmalgamCore
import CAmalgam

/// A term of a WHERE clause, such as `score > 10`: a column, an operator, and a value. The value isn't always known
/// when the scan begins: see ``isUsable``.
///
/// ```swift
/// for constraint in info.constraints where constraint.isUsable && constraint.operator == .equal {
///     try info.use(constraint)
/// }
/// ```
public struct VirtualTableConstraint: Sendable {
    /// The position of the column in the schema, counted from 0; nil for the rowid, and for LIMIT and OFFSET.
    public let column: Int?

    /// The operator that compares the column with the value.
    public let `operator`: Operator

    /// The name of the function, if the operator is a function of a ``FunctionOverloadingVirtualTable``.
    public let functionName: String?

    /// Whether the value is known when the scan begins. For `a.x = b.y`, this depends on the order of the joined tables
    /// in the query plan that SQLite considers: the value `b.y` is known if `a` is in the inner loop.
    public let isUsable: Bool

    /// The position in the array `aConstraint` of `sqlite3_index_info`.
    let index: Int

    init(_ constraint: sqlite3_index_constraint, index: Int, functions: [VirtualTableFunction]) {
        let operation = Operator(rawValue: constraint.op)
        let hasColumn = operation != .limit && operation != .offset && constraint.iColumn >= 0
        column = hasColumn ? Int(constraint.iColumn) : nil
        `operator` = operation
        functionName = functions.first { $0.constraintOperator == operation }?.name
        isUsable = constraint.usable != 0
        self.index = index
    }

    /// A comparison operator: <https://sqlite.org/c3ref/c_index_constraint_eq.html>.
    ///
    /// The operator of `a IN (1, 2)` is ``equal``. The column of the table is always the left operand: `5 < a` is
    /// ``greaterThan``. Raw values from 150 on are overloaded functions. All other operators have a constant in this
    /// type.
    public struct Operator: RawRepresentable, Hashable, Sendable {
        /// SQLite's number of the operator.
        public let rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: CInt) {
            self.rawValue = UInt8(truncatingIfNeeded: rawValue)
        }

        /// The constraint `=` or `IN`.
        public static let equal = Operator(SQLITE_INDEX_CONSTRAINT_EQ)
        /// The constraint `<>`.
        public static let notEqual = Operator(SQLITE_INDEX_CONSTRAINT_NE)
        /// The constraint `<`.
        public static let lessThan = Operator(SQLITE_INDEX_CONSTRAINT_LT)
        /// The constraint `<=`.
        public static let lessThanOrEqual = Operator(SQLITE_INDEX_CONSTRAINT_LE)
        /// The constraint `>`.
        public static let greaterThan = Operator(SQLITE_INDEX_CONSTRAINT_GT)
        /// The constraint `>=`.
        public static let greaterThanOrEqual = Operator(SQLITE_INDEX_CONSTRAINT_GE)
        /// `IS`, with a value other than NULL.
        public static let `is` = Operator(SQLITE_INDEX_CONSTRAINT_IS)
        /// `IS NOT`, with a value other than NULL.
        public static let isNot = Operator(SQLITE_INDEX_CONSTRAINT_ISNOT)
        /// `IS NULL`. The argument is unused.
        public static let isNull = Operator(SQLITE_INDEX_CONSTRAINT_ISNULL)
        /// `IS NOT NULL`. The argument is unused.
        public static let isNotNull = Operator(SQLITE_INDEX_CONSTRAINT_ISNOTNULL)
        /// The constraint `MATCH`.
        public static let match = Operator(SQLITE_INDEX_CONSTRAINT_MATCH)
        /// The constraint `LIKE`.
        public static let like = Operator(SQLITE_INDEX_CONSTRAINT_LIKE)
        /// The constraint `GLOB`.
        public static let glob = Operator(SQLITE_INDEX_CONSTRAINT_GLOB)
        /// The constraint `REGEXP`.
        public static let regexp = Operator(SQLITE_INDEX_CONSTRAINT_REGEXP)
        /// `LIMIT`: the maximum number of rows, or a negative number for all rows.
        public static let limit = Operator(SQLITE_INDEX_CONSTRAINT_LIMIT)
        /// `OFFSET`: the number of rows to skip.
        public static let offset = Operator(SQLITE_INDEX_CONSTRAINT_OFFSET)
    }
}

extension VirtualTableConstraint.Operator: CustomStringConvertible {
    /// The operator in SQL, or `function 150` for an overloaded function.
    public var description: String {
        Self.names[self] ?? "function \(rawValue)"
    }

    private static let names: [Self: String] = [
        .equal: "=", .notEqual: "<>", .lessThan: "<", .lessThanOrEqual: "<=", .greaterThan: ">",
        .greaterThanOrEqual: ">=", .is: "IS", .isNot: "IS NOT", .isNull: "IS NULL", .isNotNull: "IS NOT NULL",
        .match: "MATCH", .like: "LIKE", .glob: "GLOB", .regexp: "REGEXP", .limit: "LIMIT", .offset: "OFFSET",
    ]
}
