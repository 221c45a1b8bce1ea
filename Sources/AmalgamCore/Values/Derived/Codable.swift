import Foundation

/// The derived storage of `Encodable` types: a single value, or JSON.
///
/// ```swift
/// struct Tags: Codable, DatabaseValueConvertible { var names: [String] }
/// // stored as '{"names":["a","b"]}'
/// ```
///
/// A type that encodes to a single value container is stored as that value, without JSON: a string as TEXT, a `Date` or
/// `UUID` in its database representation. Other types are stored as JSON, with
/// ``DatabaseValueConvertible/databaseJSONEncoder()``.
///
/// A type may encode some of its values as single values, and others as arrays or objects, such as an enum with the
/// cases `string(String)` and `array([Int])`. Values of this type are first decoded as JSON: a stored `[1]` is decoded
/// as an array. Therefore, `.string("[1]")` is stored as a JSON string, in quotes: `"[1]"`.
extension DatabaseValueConvertible where Self: Encodable {
    /// The encoded single value, or JSON.
    ///
    /// This property can't throw. If encoding fails, as for NaN with the default encoder, binding the value throws an
    /// error.
    public var databaseValue: DatabaseValue {
        do {
            if let value = try DatabaseValueEncoder.singleValue(of: self),
                !VaryingCodable.isAmbiguous(value, of: self)
            {
                return value
            }
            return try Self.databaseJSONEncoder().storedValue(self).databaseValue
        } catch {
            return DatabaseValue(unstorable: "\(Self.self) does not encode: \(error)")
        }
    }
}

/// The derived decoding of `Decodable` types: from a single value, or from JSON.
extension DatabaseValueConvertible where Self: Decodable {
    /// Decodes a single value, or JSON with ``DatabaseValueConvertible/databaseJSONDecoder()``. Returns nil if the
    /// value can't be decoded in either way.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        let decoder = DatabaseValueDecoder(dbValue)
        let value = try? Self(from: decoder)
        // A type that requested a container is decoded as JSON. The single value is used only if this fails.
        guard decoder.isAskedForContainer || VaryingCodable.contains(Self.self), let stored = dbValue.storedJSON else {
            return value
        }
        return (try? databaseJSONDecoder().decodeStored(Self.self, from: stored.json, isText: stored.isText)) ?? value
    }
}
