package import Foundation

/// A JSON encoder with a binary output, which is stored as a BLOB value.
package protocol BinaryJSONEncoder: JSONEncoder {}

/// A JSON decoder of a binary format. It also reads JSON strings, so that a column may contain both.
package protocol BinaryJSONDecoder: JSONDecoder {
    /// Decodes a value from a JSON string.
    func decodeText<T: Decodable>(_ type: T.Type, from text: Data) throws -> T
}

extension JSONEncoder {
    /// Returns the stored form of a value: a string, or the BLOB of a binary encoder.
    package func storedValue(_ value: some Encodable) throws -> any DatabaseValueConvertible {
        let json = try encode(value)
        return self is any BinaryJSONEncoder ? json : String(decoding: json, as: UTF8.self)
    }
}

extension JSONDecoder {
    /// Decodes a value from the bytes of a TEXT or BLOB value.
    package func decodeStored<T: Decodable>(_ type: T.Type, from json: Data, isText: Bool) throws -> T {
        if isText, let decoder = self as? any BinaryJSONDecoder { return try decoder.decodeText(type, from: json) }
        return try decode(type, from: json)
    }
}
