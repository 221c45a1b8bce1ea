public import AmalgamCore
public import AmalgamQuery

extension FTS5: VirtualTableModule {
    public var moduleName: String { "fts5" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
        FTS5TableDefinition(configuration: configuration)
    }

    /// The arguments of the module.
    ///
    /// - throws: `SQLITE_MISUSE` without any column; a ``DatabaseError`` when the content table of a synchronized table
    ///   does not exist.
    public func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
        try definition.arguments(db)
    }

    /// Makes the triggers of a table that is synchronized, and fills it; applies the settings of the table.
    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition
    ) throws {
        if case .synchronized(let contentTable) = definition.contentMode {
            let synchronization = try FullTextSynchronization(
                of: tableName, with: contentTable, columns: definition.columns.map(\.name), definition.configuration,
                in: db)
            try synchronization.installFTS5(in: db)
        }
        for setting in definition.settings { try FTS5Index(tableName).set(db, setting) }
    }
}

extension Database {
    /// Drops the triggers that keep an ``FTS5`` table in step with its content table:
    /// ``FTS5TableDefinition/synchronize(withTable:)``.
    ///
    /// ```swift
    /// try db.drop(table: "bookSearch")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
    /// // DROP TRIGGER IF EXISTS "__bookSearch_ai" …
    /// ```
    ///
    /// Without it, each write to the content table fails once the full-text table is gone: `no such table`. Triggers
    /// that do not exist are no error.
    ///
    /// - Parameter tableName: the full-text table.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try dropTriggers(["ai", "ad", "au"], ofFullTextTable: tableName)
    }
}
