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
