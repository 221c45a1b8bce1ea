public import CAmalgam
public import Foundation

// Methods with values instead of `StatementArguments`: each value is bound as its own type, without an existential.

extension Statement {
    /// Binds one value to each parameter, and runs the statement to its end. Rows are ignored.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "INSERT INTO player (name, score, teamId) VALUES (?, ?, ?)")
    /// for player in players {
    ///     try statement.execute(values: player.name, player.score, player.teamId)
    /// }
    /// ```
    ///
    /// This is the fastest way to run a statement in a loop, because it creates no ``StatementArguments``. An optional
    /// that is nil is NULL. A literal `nil` has no type: use `DatabaseValue.null`. The values apply only to this run:
    /// ``arguments`` are unchanged.
    ///
    /// - Parameter values: one value for each parameter, named or not, in the order of the parameters.
    /// - Throws: `SQLITE_MISUSE` if the number of values is wrong; an error for a value that can't be stored; any error
    ///   of running the statement.
    @inlinable
    public func execute<each Value: DatabaseValueConvertible>(values: repeat each Value) throws {
        var count = 0
        for _ in repeat (each Value).self { count += 1 }
        var binder = try beginRun(valueCount: count)
        defer { endRun(&binder) }
        repeat binder.bind(each values)
        if binder.code != SQLITE_OK { throw bindingFailure(binder.code, repeat each values) }
        do { try runToEnd(binder) } catch { throw runFailure(error, repeat each values) }
    }

    /// Sets the arguments of all following runs, until other arguments are set.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = ? AND score > ?")
    /// try statement.setArguments(values: "Anna", 1000)
    /// let players = try Player.fetchAll(statement)
    /// ```
    ///
    /// - Parameter values: one value for each parameter, named or not, in the order of the parameters.
    /// - Throws: `SQLITE_MISUSE` if the number of values is wrong, which leaves the previous arguments unchanged; an
    ///   error for a value that can't be stored.
    @inlinable
    public func setArguments<each Value: DatabaseValueConvertible>(values: repeat each Value) throws {
        var count = 0
        for _ in repeat (each Value).self { count += 1 }
        var binder = try beginSettingArguments(valueCount: count)
        repeat binder.bind(each values)
        if binder.code != SQLITE_OK { throw bindingFailure(binder.code, repeat each values) }
        try didSetArguments(binder)
    }
}

// MARK: - Parts that don't depend on the types of values

extension Statement {
    /// The origin of the bound values.
    enum BoundValues {
        /// `storedArguments`, or C code.
        case arguments
        /// Values set by `setArguments(values:)`. The getter of `arguments` reads them back from the parameters.
        case values
        /// Values of a single run.
        case valuesOfRun
    }

    /// The values that are bound to the parameters.
    var boundValues: StatementArguments {
        StatementArguments(
            values: (0..<parameterCount).map { index in
                amalgam_bound_value(sqliteStatement, CInt(index + 1)).map { DatabaseValue(sqliteValue: $0) } ?? .null
            }, namedValues: [:])
    }

    /// Stores the bound values as arguments, before other values are bound.
    func storeBoundValues() {
        guard values == .values else { return }
        storedArguments = boundValues
        values = .arguments
    }

    @usableFromInline
    func beginRun(valueCount: Int) throws -> StatementValues {
        try checkValueCount(valueCount)
        storeBoundValues()
        restart()
        values = .valuesOfRun
        hasBoundArguments = false
        return StatementValues(sqliteStatement, memory: database.statements.argumentMemory.take(), run: runNumber)
    }

    @usableFromInline
    func endRun(_ binder: inout StatementValues) {
        if binder.hasBoundBytes { resetAndClear() } else { reset() }
        values = .arguments
        database.statements.argumentMemory.release(binder.memory)
    }

    @usableFromInline
    func runToEnd(_ binder: borrowing StatementValues) throws {
        try checkRun(of: binder)
        if database.access.isSuspended { try database.checkLocks(of: self) }
        while try step() {}
    }

    @usableFromInline
    func beginSettingArguments(valueCount: Int) throws -> StatementValues {
        try checkValueCount(valueCount)
        storeBoundValues()
        restart()
        return StatementValues(sqliteStatement, memory: ArgumentMemory.none, run: runNumber)
    }

