import AmalgamCore

/// A tokenizer, which splits the text of FTS5 tables into tokens: <https://www.sqlite.org/fts5.html#custom_tokenizers>.
///
/// ```swift
/// let tokenizer = try db.makeTokenizer(.porter())
/// try tokenizer.tokenize(document: "SQLite databases").map(\.token)   // ["sqlite", "databas"]
/// ```
///
/// ``Database/makeTokenizer(_:)`` returns the tokenizers of SQLite. Your tokenizers conform to `FTS5CustomTokenizer`,
/// or to `FTS5WrapperTokenizer` if they change the tokens of a different tokenizer.
public protocol FTS5Tokenizer: AnyObject {
    /// Passes the tokens of text to a C callback, one by one. When the callback returns a code other than 0, this
    /// method stops and returns the code.
    ///
    /// A token without bytes is ignored. A token with offsets outside of the text makes the statement fail.
    ///
    /// - Parameters:
    ///   - context: The first argument of `tokenCallback`.
    ///   - tokenization: The reason for tokenizing the text.
    ///   - pText: The UTF-8 bytes of the text, not necessarily followed by a NUL byte.
    ///   - nText: The number of bytes.
    ///   - tokenCallback: The callback that receives the tokens.
    /// - Returns: 0, or an SQLite result code.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt

    /// Passes the tokens of text in a locale to a C callback.
    ///
    /// SQLite calls this method. The default implementation ignores the locale.
    ///
    /// - Parameters:
    ///   - pLocale: The UTF-8 bytes of the locale's name, such as `de_DE`; nil for text without a locale. See
    ///     <https://www.sqlite.org/fts5.html#the_locale_option>.
    ///   - nLocale: The number of bytes of the locale's name.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt
}

extension FTS5Tokenizer {
    public func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        tokenize(
            context: context, tokenization: tokenization, pText: pText, nText: nText, tokenCallback: tokenCallback)
    }

    /// Returns the tokens of a string in a document.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.ascii())
    /// try tokenizer.tokenize(document: "SQLite database").map(\.token)   // ["sqlite", "database"]
    /// ```
    ///
    /// - Throws: The error of the tokenizer.
    public func tokenize(document string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokenTexts(of: string, for: .document)
    }

    /// Returns the tokens of a string in a pattern. A tokenizer may return different tokens for the same string in a
    /// document, for example if it adds synonyms only to documents.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.ascii())
    /// try tokenizer.tokenize(query: "SQLite database").map(\.token)   // ["sqlite", "database"]
    /// ```
    ///
    /// - Throws: The error of the tokenizer.
    public func tokenize(query string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokenTexts(of: string, for: .query)
    }

    /// Returns the tokens of a string, with the range of each token in the string.
    ///
    /// ```swift
    /// let text = "Gustave Doré"
    /// let tokens = try db.makeTokenizer(.unicode61()).tokens(of: text, for: .document)
    /// tokens.map { text[$0.range] }   // ["Gustave", "Doré"]
    /// tokens.map(\.text)              // ["gustave", "dore"]
    /// ```
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - tokenization: The reason for tokenizing the string.
    ///   - locale: The name of a locale, for tokenizers with locale support.
    /// - Throws: The error of the tokenizer; `SQLITE_ERROR` if a token ends before it begins.
    public func tokens(
        of text: String, for tokenization: FTS5Tokenization, locale: String? = nil
    ) throws -> [FTS5Token] {
        let byteCount = text.utf8.count
        return try tokens(of: text, for: tokenization, locale: locale) { token in
            FTS5Token(
                text: String(decoding: token.bytes, as: UTF8.self), flags: token.flags,
                range: text.range(ofBytes: try token.place(inTextOf: byteCount)))
        }
    }

    /// The tokens without their ranges, because some custom tokenizers don't report valid ranges.
    private func tokenTexts(
        of text: String, for tokenization: FTS5Tokenization
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: text, for: tokenization, locale: nil) { token in
            (String(decoding: token.bytes, as: UTF8.self), token.flags)
        }
    }

    /// Returns a value for each token of a string.
    func tokens<Token>(
        of text: String, for tokenization: FTS5Tokenization, locale: String?, _ makeToken: (RawToken) throws -> Token
    ) throws -> [Token] {
        var (text, locale) = (text, locale ?? "")
        var tokens: [Token] = []
        try locale.withUTF8 { localeBytes in
            try text.withUTF8 { bytes in
                let tokenized = TokenizedText(
                    bytes: UnsafeRawBufferPointer(bytes), tokenization: tokenization,
                    locale: UnsafeRawBufferPointer(localeBytes))
                try forEachToken(in: tokenized) { tokens.append(try makeToken($0)) }
            }
        }
        return tokens
    }
}
