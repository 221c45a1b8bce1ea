/// Encodes and decodes the escape sequences of JSON and JSON5 strings: <https://sqlite.org/json1.html#json5>.
struct JSONEscapes {
    private let bytes: UnsafeRawBufferPointer

    /// Whether JSON5 escapes, and unescaped characters that JSON requires to be escaped, are allowed.
    private let isJSON5: Bool

    private var position = 0
    private var result: [UInt8] = []

    private init(_ bytes: UnsafeRawBufferPointer, isJSON5: Bool) {
        self.bytes = bytes
        self.isJSON5 = isJSON5
        result.reserveCapacity(bytes.count)
    }

    /// The decoded string; nil if an escape sequence is malformed, or the bytes aren't UTF-8.
    static func unescape(_ bytes: UnsafeRawBufferPointer, isJSON5: Bool) -> String? {
        var escapes = JSONEscapes(bytes, isJSON5: isJSON5)
        while escapes.position < bytes.count {
            if !escapes.step() { return nil }
        }
        return String(validating: escapes.result, as: UTF8.self)
    }

    private mutating func step() -> Bool {
        let byte = bytes[position]
        position += 1
        guard byte == UInt8(ascii: "\\") else {
            result.append(byte)
            return isJSON5 || byte >= 0x20 && byte != UInt8(ascii: "\"")
        }
        guard position < bytes.count else { return false }
        let escape = bytes[position]
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(escape)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"): return unicode()
        default: return isJSON5 && stepJSON5(escape)
        }
        return true
    }

    private mutating func stepJSON5(_ escape: UInt8) -> Bool {
        switch escape {
        case UInt8(ascii: "'"): result.append(escape)
        case UInt8(ascii: "v"): result.append(0x0B)
        case UInt8(ascii: "0"):
            result.append(0)
            return position == bytes.count || bytes[position] &- 0x30 > 9
        case UInt8(ascii: "x"): return hexadecimal(digits: 2).map { append($0) } ?? false
        default: return lineBreak(escape)
        }
        return true
    }

    /// Decodes `\u00e9`, or a surrogate pair for a character beyond U+FFFF.
    private mutating func unicode() -> Bool {
        guard let first = hexadecimal(digits: 4) else { return false }
        guard (0xD800..<0xDC00).contains(first) else { return append(first) }
        while isJSON5, skipLineBreak() {}
        guard position + 2 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return false }
        position += 2
        guard let second = hexadecimal(digits: 4), (0xDC00..<0xE000).contains(second) else { return false }
        return append(0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF))
    }

    /// Skips a line break after a backslash. A JSON5 string continues in the next line, without the line break.
    private mutating func lineBreak(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x0A: return true
        case 0x0D:
            if position < bytes.count, bytes[position] == 0x0A { position += 1 }
            return true
        case 0xE2:
            // U+2028 and U+2029.
            guard position + 2 <= bytes.count, bytes[position] == 0x80, bytes[position + 1] & 0xFE == 0xA8 else {
                return false
            }
            position += 2
            return true
        default: return false
        }
    }

    /// Skips a backslash and a line break, if they follow.
    private mutating func skipLineBreak() -> Bool {
        let start = position
        guard start + 2 <= bytes.count, bytes[start] == UInt8(ascii: "\\") else { return false }
        position += 2
        if lineBreak(bytes[start + 1]) { return true }
        position = start
        return false
    }

    private mutating func hexadecimal(digits: Int) -> UInt32? {
        guard position + digits <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[position..<position + digits] {
            guard let digit = byte.hexadecimalDigit else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += digits
        return value
    }

    private mutating func append(_ codePoint: UInt32) -> Bool {
        guard let scalar = Unicode.Scalar(codePoint) else { return false }
        result += UTF8.encode(scalar)!
        return true
    }
}

extension JSONEscapes {
    /// Whether JSON requires an escape for one of the bytes: quotes, backslashes, and control characters. Eight bytes
    /// are checked at a time.
    @inline(__always)
    static func areNeeded(in bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position + 8 <= bytes.count {
            if areNeeded(in: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) { return true }
            position += 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
            position += 1
        }
        return false
    }

    /// See "Determine if a word has a byte less than n", <https://graphics.stanford.edu/~seander/bithacks.html>.
    @inline(__always)
    private static func areNeeded(in word: UInt64) -> Bool {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let controls = (word &- ones &* 0x20) & ~word
        let quote = word ^ (ones &* 0x22)
        let quotes = (quote &- ones) & ~quote
        let backslash = word ^ (ones &* 0x5C)
        let backslashes = (backslash &- ones) & ~backslash
        return (controls | quotes | backslashes) & tops != 0
    }

    /// The bytes of a string, with JSON escapes.
    static func escape(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        bytes.reduce(into: []) { result, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: result += Array("\\u00".utf8) + [0x30 + byte >> 4, hexadecimalDigits[Int(byte & 0x0F)]]
            default: result.append(byte)
            }
        }
    }

    private static let hexadecimalDigits = Array("0123456789abcdef".utf8)
}

extension UInt8 {
    /// The value of a hexadecimal digit.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
