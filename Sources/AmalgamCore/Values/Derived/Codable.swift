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
/// ``DatabaseValueConvertible/databaseJSONEncoder()``. Some types encode only some of their values as arrays or
/// objects, such as an `enum JSONValue`. They are first decoded as JSON, and their string `[1]` is stored as JSON too:
/// `"[1]"`.
extension DatabaseValueConvertible where Self: Encodable {
    /// The encoded single value, or JSON.
    ///
    /// This property can't throw. If the value can't be encoded, such as NaN with the default encoder, an error is
    /// thrown when it is bound.
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

/// The derived decoding of `Decodable` types: from a single value, or from JSON.
extension DatabaseValueConvertible where Self: Decodable {
    /// Decodes a single value, or JSON with ``DatabaseValueConvertible/databaseJSONDecoder()``. Returns nil if both
    /// fail.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        let decoder = DatabaseValueDecoder(dbValue)
        let value = try? Self(from: decoder)
        // A type may try an object first, and accept a string. Here, too, the object takes precedence.
        guard decoder.isAskedForContainer || VaryingCodable.contains(Self.self), let stored = dbValue.storedJSON else {
            return value
        }
        return (try? databaseJSONDecoder().decodeStored(Self.self, from: stored.json, isText: stored.isText)) ?? value
    }
}
