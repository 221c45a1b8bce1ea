public import AmalgamCore
import CAmalgam

/// A virtual table that overloads SQL functions: <https://sqlite.org/vtab.html#the_xfindfunction_method>.
///
/// ```swift
/// var functions: [VirtualTableFunction] {
///     [VirtualTableFunction("distance", argumentCount: 2) { arguments, result in
///         let (here, there): (Double, Double) = (try arguments[0], try arguments[1])
///         result.set(abs(here - there))
///     }]
/// }
/// // SELECT distance(position, 10) FROM stations
/// ```
///
/// SQLite calls an overloaded function if its first argument is a column of the table. Otherwise the function name has
/// its usual meaning.
///
/// The operators `MATCH`, `LIKE`, `GLOB` and `REGEXP` are functions of two arguments, too: `a REGEXP b` calls
/// `regexp(b, a)`. SQLite calls the overloaded function of an operator if the second argument, `a`, is a column of the
/// table.
public protocol FunctionOverloadingVirtualTable: VirtualTable {
    /// The overloaded functions. This property is read once, when the table is connected.
    ///
    /// Connecting the table throws `SQLITE_MISUSE` if a name has more than 255 bytes, or if a number of arguments is
    /// negative or larger than SQLite's limit: <https://sqlite.org/limits.html#max_function_arg>.
    var functions: [VirtualTableFunction] { get }
}

/// An SQL function that a virtual table overloads.
///
/// ```swift
/// let upper = VirtualTableFunction("upper", argumentCount: 1) { arguments, result in
///     let text: String = try arguments[0]
///     result.set(text.uppercased())
/// }
/// ```
public struct VirtualTableFunction: Sendable {
    /// The name of the function in SQL.
    public let name: String

    /// The number of arguments, or nil for any number.
    public let argumentCount: Int?

    /// The ``VirtualTableConstraint/operator`` of constraints that call this function; nil if none can.
    public internal(set) var constraintOperator: VirtualTableConstraint.Operator?

    let isConstraint: Bool

    let body: @Sendable (borrowing VirtualTableArguments, borrowing SQLiteResult) throws -> Void

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - argumentCount: the number of arguments, including the column, or nil for any number.
    ///   - isConstraint: whether ``VirtualTable/bestIndex(_:)`` receives `WHERE f(column, value)` as a constraint,
    ///     whose ``VirtualTableConstraint/functionName`` is `f`. SQLite has operator numbers for 106 such functions of
    ///     a table. For further functions, this parameter has no effect.
    ///   - body: sets the result. Arguments and result are valid during the call.
    public init(
        _ name: String, argumentCount: Int?, isConstraint: Bool = false,
        _ body: @escaping @Sendable (borrowing VirtualTableArguments, borrowing SQLiteResult) throws -> Void
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.isConstraint = isConstraint
        self.body = body
    }

    func matches(_ name: String, _ argumentCount: Int) -> Bool {
        self.name.equalsIgnoringCase(name) && (self.argumentCount ?? argumentCount) == argumentCount
    }

    var illegalDeclaration: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the function \(name)() of a virtual table has too long a name, or cannot have so many arguments")
    }

    /// Assigns operator numbers to the functions that can be constraints.
    static func numbered(_ functions: [VirtualTableFunction]) -> [VirtualTableFunction] {
        var operators = (UInt8(SQLITE_INDEX_CONSTRAINT_FUNCTION)...UInt8.max).makeIterator()
        return functions.map { function in
            var function = function
            function.constraintOperator =
                function.isConstraint ? operators.next().map { .init(rawValue: $0) } : nil
            return function
        }
    }
}

/// An overloaded function of one table on one connection. SQLite has a pointer to this object.
final class OverloadedFunction {
    let function: VirtualTableFunction
    private unowned let database: Database

    init(_ function: VirtualTableFunction, _ database: Database) {
        self.function = function
        self.database = database
    }

    /// The C function that SQLite calls.
    static let call: @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
        context, count, values in
        let overloaded = Unmanaged<OverloadedFunction>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
        do {
            let arguments = VirtualTableArguments(overloaded.database, count: count, values: values)
            try overloaded.function.body(arguments, SQLiteResult(context!))
        } catch {
            CallbackFailure(error).report(to: context!)
        }
    }
}
