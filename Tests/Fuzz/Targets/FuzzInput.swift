/// The bytes of an input, which a target reads from the beginning. At their end, there are zeros.
package struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bool() -> Bool { byte() & 1 == 1 }

    /// A number from 0 to `limit - 1`, of one byte, or of two if it can be larger than 255.
    mutating func number(below limit: Int) -> Int {
        let high = limit > 256 ? Int(byte()) << 8 : 0
        return (high | Int(byte())) % max(1, limit)
    }

    mutating func element<T>(of elements: [T]) -> T { elements[number(below: elements.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] {
        let bytes = rest.prefix(count)
        rest = rest[bytes.endIndex...]
        return Array(bytes)
    }

    /// Bytes with their count before them.
    mutating func countedBytes() -> [UInt8] { bytes(Int(byte())) }

    /// The text up to a line feed, which is dropped.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }

    /// All bytes that aren't read.
    package var remainder: [UInt8] { Array(rest) }

    /// All bytes that aren't read, as a string.
    var text: String { String(decoding: rest, as: UTF8.self) }
}
