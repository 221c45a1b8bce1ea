package import Foundation
import Synchronization

/// Recognises `Codable` types whose values are encoded as a single value in some cases, and as an array or object in others:
///
///     enum JSONValue: Codable { case null, bool(Bool), number(Double), string(String), array([JSONValue]) }
///
/// A column cannot tell the string `[1]` of such a type from the array. So its values are read as JSON first, and a single
/// value that would be read as another one is stored as JSON: `"[1]"`, in quotes. Each type is examined once, by decoding an
/// empty array and an empty object.
package enum VaryingCodable {
    private static let verdicts = Mutex<[ObjectIdentifier: Bool]>([:])

    /// Whether some values of a type are encoded as an array or object.
    ///
    /// - Parameter type: a type one value of which is encoded as a single value, or decoded from one.
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

    /// Whether a single value that a type has encoded would be read as another value of the type.
    package static func isAmbiguous(_ single: DatabaseValue, of type: Any.Type) -> Bool {
        guard contains(type), let codable = type as? any (Decodable & Encodable).Type else { return false }
        return (try? reencoded(single, codable))?.storage != single.storage
    }

    /// The single value of the value that is read; nil when it is encoded as an array or object.
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
    /// The JSON of a stored value: the bytes of a text or blob, and the text of a number.
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
