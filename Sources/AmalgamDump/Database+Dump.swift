public import AmalgamCore
public import AmalgamQuery

/// Options for the headers of tables in a dump.
///
/// ```swift
/// try db.dumpTables(["player"], tableHeader: .always)
/// ```
public enum DumpTableHeaderOptions: Sendable {
    /// The names of the tables are written if several tables are dumped.
    case automatic
    /// The name of each table is written.
    case always
}

extension Database {
    /// Runs all statements in an SQL string, and writes their rows.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player")
    /// // 1|Anna
    /// // 2|Bob
    /// ```
    ///
    /// - Parameters:
    ///   - sql: one or several statements.
    ///   - format: the format of the rows.
    ///   - stream: the output. If nil, it is the standard output.
    /// - Throws: errors of the statements, and of the format.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        var dump = Dump(self, format, stream)
        try dump.write(sql)
    }

    /// Writes the rows of a request. Then writes, for each to-many association that the request includes, the name of
    /// the association and its rows.
    ///
    /// ```swift
    /// try db.dumpRequest(Player.filter { $0.score > 10 }, format: .line())
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - format: the format of the rows.
    ///   - stream: the output. If nil, it is the standard output.
    /// - Throws: errors of the statements, and of the format.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        var dump = Dump(self, format, stream)
        try dump.write(request, path: [])
    }

    /// Writes the rows of tables and views.
    ///
    /// ```swift
    /// try db.dumpTables(["player", "team"])
    /// // player
    /// // 1|Anna
    /// //
    /// // team
    /// // 1|Reds
    /// ```
    ///
    /// The rows of each table are in the order of its primary key.
    ///
    /// - Parameters:
    ///   - tables: the names of tables and views.
    ///   - format: the format of the rows.
    ///   - tableHeader: whether the name of each table is written before its rows.
    ///   - stableOrder: whether the rows of each view are ordered by all of its columns. If false, they are in the
    ///     order in which SQLite returns them.
    ///   - stream: the output. If nil, it is the standard output.
    /// - Throws: a ``DatabaseError`` if a table doesn't exist; errors of the format.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        var dump = Dump(self, format, stream)
        let hasHeader = tables.count > 1 || tableHeader == .always
        for table in tables { try dump.write(table: table, header: hasHeader, stableOrder: stableOrder) }
    }

    /// Writes the schema and the rows of all tables. The rows of views aren't written. Omits shadow tables of virtual
    /// tables, and internal tables such as `sqlite_sequence` and `grdb_migrations`.
    ///
    /// ```swift
    /// try db.dumpContent()
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    /// //
    /// // player
    /// // 1|Anna
    /// ```
    ///
    /// A table that SQLite can't read, because its module, collation or tokenizer isn't registered, or because the table
    /// is damaged, has a line `-- no such module: spatial` with the error in place of its rows. The other tables follow.
    ///
    /// - Throws: other errors of the statements, and errors of the format.
    public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
        var dump = Dump(self, format, stream)
        dump.write(header: "sqlite_master")
        try dump.writeSchema()
        for table in try dump.tables() { try dump.writeIfReadable(table: table) }
    }

    /// Writes the SQL of the schema: each table before its indexes and triggers, and each view after its triggers.
    ///
    /// ```swift
    /// try db.dumpSchema()
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    /// // CREATE INDEX byName ON player(name);
    /// ```
    ///
    /// - Throws: errors of reading the schema.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        var dump = Dump(self, DebugDumpFormat(), stream)
        dump.write(header: "sqlite_master")
        try dump.writeSchema()
    }
}