    @usableFromInline
    func didSetArguments(_ binder: borrowing StatementValues) throws {
        try checkRun(of: binder)
        values = .values
        hasBoundArguments = true
    }

    /// Throws if application code that bound a value has run this statement, which replaces the bindings.
    private func checkRun(of binder: borrowing StatementValues) throws {
        if binder.run == runNumber { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "The statement was run again while values were bound to it. Values must not use their statement.",
            sql: sql)
    }

    private func checkValueCount(_ count: Int) throws {
        try checkAccess()
        if count != parameterCount { throw StatementArguments.wrongCount(count, of: parameterCount, sql: sql) }
    }

    /// Returns the error of a run, which `arguments` can't explain: SQLite has stored NaN as NULL in the parameters.
    @usableFromInline
    func runFailure<each Value: DatabaseValueConvertible>(_ error: any Error, _ values: repeat each Value) -> any Error
    {
        guard let error = error as? DatabaseError, error.mayComeFromNaN else { return error }
        var databaseValues: [DatabaseValue] = []
        repeat databaseValues.append((each values).databaseValue)
        return error.explained(by: databaseValues)
    }

    /// Clears the bindings, and returns the error of a value that can't be bound.
    @usableFromInline
    func bindingFailure<each Value: DatabaseValueConvertible>(_ code: CInt, _ values: repeat each Value) -> any Error {
        sqlite3_clear_bindings(sqliteStatement)
        hasBoundArguments = false
        var databaseValues: [DatabaseValue] = []
        repeat databaseValues.append((each values).databaseValue)
        let value = databaseValues.first { !$0.isStorable }
        return database.error(code, message: value?.unstorableError.message, sql: sql)
    }
}

// MARK: - Cursors

extension Row {
    /// Binds one value to each parameter of a statement, and returns a cursor over the rows of the statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE score > ?")
    /// let rows = try Row.fetchCursor(statement, values: 1000)
    /// ```
    ///
    /// - Throws: the errors of ``Statement/setArguments(values:)``.
    @inlinable
    public static func fetchCursor<each Value: DatabaseValueConvertible>(
        _ statement: Statement, values: repeat each Value
    ) throws -> RowCursor {
        try statement.setArguments(values: repeat each values)
        return try fetchCursor(statement)
    }
}

