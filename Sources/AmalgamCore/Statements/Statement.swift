public import CAmalgam

/// A prepared statement: <https://sqlite.org/c3ref/stmt.html>.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "INSERT INTO player (name, score) VALUES (?, ?)")
/// for (name, score) in [("Anna", 10), ("Bo", 20)] {
///     try statement.execute(values: name, score)
/// }
/// ```
///
/// A statement belongs to the connection that compiled it, and may only be used inside of the database accesses of this
/// connection, such as calls of `read` and `write`. For statements that run often, use the connection's cache:
/// ``Database/cachedStatement(sql:)``.
///
/// A statement serves one cursor at a time: executing it or fetching from it restarts it.
public final class Statement {
    // Protected, like all of this type, by the rule that a connection is used from one thread at a time.

    /// The C statement. It is finalized when the `Statement` is released, so retain the `Statement` while you use it.
    public let sqliteStatement: SQLiteStatement

    /// The SQL of the statement, without leading and trailing blanks and semicolons.
    public let sql: String

    @usableFromInline
    package let database: Database

    /// Whether running the statement only reads rows, and changes no other state.
    @usableFromInline
    let onlyReads: Bool

    /// Whether the statement runs without bookkeeping: it only reads, and was compiled outside of `withAuthorizer`.
    @usableFromInline
    let stepsDirectly: Bool

    /// The number of the authorizer scope (call of `withAuthorizer`) in which the statement can be used; 0 for none.
    let scope: Int

    /// What the statement reads and writes.
    private(set) var access: StatementAccess

    /// Identifies the state of the schemas for which `access` is valid.
    private var accessStamp: SchemaState.Stamp

    /// The number of recompilations when an authorizer has last allowed the program.
    @exclusivity(unchecked)
    var allowedCompilation: CInt = -1

    /// The effect of the statement on the transaction.
    let transactionEffect: TransactionEffect?

    /// Whether a run changes neither the schema nor the transaction. It may change the content of tables.
    let changesContentAtMost: Bool

    /// The row changes that the statement may make, including those of triggers, foreign key actions and REPLACE.
    package var eventKinds: [DatabaseEventKind] {
        database.noticeSchemaChanges()
        refreshAccess()
        if let storedEventKinds { return storedEventKinds }
        readProgram()
        let eventKinds = access.eventKinds
        storedEventKinds = eventKinds
        return eventKinds
    }

    /// Reads the instructions of the program. If it is outdated, for example after a schema change, this method compiles
    /// the SQL again.
    private func readProgram() {
        if !access.readProgram(of: sqliteStatement), let newAccess = newAccess() { access = newAccess }
    }

    /// Compiles the SQL again, and returns what it reads and writes; nil if this fails.
    private func newAccess() -> StatementAccess? {
        var program: ProgramFacts?
        guard let facts = database.facts(sql: sql, { program = ProgramFacts($0) }) else { return nil }
        return StatementAccess(facts, program: program)
    }

    /// The virtual tables that the statement may change.
    var changedVirtualTables: Set<TableName> {
        refreshAccess()
        if let storedVirtualTables { return storedVirtualTables }
        guard let connection = database.sqliteConnection else { return [] }
        let tables = access.facts.changedTables { schema, table in
            amalgam_is_virtual_table(connection, schema, table) != 0
        }
        storedVirtualTables = tables
        return tables
    }

    /// The observers of the statement's changes, cached by the observation broker.
    @exclusivity(unchecked)  // Like the following properties: used from one thread, and not accessed during a change.
    var statementListeners: StatementListeners?

    /// Whether the row changes of the statement may be recorded. Valid for the recorder's state `recordingStamp`.
    @exclusivity(unchecked)
    package var isRecorded = false
    @exclusivity(unchecked)
    package var recordingStamp: RecordingStamp?

    /// Data that row decoders cache about the statement's columns: see `Row.decodingPlans`.
    @exclusivity(unchecked)
    package var decodingPlans: AnyObject?

    /// See `columnPositions(of:in:)`.
    @exclusivity(unchecked)
    var columnPositions: [ColumnPositions] = []

    private var storedRegion: DatabaseRegion?
    private var storedEventKinds: [DatabaseEventKind]?
    private var storedVirtualTables: Set<TableName>?

    @exclusivity(unchecked)
    private(set) var changesRows: Bool

    var invalidatesSchemaCache: Bool { access.facts.invalidatesSchemaCache }

    /// The table or view that the statement drops; nil if it drops none.
    var droppedTable: SchemaTable? { invalidatesSchemaCache ? access.facts.droppedTable : nil }

