import Foundation

/// `Encodable` types are stored as the single value they encode, or as JSON text.
///
/// ```swift
/// struct Tags: Codable, DatabaseValueConvertible { var names: [String] }
/// // stored as '{"names":["a","b"]}'
/// ```
///
/// A type that encodes into a single value container is stored as that value, without JSON: a string as TEXT, a
/// `Date` or `UUID` in its database representation. Anything else is JSON, by
/// ``DatabaseValueConvertible/databaseJSONEncoder()``.
extension DatabaseValueConvertible where Self: Encodable {
    /// The single value `self` encodes, or its JSON text.
    ///
    /// There is no way to report an error from here: it comes when a value that JSON cannot express is stored, such as a
    /// NaN with the default encoder.
    public var databaseValue: DatabaseValue {
        do {
            if let value = try DatabaseValueEncoder.singleValue(of: self) { return value }
            return try Self.databaseJSONEncoder().storedValue(self).databaseValue
        } catch {
            return DatabaseValue(unstorable: "\(Self.self) does not encode: \(error)")
        }
    }
}

/// `Decodable` types are read from the single value they decode, or from JSON text.
extension DatabaseValueConvertible where Self: Decodable {
    /// The value decoded from a single value container, or from JSON text by
    /// ``DatabaseValueConvertible/databaseJSONDecoder()``; nil when neither succeeds.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        let decoder = DatabaseValueDecoder(dbValue)
        let value = try? Self(from: decoder)
        // A type may look for an object first, and make do with a string: the object has precedence here too.
        guard decoder.isAskedForContainer, let json = Data.fromDatabaseValue(dbValue) else { return value }
        let isText = if case .string = dbValue.storage { true } else { false }
        return (try? databaseJSONDecoder().decodeStored(Self.self, from: json, isText: isText)) ?? value
    }
}
