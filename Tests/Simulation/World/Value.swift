/// A value of the model: SQLite's five storage classes in plain Swift.
package enum Value: Hashable, Codable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// The rules by which columns convert and compare values: <https://sqlite.org/datatype3.html>.
enum Affinity: String, Sendable {
    case none, text, integer, real
}

enum Collation: String, Sendable {
    case binary = "BINARY"
    case nocase = "NOCASE"
    case rtrim = "RTRIM"

    /// The bytes that the collation compares.
    func key(_ text: String) -> [UInt8] {
        switch self {
        case .binary: return Array(text.utf8)
        case .nocase: return text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        case .rtrim:
            var bytes = Array(text.utf8)
            while bytes.last == 0x20 { bytes.removeLast() }
            return bytes
        }
    }
}

extension Value {
    var isNull: Bool { self == .null }

    /// The value as a column of this affinity stores it.
    func stored(_ affinity: Affinity) -> Value {
        switch (affinity, self) {
        case (.text, .integer(let number)): return .text("\(number)")
        case (.text, .real(let number)): return .text("\(number)")
        case (.integer, .text(let text)): return Value.number(in: text).map { $0.stored(.integer) } ?? self
        case (.integer, .real(let number)): return Int64(exactly: number).map(Value.integer) ?? self
        case (.real, .text(let text)): return Value.number(in: text).map { $0.stored(.real) } ?? self
        case (.real, .integer(let number)): return .real(Double(number))
        default: return self
        }
    }

    /// The number that a whole string stands for.
    private static func number(in text: String) -> Value? {
        let digits = text.trimmingSpaces
        if let integer = Int64(digits) { return .integer(integer) }
        if digits.contains("."), let real = Double(digits) { return .real(real) }
        return nil
    }

    /// The number that the value is in arithmetic.
    var numeric: Value {
        switch self {
        case .null, .integer, .real: return self
        case .text(let text): return .integer(Int64(text.trimmingSpaces.prefix { $0.isASCII && $0.isNumber }) ?? 0)
        case .blob(let bytes): return Value.text(String(decoding: bytes, as: UTF8.self)).numeric
        }
    }

    /// The string that the value is in string functions; nil for NULL.
    var string: String? {
        switch self {
        case .null: return nil
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .text(let text): return text
        case .blob(let bytes): return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The order of two values in an index: negative, zero or positive.
    func compared(to other: Value, _ collation: Collation = .binary) -> Int {
        switch (self, other) {
        case (.integer(let mine), .integer(let its)): return mine < its ? -1 : mine > its ? 1 : 0
        case (.text(let mine), .text(let its)): return Self.order(collation.key(mine), collation.key(its))
        case (.blob(let mine), .blob(let its)): return Self.order(mine, its)
        default:
            if let mine = double, let its = other.double { return mine < its ? -1 : mine > its ? 1 : 0 }
            return rank - other.rank
        }
    }

    private static func order(_ mine: [UInt8], _ its: [UInt8]) -> Int {
        mine.lexicographicallyPrecedes(its) ? -1 : its.lexicographicallyPrecedes(mine) ? 1 : 0
    }

    private var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}

extension Value {
    /// The value as SQL.
    package var sql: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        case .blob(let bytes): "x'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }

    /// The value as Swift.
    var swift: String {
        switch self {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.swiftLiteral
        case .blob(let bytes): "Data(\(bytes))"
        }
    }
}

extension Value: CustomStringConvertible {
    package var description: String { sql }
}

extension String {
    var trimmingSpaces: Substring {
        let start = firstIndex { $0 != " " } ?? endIndex
        let end = lastIndex { $0 != " " }.map(index(after:)) ?? start
        return self[start..<max(start, end)]
    }
}
