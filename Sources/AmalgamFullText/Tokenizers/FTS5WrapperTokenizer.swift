import AmalgamCore

/// The closure that receives the tokens of an ``FTS5WrapperTokenizer``. Rethrow the errors that it throws.
public typealias FTS5WrapperTokenCallback = (String, FTS5TokenFlags) throws -> Void

/// A tokenizer that omits or changes tokens of a wrapped tokenizer, or adds synonyms to them.
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
/// - To omit a token, don't call `tokenCallback`.
/// - To add synonyms, call `tokenCallback` with the token, and then with each synonym and `flags.union(.colocated)`, if
///   `tokenization` contains `.document`. For other tokenizations, pass only the token.
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
    /// The wrapped tokenizer.
    var wrappedTokenizer: any FTS5Tokenizer { get }

    /// Receives a token of the wrapped tokenizer, and passes its replacements to a closure.
    ///
    /// - Parameters:
    ///   - token: The token of the wrapped tokenizer, usually in lower case.
    ///   - flags: The flags of the token.
    ///   - tokenization: The reason for tokenizing the text.
    ///   - tokenCallback: The closure that receives the replacements.
    /// - Throws: The errors of `tokenCallback`, or any other error. The statement fails with this error.
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
        // Text without a locale goes to the other method, which the conforming type may implement itself.
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
