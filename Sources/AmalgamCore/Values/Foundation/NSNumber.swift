public import Foundation

/// Stored as INTEGER or REAL, after the type the number was made from.
///
/// | number | stored as |
/// | --- | --- |
/// | from an integer or a Bool | INTEGER |
/// | from a Float or a Double, such as `NSNumber(value: 10.0)` | REAL |
/// | `NSDecimalNumber(string: "10.0")` | INTEGER |
/// | `NSDecimalNumber(string: "10.5")` | REAL, the nearest to it |
///
/// It is read from integers and reals, and from texts that hold a number, which give an `NSDecimalNumber`.
extension NSNumber: DatabaseValueConvertible {
    /// An INTEGER or a REAL.
    ///
    /// SQLite has no integer above `Int64.max`: storing a larger unsigned integer is an error.
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
        // Through its text, the nearest double. `doubleValue` is less exact on some platforms: 1e30 is 1 ulp off.
        return (Double(decimal.description) ?? number.doubleValue).databaseValue
    }

    /// The number, or nil for a text that is not a decimal number and nothing else, for NULL and for blobs.
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