    /// Whether a run may free tables that running statements use, or create an index that these wouldn't update.
    var freesTables: Bool { access.facts.freesTables || (mayVacuum && amalgam_vacuums(sqliteStatement) != 0) }

    var rebuildsIndexes: Bool { access.facts.rebuildsIndexes }

    private var mayVacuum: Bool { !changesRows && !onlyReads && transactionEffect == nil }

    /// The tables and views that a run may redefine.
    var schemaChange: SchemaChange { access.facts.schemaChange }

    /// Incremented with each run, so that a cursor notices that its statement was run again.
    @exclusivity(unchecked)  // Used from one thread, and not accessed during a change.
    @usableFromInline
    package private(set) var runNumber: UInt64 = 0

    /// Whether the statement may be running, and must be reset before the next run.
    @exclusivity(unchecked)
    private var needsReset = true

    /// Whether SQLite is running the statement now. If so, the caller is code that SQLite has called.
    @exclusivity(unchecked)
    @usableFromInline
    var isStepping = false

    /// Whether a run has begun and not ended. Only for statements that do more than read.
    @exclusivity(unchecked)
    var isRunning = false

    /// The number of recompilations when the statement was last made to delete rows one by one.
    private var compilationOfRowDeletions: CInt = -1

    /// Makes the next run delete rows one by one, so that SQLite reports each deletion. If SQLite compiled a DELETE
    /// without WHERE while there were no observers, the DELETE may use the truncate optimization, which reports no
    /// rows. Therefore, this method makes SQLite compile the statement again.
    package func requireRowDeletions() {
        let compilation = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if compilation == compilationOfRowDeletions { return }
        amalgam_expire(sqliteStatement)
        compilationOfRowDeletions = compilation + 1
    }

    /// Whether a caller has acquired the statement from the connection.
    @exclusivity(unchecked)
    @usableFromInline
    package internal(set) var isAcquired = false

    /// Lets other callers acquire the statement. A method, because other modules would check exclusivity.
    @usableFromInline
    package func returnToCache() { isAcquired = false }

    /// The runs of cursors that own no ``StatementRun``.
    var adoptedRuns: [AdoptedRun] = []

    /// The arguments. `hasBoundArguments` is true while they are bound.
    @exclusivity(unchecked)
    var storedArguments = StatementArguments()

    @exclusivity(unchecked)
    var hasBoundArguments = false

    /// The origin of the bound values.
    @exclusivity(unchecked)
    var values = BoundValues.arguments

    let parameterCount: Int

    /// The names of the parameters, without their prefix; nil for a parameter that is only known by its position.
    private(set) lazy var parameterNames: [String?] = (0..<parameterCount).map { index in
        guard let name = sqlite3_bind_parameter_name(sqliteStatement, CInt(index + 1)) else { return nil }
        return name[0] == UInt8(ascii: "?") ? nil : String(cString: name + 1)
    }

    private let hasNamedParameters: Bool

    /// The columns, read on first use.
    private var storedColumns: StatementColumns?

    init(_ database: Database, sqliteStatement: SQLiteStatement, sql: String, facts: amalgam_facts) {
        self.database = database
        self.sqliteStatement = sqliteStatement
        self.sql = sql
        let statementFacts = StatementFacts(facts)
        onlyReads = statementFacts.onlyReads && sqlite3_stmt_readonly(sqliteStatement) != 0
        scope = database.access.scope
        stepsDirectly = onlyReads && scope == 0
        transactionEffect = statementFacts.controlsTransaction ? statementFacts.transactionEffect : nil
        changesContentAtMost =
            scope == 0 && !statementFacts.controlsTransaction && !statementFacts.invalidatesSchemaCache
            && !statementFacts.rebuildsIndexes && !statementFacts.outdatesSchema
        changesRows = statementFacts.changesRows
        access = StatementAccess(statementFacts)
        accessStamp = database.schema.state.stamp
        let parameterCount = sqlite3_bind_parameter_count(sqliteStatement)
        self.parameterCount = Int(parameterCount)
        hasNamedParameters =
            parameterCount > 0 && amalgam_has_named_parameters(sqliteStatement, parameterCount) != 0
    }

    deinit {
        database.finalize(sqliteStatement)
    }

    /// Whether the statement makes no direct change to the content of the database file. A function that the statement
    /// calls may still change the content: <https://sqlite.org/c3ref/stmt_readonly.html>.
    public var isReadonly: Bool { sqlite3_stmt_readonly(sqliteStatement) != 0 }

