public import Foundation

// Foundation's classes are stored as the corresponding value types. A mutable subclass, such as `NSMutableData`, is
// decoded as a mutable object. Other subclasses can't be decoded.

/// Bytes, stored as BLOB as `Data` is.
extension NSData: DatabaseValueConvertible {
    /// A BLOB value.
    public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

    /// Returns the bytes of a BLOB value, or the UTF-8 bytes of a TEXT value; nil for other storage classes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let data = Data.fromDatabaseValue(dbValue) else { return nil }
        return cast(self is NSMutableData.Type ? NSMutableData(data: data) : NSData(data: data))
    }
}

/// A date, stored as TEXT as `Date` is.
extension NSDate: DatabaseValueConvertible {
    /// A TEXT value such as `2015-07-22 01:02:03.456`.
    public var databaseValue: DatabaseValue {
        Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
    }

    /// Returns the date of a TEXT value that has a day, or of a number of seconds since 1970; nil for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap {
            cast(NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate))
        }
    }
}

/// The null object, stored as NULL. It is never decoded: NULL is decoded as nil.
extension NSNull: DatabaseValueConvertible {
    /// The NULL value.
    public var databaseValue: DatabaseValue { .null }

    /// Returns nil.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

/// A string, stored as TEXT as `String` is.
extension NSString: DatabaseValueConvertible {
    /// A TEXT value.
    public var databaseValue: DatabaseValue { substring(from: 0).databaseValue }

    /// Returns the string that `String` decodes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { object($0) }
    }

    private static func object(_ string: String) -> Self? {
        cast(self is NSMutableString.Type ? NSMutableString(string: string) : NSString(string: string))
    }
}

/// A URL, stored as TEXT as `URL` is.
extension NSURL: DatabaseValueConvertible {
    /// A TEXT value such as `https://sqlite.org/`.
    public var databaseValue: DatabaseValue {
        // An optional on Apple platforms, a string on other platforms.
        (absoluteString as String?)?.databaseValue ?? .null
    }

    /// Returns the URL of a TEXT value, or of a BLOB value in UTF-8. Returns nil for an empty string, for a string that
    /// isn't a URL, and for other storage classes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) }.flatMap { cast($0) }
    }
}

/// A UUID, stored as a BLOB of 16 bytes as `UUID` is.
extension NSUUID: DatabaseValueConvertible {
    /// A BLOB value of 16 bytes.
    public var databaseValue: DatabaseValue {
        var bytes = [UInt8](repeating: 0, count: 16)
        getBytes(&bytes)
        return Data(bytes).databaseValue
    }

    /// Returns the UUID of a BLOB value of 16 bytes, or of a TEXT value of 36 characters; nil for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) }.flatMap { cast($0) }
    }
}

extension NSObjectProtocol {
    /// Casts an object to the decoded class; nil if it isn't an instance of it.
    fileprivate static func cast(_ object: NSObject) -> Self? { object as? Self }
}
