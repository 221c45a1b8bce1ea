/// The tokens of user input, for use in patterns. A token is a sequence of ASCII letters, ASCII digits and non-ASCII
/// characters, with ASCII letters in lower case.
///
/// The tokenizers `simple` of FTS3 and `ascii` of FTS5 produce the same tokens. No token is an operator, because
/// operators such as `AND` are in upper case.
struct PlainTokens {
    let tokens: [String]

    private init(tokens: [String]) {
        self.tokens = tokens
    }

    init(_ text: String) {
        tokens = text.utf8.split { !$0.isPartOfToken }.map { bytes in
            String(decoding: bytes.map(\.lowercased), as: UTF8.self)
        }
    }

    /// The first tokens, up to a count.
    func prefix(_ count: Int) -> PlainTokens { PlainTokens(tokens: Array(tokens.prefix(count))) }

    /// - Returns: nil if the input contains no token.
    func joined(separator: String, suffix: String = "") -> String? {
        tokens.isEmpty ? nil : tokens.map { $0 + suffix }.joined(separator: separator)
    }

    /// The quoted phrase `"foo bar"`, or nil if the input contains no token.
    var phrase: String? {
        joined(separator: " ").map { "\"\($0)\"" }
    }
}

extension UInt8 {
    fileprivate var isPartOfToken: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: false
        }
    }

    fileprivate var lowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
