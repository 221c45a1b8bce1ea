public import AmalgamCore

/// A table-valued function: <https://sqlite.org/vtab.html#table_valued_functions>.
///
/// ```swift
/// let series = DatabaseTableFunction(
///     "series", arguments: ["start", "stop", .optional("step")], columns: ["value"]
/// ) { arguments in
///     let (start, stop, step): (Int, Int, Int?) = (try arguments[0], try arguments[1], try arguments[2])
///     return stride(from: start, through: stop, by: step ?? 1)
/// }
///
/// try db.add(tableFunction: series)
/// let values = try Int.fetchAll(db, sql: "SELECT value FROM series(1, 10, 3)")   // [1, 4, 7, 10]
/// ```
///
/// The closure returns a sequence or a ``Cursor`` of rows. Each row is requested when the statement needs it, so a
/// sequence may be infinite, and a cursor may throw. A row is a single value, a tuple, an array, or a value whose
/// columns are computed by ``TableFunctionColumn``.
///
/// **Arguments** are hidden columns of the table. SQL provides them in parentheses or in a WHERE clause, and may take
/// them from another table of a join:
///
/// ```sql
/// SELECT value FROM series(1, 10);
/// SELECT value FROM series WHERE start = 1 AND stop = 10;
/// SELECT name, value FROM player, series(1, player.score);
/// SELECT start, value FROM series WHERE start IN (1, 100) AND stop = 102;
/// ```
///
/// A statement without a required argument doesn't compile. If a required argument is NULL, the function returns no
/// rows, because `argument = NULL` is never true. An optional argument that is NULL is treated like an argument that is
/// left out.
///
/// SQL can use the function like a read-only table. The rowid of a row is computed from the arguments of the call, and
/// from the position of the row among the rows of the call.
public struct DatabaseTableFunction: Sendable {
    /// The name of the function in SQL.
    public let name: String

    /// The arguments, which are hidden columns.
    public let arguments: [TableFunctionArgument]

    /// The names of the visible columns.
    public let columns: [String]

    /// Restrictions on the use of the function. By default, it can be used everywhere, except in views and triggers of
    /// an untrusted schema: <https://sqlite.org/pragma.html#pragma_trusted_schema>.
    public var options: VirtualTableSafetyOptions = []

    /// The regions that the closure reads. See ``reading(_:)``.
    var regions: [any DatabaseRegionConvertible] = []

    /// The number of rows per call that SQLite assumes when it plans joins.
    public var estimatedRows: Int64 = 1000

    nonisolated(unsafe) private let makeModule: (DatabaseTableFunction) -> DatabaseModule
    // Unsafe, but correct: the closure only captures types, and sendable closures of the application.

    @usableFromInline
    init(
        _ name: String, _ arguments: [TableFunctionArgument], _ columns: [String],
        _ makeModule: @escaping (DatabaseTableFunction) -> DatabaseModule
    ) {
        self.name = name
        self.arguments = arguments
        self.columns = columns
        self.makeModule = makeModule
    }

    /// Returns a copy of the function that declares the regions (tables, columns and rows) that its closure reads.
    ///
    /// Observations of statements that use the function also track these regions:
    ///
    /// ```swift
    /// let function = DatabaseTableFunction("rivals", arguments: ["team"], columns: ["name"]) { arguments in
    ///     try String.fetchCursor(
    ///         arguments.database, sql: "SELECT name FROM player WHERE team <> ?",
    ///         arguments: [arguments["team"] as String])
    /// }.reading(AnyDatabaseRegionConvertible { db in
    ///     try db.makeStatement(sql: "SELECT name, team FROM player").databaseRegion
    /// })
    /// ```
    public func reading(_ regions: any DatabaseRegionConvertible...) -> DatabaseTableFunction {
        var function = self
        function.regions += regions
        return function
    }

    /// The module of the function.
    var module: DatabaseModule { makeModule(self) }

    /// The declaration of the columns for SQLite.
    @usableFromInline
    var schema: String {
        let hidden = arguments.map { $0.name.quotedDatabaseIdentifier + " HIDDEN" }
        let list = columns.map(\.quotedDatabaseIdentifier) + hidden
        return "CREATE TABLE x(\(list.joined(separator: ", ")))"
    }
}

