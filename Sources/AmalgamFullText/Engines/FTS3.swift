public import AmalgamCore
public import AmalgamQuery

/// The full-text engine FTS3: tables with words that are searched for.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///     t.tokenizer = .porter
///     t.column("title")
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "document" USING fts3(tokenize=porter, title, body)
/// ```
///
/// FTS3 is for databases that have such tables. New ones are better off with ``FTS5``, which ranks, and is smaller and
/// faster. See <https://www.sqlite.org/fts3.html>.
public struct FTS3: Sendable {
    /// What becomes of marks on Latin letters, such as that of "é", in the tokenizer
    /// ``FTS3TokenizerDescriptor/unicode61(diacritics:separators:tokenCharacters:)``.
    public enum Diacritics: Sendable {
        /// "é" is not "e".
        case keep

        /// "é" is "e", and so is "ệ": `remove_diacritics=2`.
        case remove

        /// "é" is "e", but letters with more than one mark keep them: what SQLite does if it is not told otherwise.
        case removeLegacy
    }

    /// The engine.
    public init() {}
}

extension FTS3: VirtualTableModule {
    public var moduleName: String { "fts3" }

    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS3TableDefinition {
        FTS3TableDefinition()
    }

    public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
        [definition.tokenizer?.argument].compactMap(\.self) + definition.columns.map(\.fullTextName)
    }

    /// Does nothing: a table of FTS3 is complete once it is created.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition) {}
}

/// What the closure that defines an ``FTS3`` table is given.
public final class FTS3TableDefinition {
    /// How text becomes tokens. SQLite's default, when nil, is ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    fileprivate var columns: [String] = []

    /// Adds a column. All columns hold text.
    public func column(_ name: String) { columns.append(name) }
}
