/// A decoder of a single value. It records whether the decoded type requests a keyed or unkeyed container: such a type
/// is stored as JSON, not as a single value.
package final class DatabaseValueDecoder: Decoder {
    private let value: DatabaseValue

    /// Whether a keyed or unkeyed container was requested.
    package private(set) var isAskedForContainer = false

    /// The coding key of the decoded property, if any.
    private let key: (any CodingKey)?

    package var codingPath: [any CodingKey] { key.map { [$0] } ?? [] }
    package var userInfo: [CodingUserInfoKey: Any] { context?() ?? [:] }

    /// Creates the `userInfo` when a type requests it.
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

        /// Decodes a value. A `DatabaseValueConvertible` type is decoded by `fromDatabaseValue`, even if the type is
        /// `Decodable`: a `Date` is decoded in its stored format.
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
