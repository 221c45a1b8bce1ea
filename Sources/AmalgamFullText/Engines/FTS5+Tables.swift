public import AmalgamCore
public import AmalgamQuery

extension FTS5: VirtualTableModule {
    public var moduleName: String { "fts5" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
        FTS5TableDefinition(configuration: configuration)
    }

    /// Returns the arguments of the module.
    ///
    /// - Throws: `SQLITE_MISUSE` if the table has no column; a ``DatabaseError`` if the content table of a synchronized
    ///   table doesn't exist.
    public func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
        try definition.arguments(db)
    }

    /// Applies the settings of the table. If the table is synchronized with a content table, also creates the triggers
    /// and builds the index.
    ///
    /// - Throws: A ``DatabaseError`` if a statement fails; `SQLITE_MISUSE` if the created table is synchronized and
    ///   temporary.
    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition
    ) throws {
        if case .synchronized(let contentTable) = definition.contentMode {
            let synchronization = try FullTextSynchronization(
                of: tableName, with: contentTable, columns: definition.columns.map(\.name),
                locales: definition.locales, definition.configuration, in: db)
            try synchronization.installFTS5(in: db)
        }
        for setting in definition.settings { try FTS5Index(tableName).set(db, setting) }
    }
}
