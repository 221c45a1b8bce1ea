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
/// A statement belongs to the connection that made it, and is used where that connection may be used. Statements
/// that are run often are best taken from the cache of the connection: ``Database/cachedStatement(sql:)``.
///
/// A statement serves one cursor at a time: it starts over when it is executed or fetched from again.
public final class Statement {
    // Guarded, as all of this type, by the rule that a connection is used from one thread at a time.

    /// The raw C statement. It is finalized when the `Statement` is released: keep the `Statement` while you use it.
    public let sqliteStatement: SQLiteStatement

    /// The SQL, without the blanks and semicolons around it.
    public let sql: String

    @usableFromInline
    package let database: Database

    /// Whether running the statement touches nothing but its own rows.
    @usableFromInline
    let onlyReads: Bool

    /// Whether the statement skips all bookkeeping: it only reads, and nobody counts what it does.
    @usableFromInline
    let stepsDirectly: Bool

    /// The sandbox that the statement was compiled in; 0 for none. It serves nowhere else.
    let scope: Int

    private var facts: StatementFacts

    /// The state of the schemas that the facts hold for.
    private var factsStamp: SchemaState.Stamp

    /// What the statement does to the transaction.
    let transactionEffect: TransactionEffect?

    /// Whether a run changes the content of tables at most: not the schema, nor the transaction.
    let changesContentAtMost: Bool

    /// What the statement may do to rows, also by the triggers and foreign keys of today, and by REPLACE.
    package var eventKinds: [DatabaseEventKind] {
        database.noticeSchemaChanges()
        refreshFacts()
        if let storedEventKinds { return storedEventKinds }
        var eventKinds = facts.eventKinds
        if !eventKinds.isEmpty {
            for table in deletedTables where !eventKinds.contains(.delete(tableName: table)) {
                eventKinds.append(.delete(tableName: table))
            }
        }
        storedEventKinds = eventKinds
        return eventKinds
    }

    /// The tables whose rows the program may delete, also by REPLACE, which the authorizer isn't asked about. SQLite makes
    /// another program when the one of this statement is outdated.
    private var deletedTables: Set<String> {
        if storedDeletedTables == nil {
            storedDeletedTables = Self.deletedTables(sqliteStatement)
            if storedDeletedTables == nil { _ = newFacts() }
        }
        return storedDeletedTables ?? []
    }

    /// - Returns: nil when the program of the statement is outdated, and its pointers to tables dangle.
    private static func deletedTables(_ sqliteStatement: SQLiteStatement) -> Set<String>? {
        var tables: Set<String> = []
        let isCurrent = withUnsafeMutablePointer(to: &tables) { tables in
            amalgam_deleted_tables(sqliteStatement, tables) { tables, table in
                let table = String(cString: table!)
                if table.hasPrefix("sqlite_") { return }
                tables!.assumingMemoryBound(to: Set<String>.self).pointee.insert(table)
            }
        }
        return isCurrent == 0 ? nil : tables
    }

    /// What a statement with this SQL does when it is compiled now; nil when that fails. It sets `storedDeletedTables`.
    private func newFacts() -> StatementFacts? {
        database.facts(sql: sql) { storedDeletedTables = Self.deletedTables($0) }
    }

    /// The virtual tables that the statement may change.
    var changedVirtualTables: Set<String> {
        refreshFacts()
        if let storedVirtualTables { return storedVirtualTables }
        guard let connection = database.sqliteConnection else { return [] }
        let tables = facts.changedTables { schema, table in amalgam_is_virtual_table(connection, schema, table) != 0 }
        storedVirtualTables = tables
        return tables
    }

    /// Those who want to hear of the changes, as the observation broker knows them.
    @exclusivity(unchecked)  // As all that follows: statements have one thread, and this is not used while it changes.
    var statementListeners: StatementListeners?

    /// Whether rows that it changes may be recorded, and the state of the recorder that knew it.
    @exclusivity(unchecked)
    package var isRecorded = false
    @exclusivity(unchecked)
    package var recordingStamp: RecordingStamp?