    /// The region that the statement reads: tables and columns, also through views, joins and subqueries.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player")
    /// statement.databaseRegion.description   // "player(name)"
    /// ```
    public var databaseRegion: DatabaseRegion {
        if database.isAccessible, database.sqliteConnection != nil {
            database.schema.state.compareWithFiles(of: sqliteStatement)
            database.noticeSchemaChanges()
        }
        refreshAccess()
        guard accessStamp == database.schema.state.stamp else { return .fullDatabase }
        if storedRegion == nil {
            readProgram()
            storedRegion = access.databaseRegion(database)
        }
        return database.regionWithTableFunctions(storedRegion!)
    }

    /// Updates `access` after a schema change: SQLite recompiles the statement at its next run, and the new program may
    /// read other columns and fire other triggers. If the compilation fails because memory is exhausted or the schema
    /// is locked, the next call tries again. If the SQL has become invalid, `access` is unchanged.
    private func refreshAccess() {
        guard accessStamp != database.schema.state.stamp, database.isAccessible else { return }
        if let newAccess = newAccess() {
            changesRows = newAccess.facts.changesRows
            access = newAccess
            storedRegion = nil
            storedEventKinds = nil
            storedVirtualTables = nil
        } else if database.lastErrorCode.primaryResultCode != .SQLITE_ERROR {
            return
        }
        // The compilation may have read the schema from the file.
        database.noticeSchemaChanges()
        accessStamp = database.schema.state.stamp
    }
}

// MARK: - Columns

extension Statement {
    /// The number of result columns; 0 for a statement that returns no rows.
    public var columnCount: Int { Int(sqlite3_column_count(sqliteStatement)) }

    /// The names of the result columns, from left to right.
    public var columnNames: [String] { columns.names }

    /// Returns the position of the leftmost column with this name, compared without regard to case, or nil.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT id, name FROM player")
    /// statement.index(ofColumn: "name")   // 1
    /// ```
    public func index(ofColumn name: String) -> Int? { columns.index(of: name) }

    /// The columns, cached until SQLite recompiles the statement. After a schema change, a recompiled `SELECT *` may
    /// have other columns.
    package var columns: StatementColumns {
        let recompilations = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let storedColumns, storedColumns.recompilations == recompilations { return storedColumns }
        let names = (0..<sqlite3_column_count(sqliteStatement)).map { index in
            sqlite3_column_name(sqliteStatement, index).map { String(cString: $0) } ?? ""
        }
        let columns = StatementColumns(names: names, recompilations: recompilations)
        storedColumns = columns
        return columns
    }
}

// MARK: - Arguments

extension Statement {
    /// The arguments of the statement.
    ///
    /// Setting arguments that don't fit the statement is a programmer error and traps. For arguments from user input,
    /// use ``setArguments(_:)``.
    public var arguments: StatementArguments {
        get { values == .arguments ? storedArguments : boundValues }
        set {
            do {
                try setArguments(newValue)
            } catch {
                fatalError("\(error)")
            }
        }
    }

    /// Sets the arguments of all following runs, until other arguments are set.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = :name")
    /// try statement.setArguments(["name": "Anna"])
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments don't fit the statement, which leaves the previous arguments
    ///   unchanged; an error for a value that can't be stored.
    public func setArguments(_ arguments: __owned StatementArguments) throws {
        try checkAccess()
        _ = try bind(arguments, ArgumentMemory.none)
    }

    /// Binds arguments. The caller has called `checkAccess()`.
    ///
    /// - Returns: whether strings or blobs are bound, and not only numbers.
    private func bind(
        _ arguments: __owned StatementArguments, _ memory: UnsafeMutableRawBufferPointer
    ) throws -> Bool {
        if let arrays = arguments.arrays { try arrays.check(sql: sql) }
        storeBoundValues()
        var binder = ArgumentBinder(sqliteStatement, memory: memory)
        if fitsByPosition(arguments) {
            restart()
            try didBind(arguments.bindPositional(with: &binder), arguments)
        } else {
            let values = try matchingValues(arguments)
            restart()
            try didBind(values.bindPositional(with: &binder), arguments)
        }
        storedArguments = arguments
        return binder.hasBoundBytes
    }

