import AmalgamCore

/// A tokenizer with locale support. It tokenizes text without a locale by the same method.
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

/// A Swift tokenizer that works on bytes, and throws. Wrappers in Swift call it directly, without C callbacks.
protocol ByteTokenizer: LocaleTokenizer {
    /// Calls a closure with each token of the text. Rethrows errors of the closure.
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

/// A wrapped tokenizer, which is called directly if it is a `ByteTokenizer`.
struct WrappedTokenizer {
    private enum Kind {
        case bytes(any ByteTokenizer)
        case other(any FTS5Tokenizer)
    }

    private let kind: Kind

    init(_ tokenizer: any FTS5Tokenizer) {
        kind = (tokenizer as? any ByteTokenizer).map { .bytes($0) } ?? .other(tokenizer)
    }

    /// Calls a closure with each token of the text.
    func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        switch kind {
        case .bytes(let tokenizer): try tokenizer.passTokens(of: text, to: body)
        case .other(let tokenizer): try tokenizer.forEachToken(in: text, body)
        }
    }
}
