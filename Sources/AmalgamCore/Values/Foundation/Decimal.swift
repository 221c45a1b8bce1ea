public import Foundation

/// A decimal number, stored as TEXT, such as `10.5`. The string is exact, and doesn't depend on the current locale.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO book (price) VALUES (?)", arguments: [Decimal(string: "10.50")])   // '10.5'
/// let price = try Decimal.fetchOne(db, sql: "SELECT price FROM book")   // 10.5
/// ```
///
/// SQLite compares TEXT values as strings, and a column with NUMERIC affinity converts them to INTEGER or REAL. For
/// exact computations in SQL, use the functions of SQLite's decimal extension, as a `TypedColumn<Decimal>` does, or store
/// integers of the smallest unit, such as cents: <https://sqlite.org/floatingpoint.html#decext>.
extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
    /// A TEXT value such as `10.5`.
    public var databaseValue: DatabaseValue { description.databaseValue }

    /// Returns the decimal of a number, or of a string that contains nothing but a decimal number; nil for other
    /// values.
    ///
    /// A REAL value is converted to the shortest decimal that identifies it: 1.23, and not the exact value
    /// 1.229999999999999982.
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

    /// Parses a string such as `-12.5` or `1e3`.
    ///
    /// Unlike Foundation's parser, which ignores the characters after a number, this returns nil for "12 apples".
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

/// A parser of decimal numbers: an optional sign, digits with an optional decimal point, and an optional exponent.
private struct DecimalScanner {
    enum Number {
        /// A number whose digits fit in 64 bits.
        case small(isNegative: Bool, significand: UInt64, exponent: Int)
        /// A well-formed number that Foundation rounds.
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

        // Trailing zeros of a fraction are removed: 10.50 is printed as 10.5.
        exponent += power
        while fits, exponent < 0, significand % 10 == 0, significand > 0 {
            significand /= 10
            exponent += 1
        }
        if significand == 0 && fits { return .small(isNegative: false, significand: 0, exponent: 0) }
        guard fits, -100...100 ~= exponent else { return .large }
        return .small(isNegative: isNegative, significand: significand, exponent: exponent)
    }

    /// Parses the exponent after `e`. Returns 0 without `e`, and nil if the exponent isn't a number.
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