    /// What those who decode its rows have found out about its columns: see `Row.decodingPlans`.
    @exclusivity(unchecked)
    package var decodingPlans: AnyObject?

    private var storedRegion: DatabaseRegion?
    private var storedDeletedTables: Set<String>?
    private var storedEventKinds: [DatabaseEventKind]?
    private var storedVirtualTables: Set<String>?

    @exclusivity(unchecked)
    private(set) var changesRows: Bool

    var invalidatesSchemaCache: Bool { facts.invalidatesSchemaCache }

    /// Whether the statement may free tables that programs under way point to, or makes an index that they don't know.
    var freesTables: Bool { facts.freesTables || (mayVacuum && amalgam_vacuums(sqliteStatement) != 0) }

    private var mayVacuum: Bool { !changesRows && !onlyReads && transactionEffect == nil }

    /// What a run does to the schema.
    var schemaChange: SchemaChange { facts.schemaChange }

    /// Grows with each run: a cursor recognises that its statement was run again.
    @exclusivity(unchecked)  // Statements are used from one thread, and none of these is used while it changes.
    @usableFromInline
    package private(set) var runNumber: UInt64 = 0

    /// Whether the statement may be under way.
    @exclusivity(unchecked)
    private var needsReset = true

    /// Whether SQLite is running the statement right now: who asks is code that SQLite has called.
    @exclusivity(unchecked)
    @usableFromInline
    var isStepping = false

    /// Whether a run has begun and not ended, for statements that do more than read.
    @exclusivity(unchecked)
    var isRunning = false

    /// How often SQLite had compiled the statement again when it was last made to delete rows one by one.
    private var compilationOfRowDeletions: CInt = -1

    /// Makes sure that a run deletes rows one by one, so that they can be reported. A statement compiled while nobody
    /// listened may hold SQLite's truncate optimisation.
    package func requireRowDeletions() {
        let compilation = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if compilation == compilationOfRowDeletions { return }
        amalgam_expire(sqliteStatement)
        compilationOfRowDeletions = compilation + 1
    }

    /// Whether a caller has acquired the statement from the connection.
    package var isAcquired = false

    /// The runs of cursors that own no ``StatementRun``.
    var adoptedRuns: [AdoptedRun] = []

    /// The arguments, and whether SQLite knows them already.
    @exclusivity(unchecked)
    var storedArguments = StatementArguments()

    @exclusivity(unchecked)
    var hasBoundArguments = false

    /// Where the bound values come from.
    @exclusivity(unchecked)
    var values = BoundValues.arguments

    let parameterCount: Int

    /// One per parameter, without its sigil; nil for parameters that are only known by their position.
    private(set) lazy var parameterNames: [String?] = (0..<parameterCount).map { index in
        guard let name = sqlite3_bind_parameter_name(sqliteStatement, CInt(index + 1)) else { return nil }
        return name[0] == UInt8(ascii: "?") ? nil : String(cString: name + 1)
    }

    private let hasNamedParameters: Bool

