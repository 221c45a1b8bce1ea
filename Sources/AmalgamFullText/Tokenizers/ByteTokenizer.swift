import AmalgamCore

/// A tokenizer that knows locales: it tokenizes a text without one in the same way.
protocol LocaleTokenizer: FTS5Tokenizer {}

extension LocaleTokenizer {
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        tokenize(
            context: context, tokenization: tokenization, pText: pText, nText: nText, pLocale: nil, nLocale: 0,
            tokenCallback: tokenCallback)
    }
}

/// A tokenizer in Swift that works on bytes, throws, and has no other callers than Swift: what wraps it needs no C call.
protocol ByteTokenizer: LocaleTokenizer {
    /// Passes the tokens of a text to a closure. Errors of the closure go through.
    func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws
}

extension ByteTokenizer {
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        relayTokens(to: context, tokenCallback) { body in
            try passTokens(of: TokenizedText(pText, nText, tokenization, locale: pLocale, nLocale), to: body)
        }
    }
}

/// A tokenizer that another one wraps: it is asked in the shortest way.
struct WrappedTokenizer {
    private enum Kind {
        case bytes(any ByteTokenizer)
        case other(any FTS5Tokenizer)
    }

    private let kind: Kind

    init(_ tokenizer: any FTS5Tokenizer) {
        kind = (tokenizer as? any ByteTokenizer).map { .bytes($0) } ?? .other(tokenizer)
    }

    /// Passes the tokens of a text to a closure.
    func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        switch kind {
        case .bytes(let tokenizer): try tokenizer.passTokens(of: text, to: body)
        case .other(let tokenizer): try tokenizer.forEachToken(in: text, body)
        }
    }
}
