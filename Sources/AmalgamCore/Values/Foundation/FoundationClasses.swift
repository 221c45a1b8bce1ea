public import Foundation

// The classes behind Foundation's values store what those values store.
//
// They have subclasses, hence `Self`: mutable classes read mutable objects. Other subclasses read nothing.

/// Stored as BLOB, as `Data` is.
extension NSData: DatabaseValueConvertible {
    /// A BLOB.
    public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

    /// The blob, or the UTF-8 bytes of a text; nil for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let data = Data.fromDatabaseValue(dbValue) else { return nil }
        return cast(self is NSMutableData.Type ? NSMutableData(data: data) : NSData(data: data))
    }
}

/// Stored as TEXT, as `Date` is.
extension NSDate: DatabaseValueConvertible {
    /// A TEXT such as `2015-07-22 01:02:03.456`.
    public var databaseValue: DatabaseValue {
        Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
    }

    /// The date of a text that names a day, or of a number of seconds since 1970; nil for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap {
            cast(NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate))
        }
    }
}

/// Stored as NULL, and never read: NULL is nil.
extension NSNull: DatabaseValueConvertible {
    /// NULL.
    public var databaseValue: DatabaseValue { .null }

    /// nil.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

/// Stored as TEXT, as `String` is.
extension NSString: DatabaseValueConvertible {
    /// A TEXT.
    public var databaseValue: DatabaseValue { substring(from: 0).databaseValue }

    /// The string that `String` reads.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        String.fromDatabaseValue(dbValue).flatMap { object($0) }
    }

    private static func object(_ string: String) -> Self? {
        cast(self is NSMutableString.Type ? NSMutableString(string: string) : NSString(string: string))
    }
}

/// Stored as TEXT, as `URL` is.
extension NSURL: DatabaseValueConvertible {
    /// A TEXT such as `https://sqlite.org/`.
    public var databaseValue: DatabaseValue {
        // An optional on Apple platforms, a string elsewhere.
        (absoluteString as String?)?.databaseValue ?? .null
    }

    /// The URL of a text, or of a blob of UTF-8; nil when it is empty or no URL, and for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) }.flatMap { cast($0) }
    }
}

/// Stored as a BLOB of 16 bytes, as `UUID` is.
extension NSUUID: DatabaseValueConvertible {
    /// A BLOB of 16 bytes.
    public var databaseValue: DatabaseValue {
        var bytes = [UInt8](repeating: 0, count: 16)
        getBytes(&bytes)
        return Data(bytes).databaseValue
    }

    /// The UUID of a blob of 16 bytes, or of a text of 36 characters; nil for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) }.flatMap { cast($0) }
    }
}

extension NSObjectProtocol {
    /// An object of the class that reads it, or nil.
    fileprivate static func cast(_ object: NSObject) -> Self? { object as? Self }
}
