import AmalgamCore

/// How the text of an ``FTS5`` table becomes tokens: the name of a tokenizer, and its arguments.
///
/// | text and query | `.ascii()` | `.unicode61()` | `.porter(wrapping: .ascii())` | `.porter()` | `.trigram()` |
/// | --- | --- | --- | --- | --- | --- |
/// | Foo and FOO | found | found | found | found | found |
/// | Jérôme and JÉRÔME | | found | | found | found |
/// | Jérôme and Jerome | | found | | found | |
/// | Database and Databases | | | found | found | |
/// | Database and tabas | | | | | found |
///
/// See <https://www.sqlite.org/fts5.html#tokenizers>.
public struct FTS5TokenizerDescriptor: Sendable {
    /// The name of the tokenizer, and its arguments.
    ///
    /// ```swift
    /// FTS5TokenizerDescriptor.unicode61(diacritics: .keep).components   // ["unicode61", "remove_diacritics", "0"]
    /// ```
    public let components: [String]

    /// A tokenizer, by its name and arguments. There must be a name: without one, creating a table or a tokenizer
    /// throws `SQLITE_MISUSE`.
    public init(components: [String]) {
        self.components = components
    }

    /// The name of the tokenizer.
    package var name: String { components.first ?? "" }

    /// The arguments of the tokenizer.
    package var arguments: [String] { Array(components.dropFirst()) }

    /// Splits at everything that is no ASCII letter or digit, and no character beyond ASCII. The case of ASCII letters
    /// does not count. "Gustave Doré" has the tokens "gustave" and "doré".
    ///
    /// - Parameters:
    ///   - separators: characters that stand between tokens, although they are letters or digits.
    ///   - tokenCharacters: characters that are parts of tokens, although they are none.
    public static func ascii(
        separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["ascii"] + characters(separators, tokenCharacters))
    }

    /// Removes the endings of English words, after another tokenizer: "SQLite databases" has the tokens "sqlite" and
    /// "databas".
    ///
    /// - Parameter base: the other tokenizer; `unicode61` when nil.
    public static func porter(wrapping base: FTS5TokenizerDescriptor? = nil) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
    }

    /// Knows the letters of Unicode, and their case: "Gustave Doré" has the tokens "gustave" and "dore".
    ///
    /// - Parameters:
    ///   - diacritics: what becomes of marks on letters.
    ///   - categories: the categories of Unicode that tokens are made of; `L* N* Co` when empty.
    ///   - separators: characters that stand between tokens, although they are letters or digits.
    ///   - tokenCharacters: characters that are parts of tokens, although they are none.
    public static func unicode61(
        diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "", separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        var components = ["unicode61"]
        switch diacritics {
        case .keep: components += ["remove_diacritics", "0"]
        case .remove: components += ["remove_diacritics", "2"]
        case .removeLegacy: break
        }
        if !categories.isEmpty { components += ["categories", categories] }
        return FTS5TokenizerDescriptor(components: components + characters(separators, tokenCharacters))
    }

    /// Makes a token of each three characters in a row: finds parts of words, in any language, from three characters
    /// on. "abcd" has the tokens "abc" and "bcd".
    ///
    /// `LIKE` and `GLOB` use the index as well: <https://www.sqlite.org/fts5.html#the_trigram_tokenizer>.
    ///
    /// - Parameters:
    ///   - caseSensitive: whether "A" is not "a".
    ///   - removesDiacritics: whether "é" is "e". SQLite refuses it when case counts.
    public static func trigram(
        caseSensitive: Bool = false, removesDiacritics: Bool = false
    ) -> FTS5TokenizerDescriptor {
        var components = ["trigram"]
        if caseSensitive { components += ["case_sensitive", "1"] }
        if removesDiacritics { components += ["remove_diacritics", "1"] }
        return FTS5TokenizerDescriptor(components: components)
    }

    private static func characters(_ separators: Set<Character>, _ tokenCharacters: Set<Character>) -> [String] {
        var components: [String] = []
        if !separators.isEmpty { components += ["separators", separators.inOrder] }
        if !tokenCharacters.isEmpty { components += ["tokenchars", tokenCharacters.inOrder] }
        return components
    }
}

extension FTS5TokenizerDescriptor {
    /// `tokenize='''porter'' ''ascii'''`: each component is a text inside of a text.
    ///
    /// - throws: `SQLITE_MISUSE` for a descriptor without components.
    func argument() throws -> String {
        try checkComponents()
        return "tokenize=" + components.map(\.quotedText).joined(separator: " ").quotedText
    }

    private func checkComponents() throws {
        if components.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "FTS5TokenizerDescriptor requires at least one component")
        }
    }
}

extension FTS5 {
    /// What becomes of marks on Latin letters, such as that of "é", in the tokenizer
    /// ``FTS5TokenizerDescriptor/unicode61(diacritics:categories:separators:tokenCharacters:)``.
    public enum Diacritics: Sendable {
        /// "é" is not "e".
        case keep

        /// "é" is "e", and so is "ệ": `remove_diacritics 2`.
        case remove

        /// "é" is "e", but letters with more than one mark keep them: what SQLite does if it is not told otherwise.
        case removeLegacy
    }
}
