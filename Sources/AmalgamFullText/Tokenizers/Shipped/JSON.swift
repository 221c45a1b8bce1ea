import AmalgamCore

extension FTS5TokenizerModule {
    /// Returns a tokenizer that indexes the strings and numbers in JSON, and optionally the object keys.
    ///
    /// ```swift
    /// let json = FTS5TokenizerModule.json()
    /// // {"title": "Caf\u00e9 noir", "year": 1967}   cafe noir 1967
    /// ```
    ///
    /// Escape sequences are decoded. Text that isn't a JSON object, array or string is indexed unchanged. Malformed
    /// JSON isn't an error. Patterns are plain text, not JSON.
    ///
    /// - Parameters:
    ///   - includesKeys: Whether object keys are indexed as well.
    ///   - name: The name of the tokenizer.
    public static func json(includesKeys: Bool = false, named name: String = "json") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { JSONTokenizer($0, includesKeys: includesKeys) }
    }
}

private final class JSONTokenizer: MarkupTokenizer {
    private let includesKeys: Bool

    init(_ wrapped: any FTS5Tokenizer, includesKeys: Bool) {
        self.includesKeys = includesKeys
        super.init(wrapped)
    }

    override func plainText(of bytes: UnsafeRawBufferPointer) -> PlainText? {
        let first = bytes.first { !$0.isJSONSpace }
        guard let first, [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first) else {
            return nil
        }
        var reader = JSONReader(bytes, includesKeys: includesKeys)
        reader.read()
        return reader.text
    }
}

/// Extracts the strings and numbers of JSON, from left to right. It ignores nesting: a string before a colon is a key.
private struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private let includesKeys: Bool
    private var position = 0
    private(set) var text: PlainText

    init(_ bytes: UnsafeRawBufferPointer, includesKeys: Bool) {
        self.bytes = bytes
        self.includesKeys = includesKeys
        text = PlainText(capacity: bytes.count)
    }

    mutating func read() {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                readString()
            } else if byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
                readNumber()
            } else {
                position += 1
            }
        }
    }

    private mutating func readNumber() {
        let start = position
        while position < bytes.count, bytes[position].isPartOfNumber { position += 1 }
        text.append(start..<position, of: bytes)
        text.appendSpace(for: position..<position)
    }

    private mutating func readString() {
        let start = position + 1
        let end = endOfString(from: start)
        position = Swift.min(end + 1, bytes.count)
        guard includesKeys || !isBeforeColon(position) else { return }
        appendString(start..<end)
        text.appendSpace(for: end..<position)
    }

    /// The offset of the quote that ends a string, or of the end.
    private func endOfString(from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(index, bytes.count)
    }

    private func isBeforeColon(_ place: Int) -> Bool {
        var index = place
        while index < bytes.count, bytes[index].isJSONSpace { index += 1 }
        return index < bytes.count && bytes[index] == UInt8(ascii: ":")
    }

    private mutating func appendString(_ range: Range<Int>) {
        var start = range.lowerBound
        while start < range.upperBound {
            let escape = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "\\")) ?? range.upperBound
            text.append(start..<escape, of: bytes)
            guard escape < range.upperBound else { return }
            let (scalar, count) = escapedScalar(at: escape, before: range.upperBound)
            text.append(scalar, for: escape..<escape + count)
            start = escape + count
        }
    }

    /// The character of an escape sequence, and the length of the sequence.
    private func escapedScalar(at start: Int, before end: Int) -> (scalar: Unicode.Scalar, count: Int) {
        guard start + 1 < end else { return ("\\", 1) }
        switch bytes[start + 1] {
        case UInt8(ascii: "u"): return unicodeScalar(at: start, before: end)
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return (" ", 2)
        case let byte where byte < 0x80: return (Unicode.Scalar(byte), 2)
        // Invalid in JSON: the character after the backslash is read separately.
        default: return (" ", 1)
        }
    }

    /// Decodes `\u00e9`, or a surrogate pair such as `\ud83d\ude00`.
    private func unicodeScalar(at start: Int, before end: Int) -> (scalar: Unicode.Scalar, count: Int) {
        guard let unit = codeUnit(at: start, before: end) else { return (" ", 2) }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard (0xD800...0xDBFF).contains(unit), let low = codeUnit(at: start + 6, before: end),
            (0xDC00...0xDFFF).contains(low)
        else { return ("\u{FFFD}", 6) }
        let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
        return (Unicode.Scalar(value) ?? "\u{FFFD}", 12)
    }

    private func codeUnit(at start: Int, before end: Int) -> UInt16? {
        guard start + 6 <= end, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        let digits = bytes[start + 2..<start + 6]
        // `UInt16("+1ab", radix: 16)` would accept a sign.
        guard digits.allSatisfy(\.isHexadecimalDigit) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    fileprivate var isHexadecimalDigit: Bool { Unicode.Scalar(self).properties.isASCIIHexDigit }

    fileprivate var isPartOfNumber: Bool {
        (0x30...0x39).contains(self) || self == UInt8(ascii: "-") || self == UInt8(ascii: "+")
            || self == UInt8(ascii: ".") || self | 0x20 == UInt8(ascii: "e")
    }
}
