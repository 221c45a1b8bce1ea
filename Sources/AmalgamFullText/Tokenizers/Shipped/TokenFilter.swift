import AmalgamCore

/// A tokenizer that filters or replaces the tokens of a wrapped one.
class TokenFilter: ByteTokenizer {
    private let wrapped: WrappedTokenizer

    init(_ wrapped: WrappedTokenizer) {
        self.wrapped = wrapped
    }

    /// Receives a token of the wrapped tokenizer, and calls `pass` with each token that replaces it.
    ///
    /// - Parameter isPrefix: Whether the token is the beginning of a word, as `data` in the query `data*`.
    func accept(
        _ token: RawToken, isPrefix: Bool, in text: TokenizedText, _ pass: (RawToken) throws -> Void
    ) throws {
        try pass(token)
    }

    final func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        if text.tokenization.contains(.prefix) { return try passPrefix(of: text, to: body) }
        try wrapped.passTokens(of: text) { try accept($0, isPrefix: false, in: text, body) }
    }

    /// Buffers the tokens: the last one is a prefix, but is only known to be the last one at the end.
    private func passPrefix(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        var tokens: [KeptToken] = []
        try wrapped.passTokens(of: text) { tokens.append(KeptToken($0)) }
        let last = tokens.lastIndex { !$0.isColocated }
        for (index, token) in tokens.enumerated() {
            try token.withRawToken { try accept($0, isPrefix: last.map { index >= $0 } ?? false, in: text, body) }
        }
    }
}

/// A copy of a token, which is valid after the call that passed it.
struct KeptToken {
    let bytes: [UInt8]
    private let flags: FTS5TokenFlags
    let start: Int
    let end: Int

    init(_ token: RawToken) {
        bytes = Array(token.bytes)
        flags = token.flags
        start = token.start
        end = token.end
    }

    var isColocated: Bool { flags.contains(.colocated) }

    func withRawToken(_ body: (RawToken) throws -> Void) throws {
        try bytes.withUnsafeBytes { try body(RawToken(bytes: $0, flags: flags, start: start, end: end)) }
    }
}

extension WrappedTokenizer {
    /// The tokens of a word in a setting, such as a stop word, as in a document.
    func tokens(of word: String) throws -> [[UInt8]] {
        var word = word
        var tokens: [[UInt8]] = []
        try word.withUTF8 { bytes in
            let text = TokenizedText(bytes: UnsafeRawBufferPointer(bytes), tokenization: .document)
            try passTokens(of: text) { token in
                if !token.flags.contains(.colocated) { tokens.append(Array(token.bytes)) }
            }
        }
        return tokens
    }
}

extension String {
    init(_ token: RawToken) {
        self.init(decoding: token.bytes, as: UTF8.self)
    }
}
