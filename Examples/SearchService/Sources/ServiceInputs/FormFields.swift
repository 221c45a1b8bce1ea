/// The names and values of a form, in the query of a URL or in the body of a request:
/// `application/x-www-form-urlencoded`.
package struct FormFields: Sendable {
    package private(set) var pairs: [(name: String, value: String)] = []

    package init() {}

    package init(_ encoded: String) {
        // Bytes are compared: a combining mark after a sign would be a part of its character.
        pairs = encoded.utf8.split(separator: UInt8(ascii: "&")).prefix(Self.limit).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// The limit of fields. Further ones are left out.
    package static let limit = 500

    /// The first value with this name.
    package subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    package mutating func append(_ name: String, _ value: String) { pairs.append((name, value)) }

    package var encoded: String {
        pairs.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
    }

    private static func decoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = Self.escaped(rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The byte of two hexadecimal digits; nil for other bytes, such as a sign, or for the end of the text.
    private static func escaped(_ digits: Substring.UTF8View) -> UInt8? {
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return values.count == 2 ? UInt8(values[0] << 4 | values[1]) : nil
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let isPlain = unreserved.contains(byte)
            encoded += isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}
