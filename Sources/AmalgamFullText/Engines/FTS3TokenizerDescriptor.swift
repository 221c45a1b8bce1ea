import AmalgamCore

/// How the text of ``FTS3`` and ``FTS4`` tables becomes tokens: <https://www.sqlite.org/fts3.html#tokenizer>.
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

    /// Splits at everything that is no ASCII letter or digit, and no letter beyond ASCII. The case of ASCII letters
    /// does not count. "Gustave Doré" has the tokens "gustave" and "doré".
    public static let simple = FTS3TokenizerDescriptor(name: "simple", arguments: [])

    /// As ``simple``, with the endings of English words removed: "SQLite database" has the tokens "sqlite" and
    /// "databas".
    public static let porter = FTS3TokenizerDescriptor(name: "porter", arguments: [])

    /// Knows the letters of Unicode, and their case: "Gustave Doré" has the tokens "gustave" and "dore".
    ///
    /// - Parameters:
    ///   - diacritics: what becomes of marks on letters.
    ///   - separators: characters that stand between tokens, although they are letters or digits.
    ///   - tokenCharacters: characters that are parts of tokens, although they are none.
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

    /// `tokenize=unicode61 "separators=X"`
    var argument: String {
        (["tokenize=\(name)"] + arguments.map(\.quotedDatabaseIdentifier)).joined(separator: " ")
    }
}

extension Set<Character> {
    /// The characters as a text that is always the same.
    var inOrder: String { String(sorted()) }
}
