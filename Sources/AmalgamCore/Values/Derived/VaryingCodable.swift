package import Foundation
import Synchronization

/// Detects `Codable` types that encode some values as a single value, and others as an array or object:
///
///     enum JSONValue: Codable { case null, bool(Bool), number(Double), string(String), array([JSONValue]) }
///
/// In a column, `.string("[1]")` couldn't be distinguished from `.array([.number(1)])`. Therefore, stored values of
/// such a type are first decoded as JSON. A string that would be decoded as a different value is stored as a JSON
/// string, in quotes: `"[1]"`.
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

    /// Returns whether an encoded single value would be decoded as a different value of the type.
    package static func isAmbiguous(_ single: DatabaseValue, of type: Any.Type) -> Bool {
        guard contains(type), let codable = type as? any (Decodable & Encodable).Type else { return false }
        return (try? reencoded(single, codable))?.storage != single.storage
    }

    /// Decodes a single value and encodes it again. Returns nil if it becomes an array or object.
    private static func reencoded<Value: Decodable & Encodable>(
        _ single: DatabaseValue, _ type: Value.Type
    ) throws -> DatabaseValue? {
        if let stored = single.storedJSON,
            let value = try? DatabaseValue.databaseJSONDecoder()
                .decodeStored(type, from: stored.json, isText: stored.isText)
        {
            return try DatabaseValueEncoder.singleValue(of: value)
        }
        return try DatabaseValueEncoder.singleValue(of: Value(from: DatabaseValueDecoder(single)))
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
