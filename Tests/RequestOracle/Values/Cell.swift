/// A value of SQLite, as the evaluator sees it: strings are bytes, because SQLite compares bytes.
enum Cell: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    static func string(_ string: String) -> Cell { .text(Array(string.utf8)) }

    static func truth(_ condition: Bool?) -> Cell { condition.map { .integer($0 ? 1 : 0) } ?? .null }

    var isNull: Bool { self == .null }

    var isInteger: Bool {
        if case .integer = self { return true }
        return false
    }

    var isNumber: Bool {
        switch self {
        case .integer, .real: true
        case .null, .text, .blob: false
        }
    }
}

extension Cell: CustomStringConvertible {
    /// The value as an SQL literal.
    var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let bytes): "'" + String(decoding: bytes, as: UTF8.self).replacing("'", with: "''") + "'"
        case .blob(let bytes): "x'" + Cell.hex(bytes) + "'"
        }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

/// The evaluator can't tell the result.
enum Undecided: Error {
    /// SQL leaves the result open, such as the row of a group that a bare column is read from, or it depends on the
    /// version or the compile options of SQLite.
    case ambiguous(String)

    /// SQL defines the result, but the evaluator doesn't compute it, such as the digits of a real number.
    case uncomputed(String)
}
