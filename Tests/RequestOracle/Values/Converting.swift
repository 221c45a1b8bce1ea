// How SQLite converts values: <https://sqlite.org/datatype3.html#type_affinity>,
// <https://sqlite.org/lang_expr.html#castexpr>.

enum Affinity: String, CaseIterable, Sendable {
    case blob = "BLOB"
    case text = "TEXT"
    case numeric = "NUMERIC"
    case integer = "INTEGER"
    case real = "REAL"

    var isNumeric: Bool { self == .numeric || self == .integer || self == .real }
}

/// The number at the beginning of a string.
private struct NumberPrefix {
    var number: Cell = .integer(0)
    /// Whether nothing but spaces surrounds the number.
    var isWhole = false

    init(_ bytes: [UInt8]) throws {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        func isDigit(_ index: Int) -> Bool { index < bytes.count && (0x30...0x39).contains(bytes[index]) }
        var end = bytes.firstIndex { !isSpace($0) } ?? bytes.count
        let start = end
        if end < bytes.count, bytes[end] == 0x2B || bytes[end] == 0x2D { end += 1 }
        let digits = end
        while isDigit(end) { end += 1 }
        var count = end - digits
        var isInteger = true
        if end < bytes.count, bytes[end] == 0x2E, count > 0 || isDigit(end + 1) {
            isInteger = false
            end += 1
            while isDigit(end) { (end, count) = (end + 1, count + 1) }
        }
        if count == 0 { return }
        if end < bytes.count, bytes[end] == 0x65 || bytes[end] == 0x45 {
            let sign = end + 1 < bytes.count && (bytes[end + 1] == 0x2B || bytes[end + 1] == 0x2D) ? 1 : 0
            // "1e" is a whole number for some versions of SQLite.
            guard isDigit(end + 1 + sign) else { throw Undecided.ambiguous("an exponent without digits") }
            isInteger = false
            end += 1 + sign
            while isDigit(end) { end += 1 }
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        isWhole = bytes[end...].allSatisfy(isSpace)
        if isInteger, let integer = Int64(text) {
            number = .integer(integer)
        } else if let real = Double(text) {
            number = .real(real)
        } else if let real = Double(text + "0") {
            number = .real(real)
        }
    }
}

extension Cell {
    /// The operand of an arithmetic operator: an integer, a real number or NULL.
    var operand: Cell {
        get throws {
            switch self {
            case .null, .integer, .real: self
            case .text(let bytes): try NumberPrefix(bytes).number
            case .blob(let bytes): try NumberPrefix(bytes).number
            }
        }
    }

    /// Whether a condition holds; nil for NULL.
    var isTrue: Bool? {
        get throws {
            switch try operand {
            case .integer(let number): number != 0
            case .real(let number): number != 0
            default: nil
            }
        }
    }

    /// The bytes of the value as a string; nil for NULL.
    var bytes: [UInt8]? {
        get throws {
            switch self {
            case .null: nil
            case .integer(let number): Array("\(number)".utf8)
            case .real(let number): try Cell.digits(of: number)
            case .text(let bytes), .blob(let bytes): bytes
            }
        }
    }

    /// The digits of numbers that are short in both bases. Those of others depend on the version of SQLite.
    private static func digits(of number: Double) throws -> [UInt8] {
        guard abs(number) < 1e9, (number * 64).rounded() == number * 64, number != 0 || number.sign == .plus else {
            throw Undecided.ambiguous("the digits of a real number")
        }
        return Array("\(number)".utf8)
    }

    /// Returns the value as a column of the given affinity stores it.
    func stored(as affinity: Affinity) throws -> Cell {
        switch (affinity, self) {
        case (.text, .integer), (.text, .real): .text(try bytes!)
        case (.numeric, .text), (.integer, .text), (.real, .text), (.numeric, .real), (.integer, .real),
            (.real, .integer):
            try number(as: affinity)
        default: self
        }
    }

    private func number(as affinity: Affinity) throws -> Cell {
        var number = self
        if case .text(let bytes) = self {
            let prefix = try NumberPrefix(bytes)
            guard prefix.isWhole else { return self }
            number = prefix.number
        }
        switch number {
        case .integer(let integer) where affinity == .real:
            guard Int64(exactly: Double(integer)) == integer else {
                throw Undecided.uncomputed("an integer that isn't a real number")
            }
            return .real(Double(integer))
        case .real(let real) where affinity != .real: return Int64(exactly: real).map { .integer($0) } ?? number
        default: return number
        }
    }

    /// Returns the value for a comparison with a value of the given affinity.
    func compared(as affinity: Affinity?) throws -> Cell {
        switch (affinity, self) {
        case (.text, .integer), (.text, .real): return .text(try bytes!)
        case (.numeric, .text(let bytes)), (.integer, .text(let bytes)), (.real, .text(let bytes)):
            let prefix = try NumberPrefix(bytes)
            return prefix.isWhole ? prefix.number : self
        default: return self
        }
    }

    func cast(to affinity: Affinity) throws -> Cell {
        if isNull { return .null }
        switch affinity {
        case .text: return .text(try bytes!)
        case .blob: return .blob(try bytes!)
        case .integer:
            if case .text(let bytes) = self { return .integer(try Cell.integerPrefix(of: bytes)) }
            if case .blob(let bytes) = self { return .integer(try Cell.integerPrefix(of: bytes)) }
            return .integer(try integer!)
        case .real:
            if case .integer(let number) = try operand { return .real(Double(number)) }
            return try operand
        case .numeric:
            if isNumber { return self }
            let number = try operand
            guard case .real(let real) = number else { return number }
            return Int64(exactly: real).map { .integer($0) } ?? number
        }
    }

    /// `CAST('12.5' AS INTEGER)` reads digits only: '1e3' is 1.
    private static func integerPrefix(of bytes: [UInt8]) throws -> Int64 {
        let end = bytes.firstIndex { $0 == 0x2E || $0 == 0x65 || $0 == 0x45 } ?? bytes.count
        guard case .integer(let number) = try NumberPrefix(Array(bytes[..<end])).number else {
            throw Undecided.uncomputed("a long integer")
        }
        return number
    }

    /// The operand of a bitwise operator; nil for NULL.
    var integer: Int64? {
        get throws {
            switch self {
            case .null: return nil
            case .integer(let number): return number
            case .real(let number):
                if number.isNaN { return 0 }
                return number >= 0x1p63 ? .max : number <= -0x1p63 ? .min : Int64(number)
            case .text(let bytes), .blob(let bytes): return try Cell.integerPrefix(of: bytes)
            }
        }
    }
}
