public import Foundation

/// Stored as REAL.
extension CGFloat: DatabaseValueConvertible {
    /// A REAL.
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// The number, or nil for anything that is not a number.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
        Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
    }
}
