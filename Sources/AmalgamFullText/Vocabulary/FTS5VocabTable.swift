public import AmalgamCore
public import AmalgamQuery

/// The module of tables that show what is in the index of an ``FTS5`` table.
///
/// ```swift
/// try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "document", .row))
/// // CREATE VIRTUAL TABLE "documentTerms" USING fts5vocab('document', 'row')
/// ```
///
/// Such a table stores nothing, and is always up to date. ``FTS5Terms`` searches in it. See
/// <https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>.
public struct FTS5VocabTable: VirtualTableModule, Sendable {
    /// What a row of the table is.
    public enum Rows: String, Sendable {
        /// A term: ``FTS5Terms/Term``.
        case row

        /// A term in a column: ``FTS5Terms/ColumnTerm``.
        case column = "col"

        /// A term at its place in a document: ``FTS5Terms/Instance``.
        case instance
    }

    private let schema: String?
    private let table: String
    private let rows: Rows

    /// The terms of a full-text table.
    ///
    /// - Parameters:
    ///   - table: the full-text table, which may be created later.
    ///   - rows: what a row is.
    ///   - schema: the database of the table, for a temporary vocabulary. Without one, it is that of the vocabulary.
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
