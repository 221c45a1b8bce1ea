import AmalgamCore

/// What makes tokens of the text of FTS5 tables: <https://www.sqlite.org/fts5.html#custom_tokenizers>.
///
/// The tokenizers of SQLite come from ``Database/makeTokenizer(_:)``. Your own ones conform to `FTS5CustomTokenizer`, or,
/// when they change the tokens of another one, to `FTS5WrapperTokenizer`.
public protocol FTS5Tokenizer: AnyObject {
    /// Passes the tokens of a text to a C function, until it returns something else than 0, which is returned then.
    ///
    /// Places outside of the text, and tokens without bytes, do not reach SQLite.
    ///
    /// - Parameters:
    ///   - context: the first argument of `tokenCallback`.
    ///   - tokenization: why the text is tokenized.
    ///   - pText: the UTF-8 bytes of the text. There may be no NUL at their end.
    ///   - nText: how many bytes there are.
    ///   - tokenCallback: takes the tokens.
    /// - Returns: 0, or a result code of SQLite.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt

    /// Passes the tokens of a text in a locale to a C function.
    ///
    /// This is what SQLite calls. By default, the locale is ignored.
    ///
    /// - Parameters:
    ///   - pLocale: the UTF-8 bytes of the locale's name, such as `de_DE`; nil for a text without locale. See
    ///     <https://www.sqlite.org/fts5.html#the_locale_option>.
    ///   - nLocale: how many bytes there are.
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

    /// The tokens of a text that is indexed.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.ascii())
    /// try tokenizer.tokenize(document: "SQLite database").map(\.token)   // ["sqlite", "database"]
    /// ```
    ///
    /// - throws: the error of the tokenizer.
    public func tokenize(document string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokenTexts(of: string, for: .document)
    }

    /// The tokens of a text that is searched for. They may differ from those of a text that is indexed: synonyms.
    ///
    /// - throws: the error of the tokenizer.
    public func tokenize(query string: String) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokenTexts(of: string, for: .query)
    }

    /// The tokens of a text, with their places in it.
    ///
    /// ```swift
    /// let text = "Gustave Doré"
    /// let tokens = try db.makeTokenizer(.unicode61()).tokens(of: text, for: .document)
    /// tokens.map { text[$0.range] }   // ["Gustave", "Doré"]
    /// tokens.map(\.text)              // ["gustave", "dore"]
    /// ```
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - tokenization: why it is tokenized.
    ///   - locale: the name of a locale, for tokenizers that know locales.
    /// - throws: the error of the tokenizer; `SQLITE_ERROR` for a token that ends before it begins.
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

    /// The tokens without their places, which tokenizers of some programs do not know.
    private func tokenTexts(
        of text: String, for tokenization: FTS5Tokenization
    ) throws -> [(token: String, flags: FTS5TokenFlags)] {
        try tokens(of: text, for: tokenization, locale: nil) { token in
            (String(decoding: token.bytes, as: UTF8.self), token.flags)
        }
    }

    private func tokens<Token>(
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
