package import Foundation
import Synchronization

/// Detects `Codable` types that encode some values as a single value, and others as an array or object:
///
///     enum JSONValue: Codable { case null, bool(Bool), number(Double), string(String), array([JSONValue]) }
///
/// In a column, `.string("[1]")` couldn't be distinguished from `.array([.number(1)])`. Therefore, stored values of
/// such a type are first decoded as JSON. A scalar that would be decoded as a different value is stored as JSON: a
/// string in quotes, as in `"[1]"`, and a Boolean value as `true`, because the stored number 1 could be decoded as a
/// number.
///
/// Each type is tested once, with the JSON `[]` and `{}`: such a type decodes at least one of them, and encodes the
/// decoded value as an array or object again. A mutex guards the cached results.
package enum VaryingCodable {
    private static let verdicts = Mutex<[ObjectIdentifier: Bool]>([:])

    /// Returns whether some values of a type are encoded as an array or object.
    ///
    /// - Parameter type: a type that has encoded or decoded a single value.
    package static func contains(_ type: Any.Type) -> Bool {
        guard let codable = type as? any (Decodable & Encodable).Type, !(type is any RawRepresentable.Type) else {
            return false
        }
        let id = ObjectIdentifier(type)
        if let verdict = verdicts.withLock({ $0[id] }) { return verdict }
        let verdict = encodesContainer(codable)
        verdicts.withLock { $0[id] = verdict }
        return verdict
    }

    /// Returns whether the single value that a value encodes would be decoded as a different value of the type.
    package static func isAmbiguous<Value: Encodable>(_ single: DatabaseValue, of value: Value) -> Bool {
        guard contains(Value.self), let type = Value.self as? any (Decodable & Encodable).Type else { return false }
        return isDecodedDifferently(single, value, as: type)
    }

    private static func isDecodedDifferently<Value: Decodable & Encodable>(
        _ single: DatabaseValue, _ value: some Encodable, as type: Value.Type
    ) -> Bool {
        guard let read = try? decoded(single, type),
            let again = try? DatabaseValueEncoder.typedSingleValue(of: read), again.value.storage == single.storage
        else { return true }
        // Different values may have one representation, such as true and 1, or a date and its text. Their JSON differs.
        if let original = try? DatabaseValueEncoder.typedSingleValue(of: value), original.type == again.type {
            return false
        }
        guard let json = json(of: value) else { return false }
        return json != Self.json(of: read)
    }

    private static func json(of value: some Encodable) -> Data? {
        try? DatabaseValue.databaseJSONEncoder().encode(value)
    }

    /// Decodes a single value like a column.
    private static func decoded<Value: Decodable>(_ single: DatabaseValue, _ type: Value.Type) throws -> Value {
        if let stored = single.storedJSON,
            let value = try? DatabaseValue.databaseJSONDecoder()
                .decodeStored(type, from: stored.json, isText: stored.isText)
        {
            return value
        }
        return try Value(from: DatabaseValueDecoder(single))
    }

    private static func encodesContainer<Value: Decodable & Encodable>(_ type: Value.Type) -> Bool {
        let decoder = DatabaseValue.databaseJSONDecoder()
        return ["[]", "{}"].contains { json in
            guard let value = try? decoder.decode(type, from: Data(json.utf8)) else { return false }
            do {
                return try DatabaseValueEncoder.singleValue(of: value) == nil
            } catch {
                return false
            }
        }
    }
}

extension DatabaseValue {
    /// The JSON of a stored value: the bytes of a TEXT or BLOB value, or a number as a string.
    package var storedJSON: (json: Data, isText: Bool)? {
        switch storage {
        case .null: nil
        case .int64(let integer): (Data(String(integer).utf8), true)
        case .double(let double): (Data(String(double).utf8), true)
        case .string(let string): (Data(string.utf8), true)
        case .blob(let data): (data, false)
        }
    }
}
