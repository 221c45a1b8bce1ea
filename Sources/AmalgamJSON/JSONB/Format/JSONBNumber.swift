// Parsers of JSONB numbers, which are stored as text, like numbers in JSON. The functions return nil if the bytes
// aren't a number, or if the type can't represent the number.

enum JSONBNumber {
    /// Parses an integer: decimal digits, with or without a minus sign.
    @inline(__always)
    static func integer<Value: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> Value? {
        var position = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { position = 1 }
        let digitCount = bytes.count - position
        // 19 digits always fit into 64 bits.
        guard digitCount > 0 else { return nil }
        guard digitCount <= 19 else { return longInteger(bytes) }
        var magnitude: UInt64 = 0
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit > 9 { return nil }
            magnitude = magnitude &* 10 &+ UInt64(digit)
            position += 1
        }
        return exactly(magnitude, isNegative: isNegative)
    }

    private static func longInteger<Value: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> Value? {
        if bytes.first == UInt8(ascii: "+") { return nil }
        return Value(String(decoding: bytes, as: UTF8.self))
    }

    @inline(__always)
    private static func exactly<Value: FixedWidthInteger>(_ magnitude: UInt64, isNegative: Bool) -> Value? {
        if !isNegative { return Value(exactly: magnitude) }
        if magnitude <= UInt64(Int64.max) { return Value(exactly: -Int64(magnitude)) }
        return Value(exactly: -Int128(magnitude))
    }

    /// The exact integer of a number with a point or an exponent, such as `10.0` or `1e3`; nil if it has a fraction.
    static func wholeNumber<Value: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, _ type: JSONBType) -> Value? {
        guard let decimal = Decimals(bytes, type) else { return nil }
        var magnitude = Magnitude<Value.Magnitude>()
        // Zeros are only appended when a digit follows. Trailing zeros count as powers of ten.
        var zeros = 0
        for byte in bytes.prefix(while: { $0 | 0x20 != UInt8(ascii: "e") }) {
            let digit = byte &- UInt8(ascii: "0")
            switch digit {
            case 0: zeros += 1
            case 1...9:
                guard magnitude.append(digit, after: zeros) else { return nil }
                zeros = 0
            default: continue  // A sign or a point.
            }
        }
        if magnitude.value == 0 { return 0 }
        let power = zeros + decimal.exponent
        guard power >= 0, magnitude.append(zeros: power) else { return nil }
        if decimal.isNegative {
            return magnitude.value > Value.min.magnitude ? nil : 0 &- Value(truncatingIfNeeded: magnitude.value)
        }
        return Value(exactly: magnitude.value)
    }

    /// An integer to which digits are appended until it overflows.
    private struct Magnitude<Value: FixedWidthInteger> {
        var value: Value = 0

        mutating func append(_ digit: UInt8, after zeros: Int) -> Bool {
            guard append(zeros: zeros + 1) else { return false }
            let (sum, overflow) = value.addingReportingOverflow(Value(digit))
            value = sum
            return !overflow
        }

        mutating func append(zeros: Int) -> Bool {
            if value == 0 { return true }
            for _ in 0..<zeros {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                if overflow { return false }
                value = product
            }
            return true
        }
    }

    /// Parses a floating-point number: decimal digits, optionally with a point and an exponent.
    ///
    /// Most numbers have few digits and a small exponent. In this case, floating-point numbers represent the digits and
    /// the power of ten exactly, and one multiplication or division gives the correctly rounded number: see William
    /// Clinger, "How to read floating point numbers accurately". The standard library parses all other numbers.
    @inline(__always)
    static func float<Value: JSONBFloat>(_ bytes: UnsafeRawBufferPointer, _ type: JSONBType) -> Value? {
        guard let decimal = Decimals(bytes, type) else { return nil }
        if decimal.isExact, decimal.digits <= Value.maxExactInteger, decimal.exponent.magnitude <= Value.maxExactPower {
            let number = Value(decimal.digits)
            let power = Value.power(Int(decimal.exponent.magnitude))
            let value = decimal.exponent < 0 ? number / power : number * power
            return decimal.isNegative ? -value : value
        }
        guard let value = Value(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}

/// An integer of hexadecimal digits in JSON5 syntax: `0x1f`, `-0x1f`. SQLite reads up to 64 bits.
struct JSONBHexadecimal {
    private(set) var magnitude: UInt64 = 0
    let isNegative: Bool

    init?(_ bytes: UnsafeRawBufferPointer) {
        isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        guard digits.count > 2, digits.first == UInt8(ascii: "0"),
            digits.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x")
        else { return nil }
        for byte in digits.dropFirst(2) {
            guard let digit = byte.hexadecimalDigit, magnitude >> 60 == 0 else { return nil }
            magnitude = magnitude << 4 | UInt64(digit)
        }
    }
}

extension FixedWidthInteger {
    /// Creates an integer if it is representable.
    init?(exactly hexadecimal: JSONBHexadecimal) {
        let magnitude = Int128(hexadecimal.magnitude)
        self.init(exactly: hexadecimal.isNegative ? -magnitude : magnitude)
    }
}

/// A decimal number, as digits and a power of ten.
private struct Decimals {
    var digits: UInt64 = 0
    var exponent = 0
    var isNegative = false

    /// Whether `digits` contains all digits.
    var isExact = true

    /// - Returns: nil if the bytes aren't a number of the type.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, _ type: JSONBType) {
        var position = 0
        if bytes.first == UInt8(ascii: "-") {
            isNegative = true
            position = 1
        }
        var digitCount = 0
        var isFraction = false
        scan: while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit <= 9 {
                digitCount += 1
                if digitCount <= 18 { digits = digits &* 10 &+ UInt64(digit) } else { isExact = false }
                if isFraction { exponent -= 1 }
            } else if bytes[position] == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else {
                break scan
            }
            position += 1
        }
        if digitCount == 0 { return nil }
        let hasExponent = position < bytes.count
        guard type == .int ? !isFraction && !hasExponent : isFraction || hasExponent else { return nil }
        if type == .float, !isJSON(bytes, end: position) { return nil }
        if hasExponent, !readExponent(bytes, position) { return nil }
    }

    /// Whether the digits are valid JSON: digits before and after the point, and no leading zero before other digits.
    @inline(__always)
    private func isJSON(_ bytes: UnsafeRawBufferPointer, end: Int) -> Bool {
        let (start, point) = (isNegative ? 1 : 0, UInt8(ascii: "."))
        if bytes[start] == point || bytes[end - 1] == point { return false }
        return bytes[start] != UInt8(ascii: "0") || start + 1 == end || bytes[start + 1] == point
    }

    private mutating func readExponent(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        guard bytes[start] | 0x20 == UInt8(ascii: "e") else { return false }
        var position = start + 1
        guard position < bytes.count else { return false }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative || bytes[position] == UInt8(ascii: "+") { position += 1 }
        if position == bytes.count { return false }
        var written = 0
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit > 9 { return false }
            if written < 100_000 { written = written * 10 + Int(digit) }
            position += 1
        }
        exponent += isNegative ? -written : written
        return true
    }
}

/// A floating-point type.
protocol JSONBFloat: BinaryFloatingPoint, LosslessStringConvertible {
    /// All integers up to this one are exact in the type.
    static var maxExactInteger: UInt64 { get }

    /// All powers of ten up to this exponent are exact in the type.
    static var maxExactPower: UInt { get }

    static func power(_ exponent: Int) -> Self
}

extension Double: JSONBFloat {
    static var maxExactInteger: UInt64 { 1 << 53 }

    static var maxExactPower: UInt { 22 }

    @inline(__always)
    static func power(_ exponent: Int) -> Double { powersOfTen[exponent] }
}

extension Float: JSONBFloat {
    static var maxExactInteger: UInt64 { 1 << 24 }

    static var maxExactPower: UInt { 10 }

    @inline(__always)
    static func power(_ exponent: Int) -> Float { Float(powersOfTen[exponent]) }
}

private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
]