    /// The columns, described when they are first needed.
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
        changesRows = statementFacts.changesRows
        self.facts = statementFacts
        factsStamp = database.schema.state.stamp
        let parameterCount = sqlite3_bind_parameter_count(sqliteStatement)
        self.parameterCount = Int(parameterCount)
        hasNamedParameters =
            parameterCount > 0 && amalgam_has_named_parameters(sqliteStatement, parameterCount) != 0
    }

    deinit {
        database.finalize(sqliteStatement)
    }

    /// Whether the statement makes no direct change to the content of the database file:
    /// <https://sqlite.org/c3ref/stmt_readonly.html>.
    public var isReadonly: Bool { sqlite3_stmt_readonly(sqliteStatement) != 0 }

    /// What the statement reads: tables and columns, also through views, joins and subqueries.
    public var databaseRegion: DatabaseRegion {
        if database.isAccessible, database.sqliteConnection != nil {
            database.schema.state.compareWithFiles(of: sqliteStatement)
            database.noticeSchemaChanges()
        }
        refreshFacts()
        guard factsStamp == database.schema.state.stamp else { return .fullDatabase }
        if storedRegion == nil { storedRegion = facts.databaseRegion }
        return database.regionWithTableFunctions(storedRegion!)
    }

    /// Asks for the facts again after a change of the schema: when SQLite compiles the statement again, at its next run,
    /// it may read other columns, and fire other triggers. When that fails now (memory is exhausted, the schema is
    /// locked), the facts stay outdated, and are asked for again. A statement that doesn't compile any more keeps its last
    /// ones.
    private func refreshFacts() {
        guard factsStamp != database.schema.state.stamp, database.isAccessible else { return }
        if let newFacts = newFacts() {
            changesRows = newFacts.changesRows
            facts = newFacts
            storedRegion = nil
            storedEventKinds = nil
            storedVirtualTables = nil
        } else if database.lastErrorCode.primaryResultCode != .SQLITE_ERROR {
            return
        }
        // The compilation may have read the schema from the file.
        database.noticeSchemaChanges()
        factsStamp = database.schema.state.stamp
    }
}

// MARK: - Columns

extension Statement {
    /// The number of result columns: 0 for a statement that returns no row.
    public var columnCount: Int { Int(sqlite3_column_count(sqliteStatement)) }

    /// The names of the result columns, from left to right.
    public var columnNames: [String] { columns.names }

    /// The position of the leftmost column with this name, whatever its case, or nil.
    public func index(ofColumn name: String) -> Int? { columns.index(of: name) }

    /// The columns. They change when SQLite compiles the statement again after a change of the schema
    /// (`SELECT *`), so a stale description is replaced.
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
    /// The arguments.
    ///
    /// Setting arguments that do not fit the statement is a programmer error and traps. Use
    /// ``setArguments(_:)`` for arguments that come from outside.
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

    /// Sets the arguments, which stay until others are set.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement. The previous ones stay, then.
    public func setArguments(_ arguments: __owned StatementArguments) throws {
        try checkAccess()
        _ = try bind(arguments, ArgumentMemory.none)
    }

    /// Binds arguments, once access is checked.
    ///
    /// - Returns: whether SQLite holds bytes of them, copied or in the given memory.
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

