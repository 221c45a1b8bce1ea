public import AmalgamCore
public import AmalgamQuery

/// Whether the name of a table is written before its rows.
public enum DumpTableHeaderOptions: Sendable {
    /// When there are several tables.
    case automatic
    /// Always.
    case always
}

extension Database {
    /// Writes the rows of all statements of some SQL.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player")
    /// // 1|Anna
    /// // 2|Bob
    /// ```
    ///
    /// - Parameters:
    ///   - format: how rows are written.
    ///   - stream: where they go; the standard output, by default.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        var dump = Dump(self, format, stream)
        try dump.write(sql)
    }

    /// Writes the rows of a request. Those of associations to many come after them, each with its name.
    ///
    /// ```swift
    /// try db.dumpRequest(Player.filter { $0.score > 10 }, format: .line())
    /// ```
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
    /// Tables are in the order of their primary keys.
    ///
    /// - Parameters:
    ///   - tableHeader: whether the name of a table is written before its rows.
    ///   - stableOrder: whether views are ordered, by all of their columns.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        var dump = Dump(self, format, stream)
        let hasHeader = tables.count > 1 || tableHeader == .always
        for table in tables { try dump.write(table: table, header: hasHeader, stableOrder: stableOrder) }
    }

    /// Writes the schema, and the rows of all tables.
    public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
        var dump = Dump(self, format, stream)
        dump.write(header: "sqlite_master")
        try dump.writeSchema()
        for table in try dump.tables() { try dump.write(table: table, header: true, stableOrder: true) }
    }

    /// Writes the statements of the schema: tables, then their indexes and triggers.
    ///
    /// ```swift
    /// try db.dumpSchema()
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
    /// // CREATE INDEX byName ON player(name);
    /// ```
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        var dump = Dump(self, DebugDumpFormat(), stream)
        dump.write(header: "sqlite_master")
        try dump.writeSchema()
    }
}