extension DatabaseValueConvertible {
    /// Binds one value to each parameter of a statement, and returns a cursor over the values of its first column.
    ///
    /// - Throws: the errors of ``Statement/setArguments(values:)``.
    @inlinable
    public static func fetchCursor<each Value: DatabaseValueConvertible>(
        _ statement: Statement, values: repeat each Value
    ) throws -> DatabaseValueCursor<Self> {
        try statement.setArguments(values: repeat each values)
        return try fetchCursor(statement)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Binds one value to each parameter of a statement, and returns a cursor over the values of its first column.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > ?")
    /// let names = try String.fetchCursor(statement, values: 1000)
    /// ```
    ///
    /// - Throws: the errors of ``Statement/setArguments(values:)``.
    @inlinable
    public static func fetchCursor<each Value: DatabaseValueConvertible>(
        _ statement: Statement, values: repeat each Value
    ) throws -> FastDatabaseValueCursor<Self> {
        try statement.setArguments(values: repeat each values)
        return try fetchCursor(statement)
    }
}

// MARK: - Values that are bound one by one

extension Statement {
    /// Runs the statement to its end with values that a closure binds for this run: one value for each parameter.
    ///
    /// - Parameters:
    ///   - count: The number of values.
    ///   - bind: Binds the values.
    /// - Returns: False if the statement hasn't run, because a value can't be bound, or because the closure has bound a
    ///   different number of values.
    /// - Throws: `SQLITE_MISUSE` if the number of values is wrong; errors of the closure; any error of running the
    ///   statement.
    package func execute(valueCount count: Int, _ bind: (inout StatementValues) throws -> Void) throws -> Bool {
        var values = try beginRun(valueCount: count)
        defer { endRun(&values) }
        try bind(&values)
        guard values.code == SQLITE_OK, Int(values.index) == count else {
            sqlite3_clear_bindings(sqliteStatement)
            return false
        }
        try runToEnd(values)
        return true
    }
}

extension Statement {
    /// Starts a run with one value, which is an argument of the following runs too.
    ///
    /// - Throws: `SQLITE_MISUSE` if the statement doesn't have one parameter; an error for a value that can't be stored.
    package func start(_ value: StoredValue) throws {
        try checkValueCount(1)
        // The previous arguments aren't needed any more, even if they were bound without being stored.
        self.values = .arguments
        restart()
        var values = StatementValues(sqliteStatement, memory: ArgumentMemory.none, run: runNumber)
        values.bind(stored: value)
        if values.code != SQLITE_OK { throw bindingFailure(values.code, value.databaseValue) }
        try didSetArguments(values)
        if database.access.isSuspended { try database.checkLocks(of: self) }
    }
}

/// Binds values of known types to the parameters of a statement, one after the other.
@usableFromInline
package struct StatementValues: ~Copyable {
    private var binder: ArgumentBinder
    fileprivate let memory: UnsafeMutableRawBufferPointer

    /// The number of the run for which the values are bound.
    fileprivate let run: UInt64

    @usableFromInline
    let sqliteStatement: SQLiteStatement

    @usableFromInline
    var index: CInt = 0

    /// The first error.
    @usableFromInline
    var code = SQLITE_OK

    /// Whether strings or blobs are bound, and not only numbers.
    fileprivate var hasBoundBytes: Bool { binder.hasBoundBytes }

    /// - Parameter memory: the buffer for the values of one run; empty for values that stay bound after the run.
    fileprivate init(_ sqliteStatement: SQLiteStatement, memory: UnsafeMutableRawBufferPointer, run: UInt64) {
        self.sqliteStatement = sqliteStatement
        self.memory = memory
        self.run = run
        binder = ArgumentBinder(sqliteStatement, memory: memory)
    }

    /// Binds a value. Frequent types, and types that are bound without a copy, have their own branch. If the type is
    /// known at compile time, the compiler removes the other branches.
    @inlinable @inline(__always)
    mutating func bind<Value: DatabaseValueConvertible>(_ value: Value) {
        if let integer = Self.same(value, Int.self) {
            bind(Int64(integer))
        } else if let string = Self.same(value, String.self) {
            bind(string)
        } else if let double = Self.same(value, Double.self) {
            bind(double)
        } else if let date = Self.same(value, Date.self) {
            bind(date)
        } else if let data = Self.same(value, Data.self) {
            bind(data)
        } else if let string = Self.same(value, String?.self) {
            if let string { bind(string) } else { bindNull() }
        } else if let data = Self.same(value, Data?.self) {
            if let data { bind(data) } else { bindNull() }
        } else {
            bindOther(value)
        }
    }

    /// Returns the value if it has the given type.
    @inlinable @inline(__always)
    static func same<Value, Known>(_ value: Value, _ type: Known.Type) -> Known? {
        Value.self == Known.self ? sameTypeCast(value, to: Known.self) : nil
    }

    @inlinable @inline(__always)
    mutating func next() -> CInt {
        index += 1
        return index
    }

    @inlinable @inline(__always)
    mutating func note(_ code: CInt) {
        if self.code == SQLITE_OK { self.code = code }
    }

    @inlinable
    mutating func bind(_ integer: Int64) { note(sqlite3_bind_int64(sqliteStatement, next(), integer)) }

    @inlinable
    mutating func bind(_ double: Double) { note(sqlite3_bind_double(sqliteStatement, next(), double)) }

    @usableFromInline
    mutating func bind(_ string: String) { note(binder.bind(string, at: next())) }

    @usableFromInline
    mutating func bind(_ date: Date) { note(binder.bind(date, at: next())) }

    @usableFromInline
    mutating func bind(_ data: Data) { note(binder.bind(data, at: next())) }

    @inlinable
    mutating func bindNull() { note(sqlite3_bind_null(sqliteStatement, next())) }

    /// Binds a value of a record.
    @inlinable @inline(__always)
    package mutating func bind(stored value: StoredValue) {
        switch value {
        case .null: bindNull()
        case .integer(let integer): bind(integer)
        case .real(let double): bind(double)
        case .text(let string): bind(string)
        case .date(let date): bind(date)
        case .blob(let data): bind(data)
        default: bindStored(value)
        }
    }

    @usableFromInline
    mutating func bindStored(_ value: StoredValue) { note(binder.bind(value, at: next())) }

    @usableFromInline
    mutating func bindOther(_ value: some DatabaseValueConvertible) { note(binder.bindOther(value, at: next())) }
}