    /// Sets the arguments without a check of their number: parameters without a value are NULL, and surplus values
    /// are ignored. An argument that cannot be bound, such as an integer above `Int64.max`, is an error of the next run.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        if isStepping { return }
        storedArguments = arguments
        values = .arguments
        let values = arguments.padded(for: parameterNames)
        restart()
        var binder = ArgumentBinder(sqliteStatement)
        // Parameters that are not bound are bound, and checked, when the statement runs.
        try? didBind(values.bindPositional(with: &binder), arguments)
    }

    /// Checks that arguments fit the statement.
    ///
    /// - throws: `SQLITE_MISUSE` when there are too few or too many of them.
    public func validateArguments(_ arguments: StatementArguments) throws {
        if !fitsByPosition(arguments) { _ = try matchingValues(arguments) }
    }

    /// Whether the arguments are the values of the parameters, one by one: the common case.
    private func fitsByPosition(_ arguments: StatementArguments) -> Bool {
        arguments.positionalCount == parameterCount && !hasNamedParameters && arguments.namedValues.isEmpty
    }

    /// One value per parameter.
    private func matchingValues(_ arguments: StatementArguments) throws -> StatementArguments {
        var remaining = arguments
        let values = try remaining.extract(for: parameterNames, sql: sql)
        if !remaining.values.isEmpty { throw StatementArguments.wrongCount(arguments.values.count, sql: sql) }
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

    /// Prepares for a new run, with new arguments or with those of the last one.
    @usableFromInline
    package func start(_ arguments: __owned StatementArguments?) throws {
        if database.observation.accessedRegion != nil {
            database.recordAccess(of: self, hasOtherArguments: arguments != nil)
        }
        try bind(arguments)
        if database.access.interrupter.isSuspended { try database.checkLocks(of: self) }
    }

    /// Prepares for a new run with the values that are bound, by the arguments or by `sqlite3_bind_*`. A run whose
    /// arguments were bound for it only has left NULL everywhere: the arguments are bound again, then.
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
        if database.access.interrupter.isSuspended { try database.checkLocks(of: self) }
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

    /// The error of a run that would be started over, or go on, from inside of itself.
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
    /// Runs the statement to its end. Rows, if any, are stepped over.
    ///
    /// ```swift
    /// try statement.execute(arguments: ["Anna", 10])
    /// ```
    ///
    /// Up to 20 arguments are bound for this run only, so that the statement does not keep their memory. In loops,
    /// ``execute(values:)`` is faster.
    ///
    /// - throws: `SQLITE_MISUSE` when the arguments do not fit the statement; any error of the run.
    public func execute(arguments: __owned StatementArguments? = nil) throws {
        if let arguments, arguments.count <= Self.temporaryArgumentCount { return try executeOnce(arguments) }
        try start(arguments)
        defer { reset() }
        while try step() {}
    }

    /// Arguments that are bound for one run need no copy of their bytes that outlives it.
    private func executeOnce(_ arguments: __owned StatementArguments) throws {
        try checkAccess()
        let memory = database.statements.argumentMemory.take()
        var hasBoundBytes = true
        defer {
            if hasBoundBytes { resetAndClear() } else { reset() }
            database.statements.argumentMemory.release(memory)
        }
        hasBoundBytes = try bind(arguments, memory)
        if database.access.interrupter.isSuspended { try database.checkLocks(of: self) }
        while try step() {}
    }

    private static var temporaryArgumentCount: Int { 20 }

    func resetAndClear() {
        didReset(amalgam_reset_and_clear(sqliteStatement))
        hasBoundArguments = false
    }

    /// A call of `sqlite3_step`. Functions and collations that it calls can neither run nor reset this statement.
    @inlinable
    package func stepOnce() -> CInt {
        isStepping = true
        defer { isStepping = false }
        return sqlite3_step(sqliteStatement)
    }

    /// A call of `sqlite3_step` in a transaction, whose row changes no observer wants.
    func stepOnce(unreportedBy hooks: OpaquePointer?) -> CInt {
        isStepping = true
        defer { isStepping = false }
        return amalgam_step_unreported(hooks, sqliteStatement)
    }

    /// A call of `sqlite3_step`, whose row changes may be reported.
    func stepOnce(reportedBy hooks: OpaquePointer?) -> CInt {
        isStepping = true
        defer { isStepping = false }
        return amalgam_step_reported(hooks, sqliteStatement)
    }

    /// Moves to the next row. Returns false when there is none.
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

    /// Runs a statement that writes to its end, when only its first row is wanted: an autocommit transaction is committed
    /// at the end, and this may fail.
    @inlinable
    package func finishWriting() throws {
        if !onlyReads { while try step() {} }
    }

    /// Ends a run: cursors under way stop, locks go.
    @usableFromInline
    package func reset() {
        if isStepping { return }
        didReset(sqlite3_reset(sqliteStatement))
    }

    /// Ends a run, if it is still under way.
    func reset(run: UInt64) {
        if runNumber == run { reset() }
    }

    /// Ends a run whose values were read, and throws the error of one that there was no memory to convert.
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

    /// Ends a run whose cursor is released, on whatever thread that happens.
    func stop(run: UInt64) {
        if database.isAccessible { reset(run: run) } else { database.access.deferredReleases.reset(self, run: run) }
    }

    /// The error of the step that failed.
    @usableFromInline
    package func failure(_ code: CInt) -> any Error {
        database.failure(code, of: self)
    }
}

extension Statement: CustomStringConvertible {
    /// The SQL.
    public var description: String { sql }
}
