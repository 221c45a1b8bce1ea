public import Foundation

/// A number, stored as INTEGER or REAL, depending on the type from which it was created.
///
/// | number | stored as |
/// | --- | --- |
/// | an integer or a Bool | INTEGER |
/// | a Float or a Double, such as `NSNumber(value: 10.0)` | REAL |
/// | `NSDecimalNumber(string: "10.0")` | INTEGER |
/// | `NSDecimalNumber(string: "10.5")` | REAL, the nearest value |
/// | `NSDecimalNumber(value: 10_000_000.01)`, which may be 10000000.009999998976 | TEXT, if no REAL is read as this number |
///
/// In an expression that isn't a column, TEXT is greater than all numbers: pass `doubleValue` to compare with a sum.
///
/// INTEGER and REAL values are decoded as numbers. A TEXT value such as `'10.5'` is decoded as an `NSDecimalNumber`.
extension NSNumber: DatabaseValueConvertible {
    /// An INTEGER or REAL value; a TEXT value for some decimal numbers that were made from a `Double`.
    ///
    /// SQLite's integers end at `Int64.max`, so that storing a larger unsigned integer is an error.
    public var databaseValue: DatabaseValue {
        if let number = self as? NSDecimalNumber { return Self.decimalValue(number) }
        return switch UInt8(bitPattern: objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): doubleValue.databaseValue
        case UInt8(ascii: "L"), UInt8(ascii: "Q"): uint64Value.databaseValue
        // Integers of all other widths, and Bool.
        default: int64Value.databaseValue
        }
    }

    private static func decimalValue(_ number: NSDecimalNumber) -> DatabaseValue {
        let decimal = number.decimalValue
        let integer = number.int64Value
        if Decimal(integer) == decimal { return integer.databaseValue }
        // The string is parsed, because `doubleValue` isn't the nearest double on some platforms: it is 1 ulp off for
        // 1e30.
        let double = Double(decimal.description) ?? number.doubleValue
        let isSame = Decimal(text: double.description) == decimal || NSNumber(value: double) == number
        return !isSame && isInexactCopy(decimal, of: double) ? decimal.databaseValue : double.databaseValue
    }

    /// Whether a decimal number was made from a `Double` that has nearly this value. Foundation doesn't convert
    /// exactly: the decimal number of 10000000.01 is 10000000.009999998976.
    private static func isInexactCopy(_ decimal: Decimal, of double: Double) -> Bool {
        decimal.isNaN || (-8...8).contains { Decimal(double + Double($0) * double.ulp) == decimal }
    }

    /// Returns the number; nil for NULL, for BLOB values, and for TEXT values that aren't a decimal number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        number(dbValue) as? Self
    }

    private static func number(_ dbValue: DatabaseValue) -> NSNumber? {
        switch dbValue.storage {
        case .int64(let integer) where self != NSDecimalNumber.self: NSNumber(value: integer)
        case .double(let double) where self != NSDecimalNumber.self: NSNumber(value: double)
        default: Decimal.fromDatabaseValue(dbValue).map { NSDecimalNumber(decimal: $0) }
        }
    }
}
