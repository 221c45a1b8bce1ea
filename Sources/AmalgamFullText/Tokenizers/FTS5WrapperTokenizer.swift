import AmalgamCore

/// Takes a token from an ``FTS5WrapperTokenizer``. Errors that it throws must go through.
public typealias FTS5WrapperTokenCallback = (String, FTS5TokenFlags) throws -> Void

/// A tokenizer that changes what another one does: it leaves tokens out, changes them, or adds synonyms.
///
/// ```swift
/// final class LatinTokenizer: FTS5WrapperTokenizer {
///     static let name = "latin"
///     let wrappedTokenizer: any FTS5Tokenizer
///
///     init(db: Database, arguments: [String]) throws {
///         wrappedTokenizer = try db.makeTokenizer(.unicode61())
///     }
///
///     func accept(
///         token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///         tokenCallback: FTS5WrapperTokenCallback
///     ) throws {
///         let latin = token.applyingTransform(StringTransform("Latin-ASCII; Lower"), reverse: false)
///         try tokenCallback(latin ?? token, flags)
///     }
/// }
/// ```
///
/// - Leave a token out: do not call `tokenCallback`.
/// - Add synonyms: when `tokenization` contains `.document`, call it for each of them, with
///   `flags.union(.colocated)` for all but the first. For other tokenizations, pass the token only.
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
    /// The tokenizer that texts are given to.
    var wrappedTokenizer: any FTS5Tokenizer { get }

    /// Takes a token of the wrapped tokenizer, and passes on what shall be in its place.
    ///
    /// - Parameters:
    ///   - token: the token, as the wrapped tokenizer has left it: mostly in lower case.
    ///   - flags: what is special about it.
    ///   - tokenization: why the text is tokenized.
    ///   - tokenCallback: takes tokens.
    /// - throws: the errors of `tokenCallback`; or any other error, which is then that of the statement.
    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws
}

extension FTS5WrapperTokenizer {
    public func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        wrap(TokenizedText(pText, nText, tokenization, locale: nil, 0), context, tokenCallback)
    }

    /// Passes the locale to the wrapped tokenizer.
    public func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        // A type may have its own method for texts without locale.
        guard let pLocale, nLocale > 0 else {
            return tokenize(
                context: context, tokenization: tokenization, pText: pText, nText: nText, tokenCallback: tokenCallback)
        }
        return wrap(TokenizedText(pText, nText, tokenization, locale: pLocale, nLocale), context, tokenCallback)
    }

    private func wrap(
        _ text: TokenizedText, _ context: UnsafeMutableRawPointer?, _ callback: @escaping FTS5TokenCallback
    ) -> CInt {
        relayTokens(to: context, callback) { pass in
            try wrappedTokenizer.forEachToken(in: text) { token in
                let string = String(decoding: token.bytes, as: UTF8.self)
                try accept(token: string, flags: token.flags, for: text.tokenization) { newToken, flags in
                    var newToken = newToken
                    try newToken.withUTF8 { bytes in
                        try pass(
                            RawToken(
                                bytes: UnsafeRawBufferPointer(bytes), flags: flags, start: token.start,
                                end: token.end))
                    }
                }
            }
        }
    }
}
