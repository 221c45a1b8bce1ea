package import Foundation

/// A JSON encoder whose output is no text: it is stored as a blob.
package protocol BinaryJSONEncoder: JSONEncoder {}

/// A JSON decoder for what is no text. It reads texts as well, so that a column may hold both.
package protocol BinaryJSONDecoder: JSONDecoder {
    /// Decodes a value from JSON text.
    func decodeText<T: Decodable>(_ type: T.Type, from text: Data) throws -> T
}

extension JSONEncoder {
    /// What is stored of a value: a text, or the blob of a binary encoder.
    package func storedValue(_ value: some Encodable) throws -> any DatabaseValueConvertible {
        let json = try encode(value)
        return self is any BinaryJSONEncoder ? json : String(decoding: json, as: UTF8.self)
    }
}

extension JSONDecoder {
    /// Decodes a value from the bytes of a text, or of a blob.
    package func decodeStored<T: Decodable>(_ type: T.Type, from json: Data, isText: Bool) throws -> T {
        if isText, let decoder = self as? any BinaryJSONDecoder { return try decoder.decodeText(type, from: json) }
        return try decode(type, from: json)
    }
}
