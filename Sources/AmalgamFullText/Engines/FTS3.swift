public import AmalgamCore
public import AmalgamQuery

/// The full-text engine FTS3.
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
/// Use FTS3 for databases that already have FTS3 tables. For new tables, prefer ``FTS5``: it ranks matches, and its
/// indexes are smaller and faster. See <https://www.sqlite.org/fts3.html>.
public struct FTS3: Sendable {
    /// How the tokenizer ``FTS3TokenizerDescriptor/unicode61(diacritics:separators:tokenCharacters:)`` treats
    /// diacritics on Latin letters, such as the accent of "é".
    ///
    /// ```swift
    /// try FTS3.tokenize("Doré ệ", withTokenizer: .unicode61(diacritics: .keep))     // ["doré", "ệ"]
    /// try FTS3.tokenize("Doré ệ", withTokenizer: .unicode61(diacritics: .remove))   // ["dore", "e"]
    /// ```
    public enum Diacritics: Sendable {
        /// Keeps diacritics: "é" and "e" are different tokens.
        case keep

        /// Removes all diacritics from "é" and "ệ": `remove_diacritics=2`.
        case remove

        /// Removes the diacritic of letters with one diacritic, such as "é". Letters with several diacritics, such as
        /// "ệ", don't change. This is SQLite's default.
        case removeLegacy
    }

    /// Creates the FTS3 engine.
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

    /// Does nothing: an FTS3 table needs no further statements after its creation.
    public func database(_ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition) {}
}

/// The definition of an ``FTS3`` table.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS3()) { t in
///     t.tokenizer = .porter
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "note" USING fts3(tokenize=porter, body)
/// ```
public final class FTS3TableDefinition {
    /// The tokenizer of the table. If nil, SQLite uses ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    fileprivate var columns: [String] = []

    /// Adds a column, which stores TEXT values.
    public func column(_ name: String) { columns.append(name) }
}