    /// Sets the arguments without checking their number. Parameters without a value are NULL, and surplus values are
    /// ignored. An argument that can't be bound, such as an integer above `Int64.max`, is an error of the next run.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT ?, ?")
    /// statement.setUncheckedArguments([1])   // 1, NULL
    /// ```
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        if isStepping { return }
        storedArguments = arguments
        values = .arguments
        let values = arguments.padded(for: parameterNames)
        restart()
        var binder = ArgumentBinder(sqliteStatement)
        // After an error, `hasBoundArguments` is false: the next run binds the arguments again, and throws.
        try? didBind(values.bindPositional(with: &binder), arguments)
    }

    /// Checks that arguments fit the statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// try statement.validateArguments([1, 2])   // throws SQLITE_MISUSE
    /// ```
    ///
    /// - Throws: `SQLITE_MISUSE` if there are too few or too many arguments.
    public func validateArguments(_ arguments: StatementArguments) throws {
        if !fitsByPosition(arguments) { _ = try matchingValues(arguments) }
    }

    /// Returns whether the arguments consist of one positional value for each parameter, which is the common case.
    private func fitsByPosition(_ arguments: StatementArguments) -> Bool {
        arguments.positionalCount == parameterCount && !hasNamedParameters && arguments.namedValues.isEmpty
    }

    /// Returns one value for each parameter.
    private func matchingValues(_ arguments: StatementArguments) throws -> StatementArguments {
        var remaining = arguments
        let values = try remaining.extract(for: parameterNames, sql: sql)
        if !remaining.values.isEmpty {
            throw StatementArguments.wrongCount(arguments.values.count, of: parameterCount, sql: sql)
        }
        return values
    }

    private func didBind(_ code: CInt, _ arguments: StatementArguments) throws {
        hasBoundArguments = code == SQLITE_OK
        if code != SQLITE_OK { try failToBind(code, arguments) }
    }

    private func failToBind(_ code: CInt, _ arguments: StatementArguments) throws {
        sqlite3_clear_bindings(sqliteStatement)
        throw database.error(code, message: arguments.unstorableValue?.unstorableError.message, sql: sql)
    }

    /// Prepares a new run, with new arguments or with those of the last run.
    @usableFromInline
    package func start(_ arguments: __owned StatementArguments?) throws {
        if database.observation.accessedRegion != nil {
            database.recordAccess(of: self, hasOtherArguments: arguments != nil)
        }
        try bind(arguments)
        if database.access.isSuspended { try database.checkLocks(of: self) }
    }

    /// Prepares a new run with the values that are bound now: the ``arguments``, or values that the application has
    /// bound by `sqlite3_bind_*`. If no value is bound, because the last run has cleared the bindings, this method
    /// binds the ``arguments`` again.
    func startWithBoundValues() throws {
        if database.observation.accessedRegion != nil {
            database.recordAccess(of: self, hasOtherArguments: parameterCount > 0)
        }
        try checkAccess()
        if hasBoundArguments || storedArguments.isEmpty || amalgam_has_bound_values(sqliteStatement) != 0 {
            restart()
        } else {
            _ = try bind(storedArguments, ArgumentMemory.none)
        }
        if database.access.isSuspended { try database.checkLocks(of: self) }
    }

    private func bind(_ arguments: __owned StatementArguments?) throws {
        try checkAccess()
        if let arguments {
            _ = try bind(arguments, ArgumentMemory.none)
        } else if hasBoundArguments || parameterCount == 0 {
            restart()
        } else {
            _ = try bind(storedArguments, ArgumentMemory.none)
        }
    }

    func checkAccess() throws {
        if !database.isPlainlyAccessible { try database.checkAccess(sql: sql) }
        if isStepping { throw isRunningError }
        if scope != database.access.scope { throw database.foreignScope(self) }
    }

    /// The error thrown if a function, collation or virtual table tries to run the statement that is calling it.
    var isRunningError: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The statement is running. The functions, collations and virtual tables that it uses cannot run it: \
                prepare another statement for them.
                """,
            sql: sql)
    }

    func restart() {
        runNumber &+= 1
        if needsReset { reset() }
        needsReset = true
    }
}

// MARK: - Execution

extension Statement {
    /// Runs the statement to its end. Rows are ignored.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "INSERT INTO player (name, score) VALUES (?, ?)")
    /// try statement.execute(arguments: ["Anna", 10])
    /// ```
    ///
    /// The arguments become the ``arguments`` of the statement. SQLite retains no copies of their strings and blobs
    /// after this run, unless there are more than 20 arguments. In loops, ``execute(values:)`` is faster.
    ///
    /// - Parameter arguments: the arguments. If nil, the statement runs with its current ``arguments``.
    /// - Throws: `SQLITE_MISUSE` if the arguments don't fit the statement; any error of running the statement.
    public func execute(arguments: __owned StatementArguments? = nil) throws {
        if let arguments, arguments.count <= Self.temporaryArgumentCount { return try executeOnce(arguments) }
        try start(arguments)
        defer { reset() }
        while try step() {}
    }

    /// Runs the statement with arguments that are bound for this run only: see ``ArgumentBinder``.
    private func executeOnce(_ arguments: __owned StatementArguments) throws {
        try checkAccess()
        let memory = database.statements.argumentMemory.take()
        var hasBoundBytes = true
        defer {
            if hasBoundBytes { resetAndClear() } else { reset() }
            database.statements.argumentMemory.release(memory)
        }
        hasBoundBytes = try bind(arguments, memory)
        if database.access.isSuspended { try database.checkLocks(of: self) }
        while try step() {}
    }

    private static var temporaryArgumentCount: Int { 20 }

    func resetAndClear() {
        didReset(amalgam_reset_and_clear(sqliteStatement))
        hasBoundArguments = false
    }

    /// Calls `sqlite3_step`. Functions and collations that it calls can neither run nor reset this statement.
    @inlinable
    package func stepOnce() -> CInt {
        isStepping = true
        defer { isStepping = false }
        return sqlite3_step(sqliteStatement)
    }

    /// Calls `sqlite3_step` in a transaction, without reporting row changes, because no observer would receive them.
    func stepOnce(unreportedBy hooks: OpaquePointer?) -> CInt {
        isStepping = true
        defer { isStepping = false }
        return amalgam_step_unreported(hooks, sqliteStatement)
    }

    /// Whether the statement only reads, or changes rows. Others may discard schemas themselves, such as VACUUM.
    var mayStepUnderSchemaLock: Bool { onlyReads || (changesRows && !invalidatesSchemaCache) }

    /// Calls `sqlite3_step`, unless the program is outdated: see `amalgam_step_current`.
    func stepOnceIfCurrent() -> CInt {
        isStepping = true
        defer { isStepping = false }
        return amalgam_step_current(sqliteStatement)
    }

    /// Calls `sqlite3_step`, and reports row changes.
    func stepOnce(reportedBy hooks: OpaquePointer?) -> CInt {
        isStepping = true
        defer { isStepping = false }
        return amalgam_step_reported(hooks, sqliteStatement)
    }

    /// Moves to the next row. Returns false if there is none.
    @inlinable
    package func step() throws -> Bool {
        if stepsDirectly {
            let code = stepOnce()
            if code == SQLITE_ROW { return true }
            if code == SQLITE_DONE { return false }
            throw failure(code)
        }
        return try database.step(self)
    }

    /// Runs the remaining steps of a statement that writes, after the caller has read its first row. In autocommit
    /// mode, the last step commits, and throws if the commit fails. For a statement that only reads, this method does
    /// nothing.
    @inlinable
    package func finishWriting() throws {
        if !onlyReads { while try step() {} }
    }

    /// Ends a run: its cursor stops, and its locks are released.
    @usableFromInline
    package func reset() {
        if isStepping { return }
        didReset(sqlite3_reset(sqliteStatement))
    }

    /// Resets a statement with remaining rows, after its changes couldn't be recorded.
    package func endStepping() {
        isRunning = false
        sqlite3_reset(sqliteStatement)
    }

    /// Ends a run, unless the statement was run again.
    func reset(run: UInt64) {
        guard runNumber == run else { return }
        reset()
        database.access.cursorWasReleased(of: sqliteStatement)
    }

    /// Ends a run after its values were read. Throws if SQLite had no memory to convert one of the values.
    @usableFromInline
    package func resetOrThrow() throws {
        let code = sqlite3_reset(sqliteStatement)
        if code == SQLITE_OK { return didReset(code) }
        needsReset = false
        throw failure(code)
    }

    private func didReset(_ code: CInt) {
        needsReset = false
        if isRunning || code != SQLITE_OK { database.didReset(self, code) }
    }

    /// Ends a run whose cursor is released, on any thread.
    func stop(run: UInt64) {
        if database.isAccessible { reset(run: run) } else { database.access.deferredReleases.reset(self, run: run) }
    }

    /// Returns the error of a failed step.
    @usableFromInline
    package func failure(_ code: CInt) -> any Error {
        database.failure(code, of: self)
    }
}

extension Statement: CustomStringConvertible {
    /// The SQL.
    public var description: String { sql }
}
