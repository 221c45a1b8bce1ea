public import AmalgamCore
public import AmalgamQuery

/// The full-text engine FTS4: ``FTS3`` with options.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///     t.tokenizer = .unicode61()
///     t.prefixes = [2, 4]
///     t.column("title")
///     t.column("uuid").notIndexed()
/// }
/// // CREATE VIRTUAL TABLE "document" USING fts4(
/// //   tokenize=unicode61, title, uuid, notindexed=uuid, prefix="2,4")
/// ```
///
/// Use FTS4 for databases that already have FTS4 tables, and for content that is stored compressed
/// (``FTS4TableDefinition/compress``). Otherwise, prefer ``FTS5``. See <https://www.sqlite.org/fts3.html#fts4_options>.
public struct FTS4: Sendable {
    /// Creates the FTS4 engine.
    public init() {}
}

extension FTS4: VirtualTableModule {
    public var moduleName: String { "fts4" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS4TableDefinition {
        FTS4TableDefinition(configuration: configuration)
    }

    public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
        definition.arguments
    }

    /// If the created table is synchronized with a content table, creates the triggers and builds the index.
    ///
    /// - Throws: A ``DatabaseError`` if the content table doesn't exist; `SQLITE_MISUSE` if the created table is
    ///   synchronized and temporary.
    public func database(
        _ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition
    ) throws {
        guard case .synchronized(let contentTable) = definition.contentMode else { return }
        let synchronization = try FullTextSynchronization(
            of: tableName, with: contentTable, columns: definition.textColumns.map(\.name),
            definition.configuration, in: db)
        try synchronization.installFTS4(in: db)
    }
}
