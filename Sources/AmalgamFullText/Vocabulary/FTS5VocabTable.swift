public import AmalgamCore
public import AmalgamQuery

/// The virtual table module of vocabulary tables, whose rows are the terms in the index of an ``FTS5`` table.
///
/// ```swift
/// try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "document", .row))
/// // CREATE VIRTUAL TABLE "documentTerms" USING fts5vocab('document', 'row')
/// ```
///
/// A vocabulary table stores nothing, and is always up to date. ``FTS5Terms`` queries it. See
/// <https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>.
public struct FTS5VocabTable: VirtualTableModule, Sendable {
    /// The type of a vocabulary table, which determines the content of the table's rows.
    ///
    /// ```swift
    /// try db.create(virtualTable: "documentInstances", using: FTS5VocabTable(of: "document", .instance))
    /// // CREATE VIRTUAL TABLE "documentInstances" USING fts5vocab('document', 'instance')
    /// ```
    public enum Rows: String, Sendable {
        /// One row per term: ``FTS5Terms/Term``.
        case row

        /// One row per term and column: ``FTS5Terms/ColumnTerm``.
        case column = "col"

        /// One row per occurrence of a term: ``FTS5Terms/Instance``.
        case instance
    }

    private let schema: String?
    private let table: String
    private let rows: Rows

    /// Creates the module for a full-text table.
    ///
    /// - Parameters:
    ///   - table: The full-text table, which may be created later.
    ///   - rows: The type of the vocabulary table.
    ///   - schema: The schema of the full-text table, for a temporary vocabulary table. If nil, the full-text table is
    ///     in the schema of the vocabulary table.
    public init(of table: String, _ rows: Rows = .row, schema: String? = nil) {
        self.table = table
        self.rows = rows
        self.schema = schema
    }

    public var moduleName: String { "fts5vocab" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) {}

    public func moduleArguments(for definition: Void, in db: Database) -> [String] {
        ([schema, table, rows.rawValue] as [String?]).compactMap { $0?.databaseValue.sqlLiteral }
    }

    public func database(_ db: Database, didCreate tableName: String, using definition: Void) {}
}
