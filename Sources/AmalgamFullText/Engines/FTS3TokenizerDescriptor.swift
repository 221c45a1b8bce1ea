import AmalgamCore

/// A tokenizer of ``FTS3`` and ``FTS4`` tables: <https://www.sqlite.org/fts3.html#tokenizer>.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS4()) { t in
///     t.tokenizer = .unicode61(tokenCharacters: ["-"])
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "note" USING fts4(tokenize=unicode61 "tokenchars=-", body)
/// ```
///
/// The table shows whether a query matches text. An empty cell means that it doesn't:
///
/// | text and query | `.simple` | `.porter` | `.unicode61()` |
/// | --- | --- | --- | --- |
/// | Foo and FOO | found | found | found |
/// | Jérôme and JÉRÔME | | | found |
/// | Jérôme and Jerome | | | found |
/// | Database and Databases | | found | |
public struct FTS3TokenizerDescriptor: Sendable {
    let name: String
    let arguments: [String]

    /// A tokenizer that splits strings at ASCII characters that aren't letters or digits, and folds the case of ASCII
    /// letters. "Gustave Doré" has the tokens "gustave" and "doré".
    public static let simple = FTS3TokenizerDescriptor(name: "simple", arguments: [])

    /// A tokenizer like ``simple`` that also removes the suffixes of English words: "SQLite database" has the tokens
    /// "sqlite" and "databas".
    public static let porter = FTS3TokenizerDescriptor(name: "porter", arguments: [])

    /// Returns a tokenizer that splits strings at characters that aren't letters or numbers in Unicode, and folds the
    /// case of letters. By default, it also removes diacritics: "Gustave Doré" has the tokens "gustave" and "dore".
    ///
    /// - Parameters:
    ///   - diacritics: How diacritics on Latin letters are treated.
    ///   - separators: Characters that separate tokens, although they are letters or numbers.
    ///   - tokenCharacters: Characters that are part of tokens, although they aren't letters or numbers.
    public static func unicode61(
        diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS3TokenizerDescriptor {
        var arguments: [String] = []
        switch diacritics {
        case .keep: arguments.append("remove_diacritics=0")
        case .remove: arguments.append("remove_diacritics=2")
        case .removeLegacy: break
        }
        if !separators.isEmpty { arguments.append("separators=\(separators.inOrder)") }
        if !tokenCharacters.isEmpty { arguments.append("tokenchars=\(tokenCharacters.inOrder)") }
        return FTS3TokenizerDescriptor(name: "unicode61", arguments: arguments)
    }

    /// The option of the table, such as `tokenize=unicode61 "separators=X"`.
    var argument: String {
        (["tokenize=\(name)"] + arguments.map(\.quotedDatabaseIdentifier)).joined(separator: " ")
    }
}

extension Set<Character> {
    /// The characters in ascending order, so that the SQL is deterministic.
    var inOrder: String { String(sorted()) }
}
