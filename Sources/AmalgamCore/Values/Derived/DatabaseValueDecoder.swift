/// Decodes values that are stored as a single value, and notices those that are not: who asks for a keyed or
/// unkeyed container is for JSON.
package final class DatabaseValueDecoder: Decoder {
    private let value: DatabaseValue

    /// Whether keys or elements were asked for.
    package private(set) var isAskedForContainer = false

    /// The property that is decoded, if any.
    private let key: (any CodingKey)?

    package var codingPath: [any CodingKey] { key.map { [$0] } ?? [] }
    package var userInfo: [CodingUserInfoKey: Any] { context?() ?? [:] }

    /// Returns the context of decoding when a type asks for it.
    private let context: (() -> [CodingUserInfoKey: Any])?

    package init(
        _ value: DatabaseValue, key: (any CodingKey)? = nil, context: (() -> [CodingUserInfoKey: Any])? = nil
    ) {
        self.value = value
        self.key = key
        self.context = context
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self)
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        isAskedForContainer = true
        throw mismatch([String: Any].self)
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        isAskedForContainer = true
        throw mismatch([Any].self)
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: "\(value) does not decode as \(type)")
        )
    }
}

extension DatabaseValueDecoder {
    private struct SingleValueContainer: SingleValueDecodingContainer {
        let decoder: DatabaseValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { decoder.value.isNull }

        /// Database values first: a `Date` knows better here how it is stored than how it is encoded.
        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            guard let convertible = type as? any DatabaseValueConvertible.Type else {
                return try T(from: decoder)
            }
            guard let value = convertible.fromDatabaseValue(decoder.value) else {
                throw decoder.mismatch(type)
            }
            return value as! T
        }
    }
}
