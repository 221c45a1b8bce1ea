import AmalgamCore

/// The tokens of a schema statement, without whitespace and comments. Names are unquoted, and compared as SQLite compares them.
///
/// Two schema statements are considered equal if their tokens are equal. Syntax errors aren't detected: SQLite must
/// have accepted both statements.
struct SQLTokens: Equatable {
    private enum Token: Equatable {
        /// A keyword, a name or a number.
        case word(TableName)
        /// The content of a string literal.
        case text(ExactString)
        /// A character of an operator, a parenthesis or a comma.
        case sign(UInt8)
    }

    private var tokens: [Token] = []

    init(_ sql: String) {
        var rest = Array(sql.utf8)[...]
        while let first = rest.first { read(first, &rest) }
    }

    private mutating func read(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) {
        switch first {
        case 9...13, 32:
            rest.removeFirst()
        case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
            rest = rest.drop { $0 != UInt8(ascii: "\n") }
        case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
            rest = Self.afterComment(rest)
        case UInt8(ascii: "'"):
            tokens.append(.text(ExactString(Self.takeQuoted(&rest, until: first))))
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            tokens.append(.word(TableName(Self.takeQuoted(&rest, until: first))))
        case UInt8(ascii: "["):
            tokens.append(.word(TableName(Self.takeQuoted(&rest, until: UInt8(ascii: "]")))))
        case _ where Self.isPartOfWord(first):
            let word = rest.prefix(while: Self.isPartOfWord)
            tokens.append(.word(TableName(String(decoding: word, as: UTF8.self))))
            rest = rest[word.endIndex...]
        default:
            tokens.append(.sign(first))
            rest.removeFirst()
        }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."): true
        default: byte >= 0x80
        }
    }

    /// Removes a quoted token, and returns its content, in which two quotes are replaced with one.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>, until quote: UInt8) -> String {
        var bytes: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote, quote != UInt8(ascii: "]") else { break }
                rest.removeFirst()
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func afterComment(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = rest.dropFirst(2)
        while !rest.isEmpty && !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        return rest.dropFirst(2)
    }
}