/// An argument of a ``DatabaseTableFunction``. A string literal is a required argument.
///
/// ```swift
/// let arguments: [TableFunctionArgument] = ["start", "stop", .optional("step")]
/// ```
public struct TableFunctionArgument: Sendable, ExpressibleByStringLiteral {
    /// The name of the hidden column.
    public let name: String

    /// Whether the argument is required: a statement that doesn't provide it doesn't compile.
    public let isRequired: Bool

    /// Returns a required argument.
    ///
    /// ```swift
    /// let start = TableFunctionArgument.required("start")
    /// ```
    public static func required(_ name: String) -> TableFunctionArgument {
        TableFunctionArgument(name: name, isRequired: true)
    }

    /// Returns an optional argument.
    ///
    /// ```swift
    /// let step = TableFunctionArgument.optional("step")
    /// ```
    public static func optional(_ name: String) -> TableFunctionArgument {
        TableFunctionArgument(name: name, isRequired: false)
    }

    public init(stringLiteral name: String) {
        self.init(name: name, isRequired: true)
    }

    private init(name: String, isRequired: Bool) {
        self.name = name
        self.isRequired = isRequired
    }
}

/// The arguments of a call of a ``DatabaseTableFunction``.
///
/// ```swift
/// let repeated = DatabaseTableFunction("repeated", arguments: ["text", "count"], columns: ["text"]) { arguments in
///     let (text, count): (String, Int) = (try arguments["text"], try arguments["count"])
///     return repeatElement(text, count: count)
/// }
/// ```
public struct TableFunctionArguments {
    /// The connection that runs the statement.
    public let database: Database

    let function: DatabaseTableFunction

    /// The values by position; nil for arguments that are left out.
    let values: [DatabaseValue?]

    @usableFromInline
    init(_ database: Database, _ function: DatabaseTableFunction, _ values: [DatabaseValue?]) {
        self.database = database
        self.function = function
        self.values = values
    }

    /// Returns the value of an argument.
    ///
    /// ```swift
    /// func rows(_ arguments: TableFunctionArguments) throws -> StrideThrough<Int> {
    ///     let start: Int = try arguments["start"]
    ///     let step: Int? = try arguments["step"]     // nil if it is left out or NULL
    ///     return stride(from: start, through: 100, by: step ?? 1)
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the function has no such argument, `SQLITE_MISMATCH` if its value can't be
    ///   converted.
    public subscript<Value: DatabaseValueConvertible>(name: String) -> Value {
        get throws {
            guard let index = function.arguments.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "table function \(function.name) has no argument \(name)")
            }
            return try self[index]
        }
    }

    /// Returns the value of an argument by its position, counted from 0.
    ///
    /// - Throws: `SQLITE_MISUSE` if the function has no such argument, `SQLITE_MISMATCH` if its value can't be
    ///   converted.
    public subscript<Value: DatabaseValueConvertible>(index: Int) -> Value {
        get throws {
            guard values.indices.contains(index) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "table function \(function.name) has no argument \(index)")
            }
            return try decode(values[index] ?? .null) {
                "table function \(function.name): argument \(function.arguments[index].name)"
            }
        }
    }
}

/// A column of a ``DatabaseTableFunction`` whose rows are values of one type.
///
/// ```swift
/// let columns: [TableFunctionColumn<Player>] = [.init("name", \.name), .init("rank") { $0.score / 10 }]
/// ```
public struct TableFunctionColumn<Row>: Sendable {
    /// The name of the column in SQL.
    public let name: String

    @usableFromInline
    nonisolated(unsafe) let read: (Row, borrowing SQLiteResult) throws -> Void
    // Unsafe, but correct: the closure only captures a type, and a sendable closure of the application.

    /// Creates a column.
    ///
    /// ```swift
    /// let column = TableFunctionColumn<Player>("name", \.name)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the column in SQL.
    ///   - value: returns the value of the column in a row. It can be a key path.
    @inlinable
    public init<Value: DatabaseValueConvertible>(_ name: String, _ value: @escaping @Sendable (Row) throws -> Value) {
        self.name = name
        read = { row, result in result.set(try value(row)) }
    }
}
