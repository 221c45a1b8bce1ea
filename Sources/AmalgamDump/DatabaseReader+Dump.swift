public import AmalgamConcurrency
public import AmalgamCore
public import AmalgamQuery

extension DatabaseReader {
    /// Runs all statements in an SQL string, and writes their rows: see ``Database/dumpSQL(_:format:to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpSQL("SELECT id, name FROM player")
    /// ```
    ///
    /// - Throws: the errors of ``Database/dumpSQL(_:format:to:)``; `SQLITE_MISUSE` if the database is closed.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in try db.dumpSQL(sql, format: format, to: stream) }
    }

    /// Writes the rows of a request: see ``Database/dumpRequest(_:format:to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpRequest(Player.filter { $0.score > 10 }, format: .json())
    /// ```
    ///
    /// - Throws: the errors of ``Database/dumpRequest(_:format:to:)``; `SQLITE_MISUSE` if the database is closed.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in try db.dumpRequest(request, format: format, to: stream) }
    }

    /// Writes the rows of tables and views: see ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpTables(["player", "team"], format: .list(header: true))
    /// ```
    ///
    /// - Throws: the errors of ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``; `SQLITE_MISUSE` if the
    ///   database is closed.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in
            try db.dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
        }
    }

    /// Writes the schema, and the rows of all tables: see ``Database/dumpContent(format:to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpContent(format: .quote())
    /// ```
    ///
    /// - Throws: the errors of ``Database/dumpContent(format:to:)``; `SQLITE_MISUSE` if the database is closed.
    public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
        try unsafeReentrantRead { db in try db.dumpContent(format: format, to: stream) }
    }

    /// Writes the SQL of the schema: see ``Database/dumpSchema(to:)``.
    ///
    /// ```swift
    /// try dbQueue.dumpSchema()
    /// ```
    ///
    /// - Throws: the errors of ``Database/dumpSchema(to:)``; `SQLITE_MISUSE` if the database is closed.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try unsafeReentrantRead { db in try db.dumpSchema(to: stream) }
    }
}
