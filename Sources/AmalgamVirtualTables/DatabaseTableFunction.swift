public import AmalgamCore

/// A function that returns rows: <https://sqlite.org/vtab.html#table_valued_functions>.
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
/// Rows are a sequence or a ``Cursor`` that the closure returns. They are asked for one by one, as the statement needs
/// them: a sequence may be infinite, and a cursor may throw. A row is a single value, a tuple, an array, or any value
/// whose columns are given by ``TableFunctionColumn``.
///
/// **Arguments** are hidden columns of the table. They are given in parentheses or by a WHERE clause, and may come from
/// another table of a join:
///
/// ```sql
/// SELECT value FROM series(1, 10);
/// SELECT value FROM series WHERE start = 1 AND stop = 10;
/// SELECT name, value FROM player, series(1, player.score);
/// SELECT start, value FROM series WHERE start IN (1, 100) AND stop = 102;
/// ```
///
/// A statement that leaves out a required argument does not compile. A required argument that is NULL gives no row, as
/// nothing equals NULL; an optional one that is NULL counts as left out.
///
/// The function can be used like a table by its name, and cannot be written to. Rows have a rowid that is made of their
/// number and of the arguments.
public struct DatabaseTableFunction: Sendable {
    /// The name in SQL.
    public let name: String

    /// The arguments, which are hidden columns.
    public let arguments: [TableFunctionArgument]

    /// The names of the visible columns.
    public let columns: [String]

    /// Where the function may be used. By default, everywhere but in the views and triggers of a schema that is not
    /// trusted: <https://sqlite.org/pragma.html#pragma_trusted_schema>.
    public var options: VirtualTableSafetyOptions = []

    /// What the closure reads from the database: see ``reading(_:)``.
    var regions: [any DatabaseRegionConvertible] = []

    /// How many rows a call gives, about: SQLite plans joins by it.
    public var estimatedRows: Int64 = 1000

    nonisolated(unsafe) private let makeModule: (DatabaseTableFunction) -> DatabaseModule
    // Unsafe: it captures nothing but types, and closures of the user that are sendable.

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

    /// The function, with what its closure reads from the database.
    ///
    /// The region of a statement that uses the function then contains these tables, so that observations of it notice
    /// when they change:
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

    /// The implementation.
    var module: DatabaseModule { makeModule(self) }

    /// The columns, as SQLite wants to know them.
    @usableFromInline
    var schema: String {
        let hidden = arguments.map { $0.name.quotedDatabaseIdentifier + " HIDDEN" }
        let list = columns.map(\.quotedDatabaseIdentifier) + hidden
        return "CREATE TABLE x(\(list.joined(separator: ", ")))"
    }
}

/// An argument of a ``DatabaseTableFunction``. A string literal is a required one.
///
/// ```swift
/// arguments: ["start", "stop", .optional("step")]
/// ```
public struct TableFunctionArgument: Sendable, ExpressibleByStringLiteral {
    /// The name of the hidden column.
    public let name: String

    /// Whether a statement that leaves the argument out does not compile.
    public let isRequired: Bool

    /// An argument that must be given.
    public static func required(_ name: String) -> TableFunctionArgument {
        TableFunctionArgument(name: name, isRequired: true)
    }

    /// An argument that may be left out.
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

/// The arguments of one call of a ``DatabaseTableFunction``.
public struct TableFunctionArguments {
    /// The connection.
    public let database: Database

    let function: DatabaseTableFunction

    /// nil for arguments that are left out.
    let values: [DatabaseValue?]

    @usableFromInline
    init(_ database: Database, _ function: DatabaseTableFunction, _ values: [DatabaseValue?]) {
        self.database = database
        self.function = function
        self.values = values
    }

    /// The value of an argument.
    ///
    /// ```swift
    /// let start: Int = try arguments["start"]
    /// let step: Int? = try arguments["step"]     // nil when left out, or NULL
    /// ```
    ///
    /// - throws: `SQLITE_MISUSE` when the function has no such argument, `SQLITE_MISMATCH` when it does not convert.
    public subscript<Value: DatabaseValueConvertible>(name: String) -> Value {
        get throws {
            guard let index = function.arguments.firstIndex(where: { $0.name.equalsIgnoringCase(name) }) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "table function \(function.name) has no argument \(name)")
            }
            return try self[index]
        }
    }

    /// The value of an argument, counted from 0.
    ///
    /// - throws: `SQLITE_MISUSE` when the function has no such argument, `SQLITE_MISMATCH` when it does not convert.
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
/// columns: [.init("name", \.name), .init("age") { $0.age(on: today) }]
/// ```
public struct TableFunctionColumn<Row>: Sendable {
    /// The name in SQL.
    public let name: String

    @usableFromInline
    nonisolated(unsafe) let read: (Row, borrowing SQLiteResult) throws -> Void
    // Unsafe: it captures nothing but a type, and a closure of the user that is sendable.

    /// Makes a column.
    ///
    /// - Parameter value: the value in a row: a key path or a closure.
    @inlinable
    public init<Value: DatabaseValueConvertible>(_ name: String, _ value: @escaping @Sendable (Row) throws -> Value) {
        self.name = name
        read = { row, result in result.set(try value(row)) }
    }
}
