public import Foundation

/// A number, stored as REAL.
extension CGFloat: DatabaseValueConvertible {
    /// A REAL value.
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// Returns the number of an INTEGER or REAL value; nil for other storage classes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
        Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
    }
}
