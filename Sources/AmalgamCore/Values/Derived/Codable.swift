import Foundation

/// `Encodable` types are stored as the single value they encode, or as JSON text.
///
/// ```swift
/// struct Tags: Codable, DatabaseValueConvertible { var names: [String] }
/// // stored as '{"names":["a","b"]}'
/// ```
///
/// A type that encodes into a single value container is stored as that value, without JSON: a string as TEXT, a
/// `Date` or `UUID` in its database representation. Other types are stored as JSON, by
/// ``DatabaseValueConvertible/databaseJSONEncoder()``. A type that encodes some values as arrays or objects, such as an
/// `enum JSONValue`, is read from JSON first: its string `[1]` is stored as JSON as well, `"[1]"`.
extension DatabaseValueConvertible where Self: Encodable {
    /// The single value `self` encodes, or its JSON text.
    ///
    /// There is no way to report an error from here: it comes when a value that JSON cannot express is stored, such as a
    /// NaN with the default encoder.
    public var databaseValue: DatabaseValue {
        do {
            if let value = try DatabaseValueEncoder.singleValue(of: self),
                !VaryingCodable.isAmbiguous(value, of: Self.self)
            {
                return value
            }
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
        guard decoder.isAskedForContainer || VaryingCodable.contains(Self.self), let stored = dbValue.storedJSON else {
            return value
        }
        return (try? databaseJSONDecoder().decodeStored(Self.self, from: stored.json, isText: stored.isText)) ?? value
    }
}
