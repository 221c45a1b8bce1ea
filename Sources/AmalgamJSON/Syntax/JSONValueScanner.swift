/// Finds the end of the first JSON value in a string.
///
/// If more text follows a complete value, as in `{"a":1} 2`, SQLite's `json_error_position` returns 1, not the position
/// of the `2`. The scanner finds where the value ends, and where the text that follows begins. The scanner doesn't
/// validate the value, which SQLite does: it only skips strings, comments and nested values.
struct JSONValueScanner {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The end of the first value, and the start of the text that follows, in UTF-8 bytes; nil if no text follows.
    static func valueWithRest(_ text: String) -> (end: Int, rest: Int)? {
        var scanner = JSONValueScanner(text)
        scanner.skipBlanks()
        scanner.skipValue()
        let end = scanner.position
        scanner.skipBlanks()
        return scanner.position < scanner.bytes.count ? (end, scanner.position) : nil
    }

    private mutating func skipValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                position += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                position += 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString()
            case UInt8(ascii: "/"): skipComment()
            case let byte where depth == 0 && byte.endsJSONWord: return
            case _ where depth == 0: skipWord()
            default: position += 1
            }
            if depth <= 0 { return }
        }
    }

    private mutating func skipWord() {
        while position < bytes.count, !bytes[position].endsJSONWord { position += 1 }
    }

    private mutating func skipString() {
        let quote = bytes[position]
        position += 1
        while position < bytes.count, bytes[position] != quote {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
    }

    private mutating func skipBlanks() {
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "/") {
                let start = position
                skipComment()
                if position == start + 1 { return position = start }
            } else if bytes[position].isJSONBlank {
                position += 1
            } else {
                return
            }
        }
    }

    /// Skips a comment, or a slash that doesn't begin a comment.
    private mutating func skipComment() {
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        switch next {
        case UInt8(ascii: "/"):
            while position < bytes.count, bytes[position] != 0x0A { position += 1 }
        case UInt8(ascii: "*"):
            position += 2
            while position + 1 < bytes.count, bytes[position] != UInt8(ascii: "*") || bytes[position + 1] != 0x2F {
                position += 1
            }
            position = min(position + 2, bytes.count)
        default: position += 1
        }
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether the byte ends a number or a word.
    fileprivate var endsJSONWord: Bool {
        isJSONBlank || [0x2C, 0x2F, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D, 0x22, 0x27].contains(self)
    }
}
