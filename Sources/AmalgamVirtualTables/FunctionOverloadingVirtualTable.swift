public import AmalgamCore
import CAmalgam

/// A virtual table with functions of its own: <https://sqlite.org/vtab.html#the_xfindfunction_method>.
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
/// SQLite calls them when their first argument is a column of the table: elsewhere, the name means what it meant
/// before. `MATCH`, `LIKE`, `GLOB` and `REGEXP` are functions of two arguments, too: `a REGEXP b` is `regexp(b, a)`,
/// and the column is the second one.
public protocol FunctionOverloadingVirtualTable: VirtualTable {
    /// The functions. SQLite asks once per connection of the table.
    ///
    /// The table is refused with `SQLITE_MISUSE` when a name has more than 255 bytes, or a number of arguments is
    /// negative or larger than SQLite's limit: <https://sqlite.org/limits.html#max_function_arg>.
    var functions: [VirtualTableFunction] { get }
}

/// A function of a virtual table.
public struct VirtualTableFunction: Sendable {
    /// The name in SQL.
    public let name: String

    /// The number of arguments, or nil for any number.
    public let argumentCount: Int?

    /// What ``VirtualTableConstraint/operator`` is for a constraint with the function, or nil.
    public internal(set) var constraintOperator: VirtualTableConstraint.Operator?

    let isConstraint: Bool

    let body: @Sendable (borrowing VirtualTableArguments, borrowing SQLiteResult) throws -> Void

    /// Makes a function.
    ///
    /// - Parameters:
    ///   - argumentCount: the number of arguments, with the column; nil for any number.
    ///   - isConstraint: whether `WHERE f(column, value)` is shown to ``VirtualTable/bestIndex(_:)`` as a constraint,
    ///     with the name of the function. The first hundred of a table can be.
    ///   - body: leaves the result. Arguments and result are valid during the call.
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

    /// Gives operators to those that are constraints.
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

/// A function that SQLite holds a pointer to.
final class OverloadedFunction {
    let function: VirtualTableFunction
    private unowned let database: Database

    init(_ function: VirtualTableFunction, _ database: Database) {
        self.function = function
        self.database = database
    }

    /// SQLite's call of the function.
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
