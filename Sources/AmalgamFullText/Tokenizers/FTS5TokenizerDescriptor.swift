import AmalgamCore

/// The tokenizer of an ``FTS5`` table: its name and its arguments.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS5()) { t in
///     t.tokenizer = .unicode61(tokenCharacters: ["-"])
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "note" USING fts5(body, tokenize='''unicode61'' ''tokenchars'' ''-''')
/// ```
///
/// The tokenizer determines which queries match which text. An empty cell means that the query doesn't match the text:
///
/// | text and query | `.ascii()` | `.unicode61()` | `.porter(wrapping: .ascii())` | `.porter()` | `.trigram()` |
/// | --- | --- | --- | --- | --- | --- |
/// | Foo and FOO | found | found | found | found | found |
/// | Jérôme and JÉRÔME | | found | | found | found |
/// | Jérôme and Jerome | | found | | found | |
/// | Database and Databases | | | found | found | |
/// | Database and tabas | | | | | found |
///
/// ``snowball(language:stopWords:diacritics:wrapping:)`` finds what `.porter()` finds, in 28 languages.
///
/// See <https://www.sqlite.org/fts5.html#tokenizers>.
public struct FTS5TokenizerDescriptor: Sendable {
    /// The name of the tokenizer, followed by its arguments.
    ///
    /// ```swift
    /// FTS5TokenizerDescriptor.unicode61(diacritics: .keep).components   // ["unicode61", "remove_diacritics", "0"]
    /// ```
    public let components: [String]

    /// Creates a descriptor from an array of the name and the arguments. If the array is empty, creating a table or a
    /// tokenizer throws `SQLITE_MISUSE`.
    ///
    /// ```swift
    /// let descriptor = FTS5TokenizerDescriptor(components: ["porter", "ascii"])
    /// ```
    public init(components: [String]) {
        self.components = components
    }

    /// The name of the tokenizer.
    package var name: String { components.first ?? "" }

    /// The arguments of the tokenizer.
    package var arguments: [String] { Array(components.dropFirst()) }

    /// Returns a tokenizer that splits strings at ASCII characters that aren't letters or digits, and folds the case of
    /// ASCII letters. "Gustave Doré" has the tokens "gustave" and "doré".
    ///
    /// - Parameters:
    ///   - separators: Characters that separate tokens, although they are letters or digits.
    ///   - tokenCharacters: Characters that are part of tokens, although they aren't letters or digits.
    public static func ascii(
        separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["ascii"] + characters(separators, tokenCharacters))
    }

    /// Returns a tokenizer that removes the suffixes of English words from the tokens of a wrapped tokenizer: "SQLite
    /// databases" has the tokens "sqlite" and "databas".
    ///
    /// All builds of SQLite with FTS5 have this tokenizer. For languages other than English, use
    /// ``snowball(language:stopWords:diacritics:wrapping:)``.
    ///
    /// ```swift
    /// let tokenizer = FTS5TokenizerDescriptor.porter(wrapping: .unicode61(diacritics: .remove))
    /// tokenizer.components   // ["porter", "unicode61", "remove_diacritics", "2"]
    /// ```
    ///
    /// - Parameter base: The wrapped tokenizer. If nil, it is `unicode61`.
    public static func porter(wrapping base: FTS5TokenizerDescriptor? = nil) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
    }

    /// Returns a tokenizer that splits strings by the Unicode categories of characters, and folds the case of letters.
    /// By default, it also removes diacritics: "Gustave Doré" has the tokens "gustave" and "dore".
    ///
    /// ```swift
    /// let tokenizer = FTS5TokenizerDescriptor.unicode61(diacritics: .keep, tokenCharacters: ["-"])
    /// tokenizer.components   // ["unicode61", "remove_diacritics", "0", "tokenchars", "-"]
    /// ```
    ///
    /// - Parameters:
    ///   - diacritics: How diacritics on Latin letters are treated.
    ///   - categories: The Unicode categories of characters in tokens. If empty, SQLite uses `L* N* Co`.
    ///   - separators: Characters that separate tokens, although they are in one of these categories.
    ///   - tokenCharacters: Characters that are part of tokens, although they are in none of these categories.
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

    /// Returns a tokenizer that makes each sequence of three characters a token. Queries of three characters or more
    /// then find substrings, in any language. "abcd" has the tokens "abc" and "bcd".
    ///
    /// ```swift
    /// let tokenizer = FTS5TokenizerDescriptor.trigram(caseSensitive: true)
    /// tokenizer.components   // ["trigram", "case_sensitive", "1"]
    /// ```
    ///
    /// `LIKE` and `GLOB` use the index as well: <https://www.sqlite.org/fts5.html#the_trigram_tokenizer>.
    ///
    /// - Parameters:
    ///   - caseSensitive: Whether upper and lower case are different.
    ///   - removesDiacritics: Whether diacritics are removed. SQLite rejects a tokenizer if this parameter and
    ///     `caseSensitive` are both true.
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
    /// The option `tokenize='''porter'' ''ascii'''`: each component is a string literal inside a string literal.
    ///
    /// - Throws: `SQLITE_MISUSE` if the descriptor has no components.
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
    /// How the tokenizer ``FTS5TokenizerDescriptor/unicode61(diacritics:categories:separators:tokenCharacters:)``
    /// treats diacritics on Latin letters, such as the accent of "é".
    public enum Diacritics: Sendable {
        /// Keeps diacritics: "é" and "e" are different tokens.
        case keep

        /// Removes all diacritics from "é" and "ệ": `remove_diacritics 2`.
        case remove

        /// Removes the diacritic of letters with one diacritic, such as "é". Letters with several diacritics, such as
        /// "ệ", don't change. This is SQLite's default.
        case removeLegacy
    }
}
