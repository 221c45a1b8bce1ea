public import Foundation

/// Stored as TEXT, such as `10.5`, whatever the current locale: no digit is lost.
///
/// SQLite compares texts as texts, and a column of NUMERIC affinity turns the text into an INTEGER or a REAL. To compute
/// with exact amounts in SQL, store integers of the smallest unit, such as cents.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT such as `10.5`.
    public var databaseValue: DatabaseValue { description.databaseValue }

    /// The decimal of a number, or of a text that is one decimal number and nothing else; nil otherwise.
    ///
    /// A real gives the shortest decimal that stands for it: 1.23, not the 1.229999999999999982 it is made of.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
        switch dbValue.storage {
        case .int64(let integer): Decimal(integer)
        case .double(let double): Decimal(text: double.description)
        case .string(let string): Decimal(text: string)
        case .null, .blob: nil
        }
    }

    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let dbValue = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let decimal = Self.fromDatabaseValue(dbValue) else { return nil }
        self = decimal
    }
}

extension Decimal {
    private static let posix = Locale(identifier: "en_US_POSIX")

    /// The decimal of a text such as `-12.5` or `1e3`.
    ///
    /// Foundation ignores what follows a number: "12 apples" is none here.
    init?(text: String) {
        var scanner = DecimalScanner(text)
        guard let number = scanner.number() else { return nil }
        switch number {
        case .small(let isNegative, let significand, let exponent):
            self.init(sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(significand))
        case .large:
            guard let decimal = Decimal(string: text, locale: Self.posix), decimal.isFinite else { return nil }
            self = decimal
        }
    }
}

/// Recognises decimal numbers: an optional sign, digits with an optional point among them, an optional exponent.
private struct DecimalScanner {
    enum Number {
        /// A number whose digits fit in 64 bits.
        case small(isNegative: Bool, significand: UInt64, exponent: Int)
        /// A well formed number that Foundation knows how to round.
        case large
    }

    private var bytes: Substring.UTF8View

    init(_ text: String) {
        bytes = text[...].utf8
    }

    mutating func number() -> Number? {
        let isNegative = sign()
        var significand: UInt64 = 0
        var exponent = 0
        var fits = true
        var hasDigits = false
        var hasPoint = false
        while let byte = bytes.first {
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else if let digit = digit(byte) {
                hasDigits = true
                let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
                fits = fits && !overflow && !carry
                significand = sum
                if hasPoint { exponent -= 1 }
            } else {
                break
            }
            bytes.removeFirst()
        }
        guard hasDigits, let power = exponentPart(), bytes.isEmpty else { return nil }

        // Zeros at the end of a fraction: 10.50 prints as 10.5.
        exponent += power
        while fits, exponent < 0, significand % 10 == 0, significand > 0 {
            significand /= 10
            exponent += 1
        }
        if significand == 0 && fits { return .small(isNegative: false, significand: 0, exponent: 0) }
        guard fits, -100...100 ~= exponent else { return .large }
        return .small(isNegative: isNegative, significand: significand, exponent: exponent)
    }

    /// The power of ten after `e`, or 0 when there is no `e`; nil when it is not a number.
    private mutating func exponentPart() -> Int? {
        guard let byte = bytes.first, byte | 0x20 == UInt8(ascii: "e") else { return 0 }
        bytes.removeFirst()
        let isNegative = sign()
        guard let first = bytes.first, digit(first) != nil else { return nil }
        var power = 0
        while let byte = bytes.first, let digit = digit(byte) {
            power = min(power * 10 + digit, 1_000_000)
            bytes.removeFirst()
        }
        return isNegative ? -power : power
    }

    private mutating func sign() -> Bool {
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        return isNegative
    }

    private func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? Int(digit) : nil
    }
}
