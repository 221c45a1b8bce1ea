// How SQLite compares values: <https://sqlite.org/datatype3.html#comparison_expressions>.

/// A collation that SQLite has built in.
enum Collation: String, CaseIterable, Sendable {
    case binary = "BINARY"
    case nocase = "NOCASE"
    case rtrim = "RTRIM"

    /// Returns bytes that are equal for strings which are equal by the collation, and are ordered as the strings.
    func key(of bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .binary: bytes
        case .nocase: bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        case .rtrim: Array(bytes[..<((bytes.lastIndex { $0 != 0x20 } ?? -1) + 1)])
        }
    }
}

enum Sign: Int {
    case less = -1
    case equal = 0
    case greater = 1

    init(_ isLess: Bool, _ isGreater: Bool) { self = isLess ? .less : isGreater ? .greater : .equal }
}

extension Cell {
    /// NULL, then numbers, strings and blobs.
    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    /// Compares values as ORDER BY does: NULL is equal to NULL.
    func compared(with other: Cell, _ collation: Collation) -> Sign {
        if rank != other.rank { return Sign(rank < other.rank, rank > other.rank) }
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return Sign(left < right, left > right)
        case (.real(let left), .real(let right)): return Sign(left < right, left > right)
        case (.integer(let left), .real(let right)): return Cell.compare(left, right)
        case (.real(let left), .integer(let right)): return Sign(rawValue: -Cell.compare(right, left).rawValue)!
        case (.text(let left), .text(let right)): return Cell.compare(collation.key(of: left), collation.key(of: right))
        case (.blob(let left), .blob(let right)): return Cell.compare(left, right)
        default: return .equal
        }
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Sign {
        Sign(left.lexicographicallyPrecedes(right), right.lexicographicallyPrecedes(left))
    }

    /// Compares exactly: a Double can't hold all integers.
    private static func compare(_ left: Int64, _ right: Double) -> Sign {
        if right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = Int64(right)
        if left != whole { return Sign(left < whole, left > whole) }
        let fraction = right - right.rounded(.towardZero)
        return Sign(fraction > 0, fraction < 0)
    }

    /// A value that is equal for values that are equal by the collation.
    func normal(_ collation: Collation) -> Cell {
        switch self {
        case .real(let number) where number == number.rounded() && abs(number) < 0x1p53: .integer(Int64(number))
        case .text(let bytes): .text(collation.key(of: bytes))
        default: self
        }
    }
}
