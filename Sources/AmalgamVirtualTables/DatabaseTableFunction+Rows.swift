public import AmalgamCore

// There is one initializer for each kind of row and source, so that the generic code is specialized for their types.

// MARK: - Sequences

extension DatabaseTableFunction {
    /// Creates a function of one column, whose rows are the values of a sequence.
    ///
    /// ```swift
    /// let words = DatabaseTableFunction("words", arguments: ["text"], columns: ["word"]) { arguments in
    ///     let text: String = try arguments["text"]
    ///     return text.split(separator: " ").lazy.map(String.init)
    /// }
    /// // SELECT word FROM words('to be or not to be')
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the arguments of the function.
    ///   - columns: an array with one name. If there are more names, the columns after the first are NULL.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<Rows: Sequence>(
        _ name: String, arguments: [TableFunctionArgument] = [], columns: [String],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) where Rows.Element: DatabaseValueConvertible {
        self.init(name, arguments, columns, ValueReader<Rows.Element>()) {
            IteratorSupply(try rows($0).makeIterator())
        }
    }

    /// Creates a function whose rows are the tuples of a sequence.
    ///
    /// ```swift
    /// let squares = DatabaseTableFunction("squares", arguments: ["count"], columns: ["n", "square"]) { arguments in
    ///     try (0..<(arguments["count"] as Int)).lazy.map { ($0, $0 * $0) }
    /// }
    /// // SELECT n, square FROM squares(10)
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the arguments of the function.
    ///   - columns: the names of the columns, in the order of the tuple.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<each Value: DatabaseValueConvertible, Rows: Sequence>(
        _ name: String, arguments: [TableFunctionArgument] = [], columns: [String],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) where Rows.Element == (repeat each Value) {
        self.init(name, arguments, columns, TupleReader<repeat each Value>()) {
            IteratorSupply(try rows($0).makeIterator())
        }
    }

    /// Creates a function whose rows are the arrays of a sequence. Columns beyond the end of an array are NULL.
    ///
    /// ```swift
    /// let csv = DatabaseTableFunction("csv", arguments: ["path"], columns: header) { arguments in
    ///     try CSVReader(path: arguments["path"])   // a sequence of [String], or of [DatabaseValue]
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the arguments of the function.
    ///   - columns: the names of the columns, in the order of the arrays.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<Rows: Sequence>(
        _ name: String, arguments: [TableFunctionArgument] = [], columns: [String],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) where Rows.Element: RandomAccessCollection, Rows.Element.Element: DatabaseValueConvertible {
        self.init(name, arguments, columns, ArrayReader<Rows.Element>()) {
            IteratorSupply(try rows($0).makeIterator())
        }
    }

    /// Creates a function whose rows are the values of a sequence. Each column computes its value from a row.
    ///
    /// ```swift
    /// let function = DatabaseTableFunction(
    ///     "players", of: Player.self, columns: [.init("name", \.name), .init("score", \.score)]
    /// ) { _ in players }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - type: the type of the values.
    ///   - arguments: the arguments of the function.
    ///   - columns: the columns.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<Rows: Sequence>(
        _ name: String, of type: Rows.Element.Type, arguments: [TableFunctionArgument] = [],
        columns: [TableFunctionColumn<Rows.Element>],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) {
        self.init(name, arguments, columns.map(\.name), ColumnReader(columns)) {
            IteratorSupply(try rows($0).makeIterator())
        }
    }
}

// MARK: - Cursors

extension DatabaseTableFunction {
    /// Creates a function of one column, whose rows are the values of a cursor. The cursor may throw errors.
    ///
    /// ```swift
    /// let lines = DatabaseTableFunction("lines", arguments: ["path"], columns: ["line"]) { arguments in
    ///     let file = try LineReader(path: arguments["path"])
    ///     return AnyCursor { try file.readLine() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the arguments of the function.
    ///   - columns: an array with one name. If there are more names, the columns after the first are NULL.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<Rows: Cursor>(
        _ name: String, arguments: [TableFunctionArgument] = [], columns: [String],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) where Rows.Element: DatabaseValueConvertible {
        self.init(name, arguments, columns, ValueReader<Rows.Element>()) { CursorSupply(try rows($0)) }
    }

    /// Creates a function whose rows are the tuples of a cursor. The cursor may throw errors.
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the arguments of the function.
    ///   - columns: the names of the columns, in the order of the tuple.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<each Value: DatabaseValueConvertible, Rows: Cursor>(
        _ name: String, arguments: [TableFunctionArgument] = [], columns: [String],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) where Rows.Element == (repeat each Value) {
        self.init(name, arguments, columns, TupleReader<repeat each Value>()) { CursorSupply(try rows($0)) }
    }

    /// Creates a function whose rows are the arrays of a cursor. The cursor may throw errors. Columns beyond the end of
    /// an array are NULL.
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - arguments: the arguments of the function.
    ///   - columns: the names of the columns, in the order of the arrays.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<Rows: Cursor>(
        _ name: String, arguments: [TableFunctionArgument] = [], columns: [String],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) where Rows.Element: RandomAccessCollection, Rows.Element.Element: DatabaseValueConvertible {
        self.init(name, arguments, columns, ArrayReader<Rows.Element>()) { CursorSupply(try rows($0)) }
    }

    /// Creates a function whose rows are the values of a cursor. Each column computes its value from a row.
    ///
    /// ```swift
    /// let scores = DatabaseTableFunction(
    ///     "scores", of: Row.self, arguments: ["team"],
    ///     columns: [.init("name") { $0["name"] as String }, .init("score") { $0["score"] as Int? }]
    /// ) { arguments in
    ///     try Row.fetchCursor(
    ///         arguments.database, sql: "SELECT * FROM player WHERE team = ?",
    ///         arguments: [arguments["team"] as String])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the function in SQL.
    ///   - type: the type of the values.
    ///   - arguments: the arguments of the function.
    ///   - columns: the columns.
    ///   - rows: called at the beginning of each scan. Returns the rows of the scan.
    @inlinable
    public init<Rows: Cursor>(
        _ name: String, of type: Rows.Element.Type, arguments: [TableFunctionArgument] = [],
        columns: [TableFunctionColumn<Rows.Element>],
        rows: @escaping @Sendable (TableFunctionArguments) throws -> Rows
    ) {
        self.init(name, arguments, columns.map(\.name), ColumnReader(columns)) { CursorSupply(try rows($0)) }
    }

    @inlinable
    init<Source: RowSupply, Reader: TableFunctionReader>(
        _ name: String, _ arguments: [TableFunctionArgument], _ columns: [String], _ reader: Reader,
        _ makeSource: @escaping (TableFunctionArguments) throws -> Source
    ) where Reader.Row == Source.Row {
        self.init(name, arguments, columns) { function in
            let connect: ModuleDefinition.Connect = { declaration in
                let database = declaration.database
                return TableState(TableFunctionModule(function, database, reader, makeSource), database)
            }
            return DatabaseModule(
                ModuleDefinition(
                    function.name, TableFunctionModule<Source, Reader>.self, connect: connect, create: nil,
                    isEponymousOnly: true))
        }
    }
}
