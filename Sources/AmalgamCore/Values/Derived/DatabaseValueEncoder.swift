/// An encoder of a single value. It detects values that request a keyed or unkeyed container: they are stored as JSON.
///
/// Encoding into such a container throws an error, which ends the encoding early. The request is also recorded, because
/// a type may encode nothing into the container, or ignore the error.
package final class DatabaseValueEncoder: Encoder {
    private var value: DatabaseValue?

    /// The type of the encoded value, such as `Bool`. Nil for null.
    private var type: Any.Type?

    private var isAskedForContainer = false

    /// The coding key of the encoded property, if any.
    private let key: (any CodingKey)?

    package var codingPath: [any CodingKey] { key.map { [$0] } ?? [] }
    package let userInfo: [CodingUserInfoKey: Any]

    private init(key: (any CodingKey)?, userInfo: [CodingUserInfoKey: Any]) {
        self.key = key
        self.userInfo = userInfo
    }

    /// Returns the single value that `encodable` encodes; nil if it requests a keyed or unkeyed container.
    package static func singleValue(
        of encodable: some Encodable, key: (any CodingKey)? = nil, userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws -> DatabaseValue? {
        try typedSingleValue(of: encodable, key: key, userInfo: userInfo)?.value
    }

    /// Returns the single value that `encodable` encodes, with its type: `Bool` for a value that encodes true. Returns
    /// nil if `encodable` requests a keyed or unkeyed container.
    static func typedSingleValue(
        of encodable: some Encodable, key: (any CodingKey)? = nil, userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws -> (value: DatabaseValue, type: Any.Type?)? {
        let encoder = DatabaseValueEncoder(key: key, userInfo: userInfo)
        do {
            try encodable.encode(to: encoder)
        } catch  where encoder.isAskedForContainer {
            return nil
        }
        return encoder.isAskedForContainer ? nil : (encoder.value ?? .null, encoder.type)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueContainer(encoder: self)
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        isAskedForContainer = true
        return KeyedEncodingContainer(KeyedContainer(encoder: self))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isAskedForContainer = true
        return UnkeyedContainer(encoder: self)
    }
}

extension DatabaseValueEncoder {
    private struct SingleValueContainer: SingleValueEncodingContainer {
        let encoder: DatabaseValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        mutating func encodeNil() throws {
            encoder.value = .null
            encoder.type = nil
        }

        /// Encodes a value. A `DatabaseValueConvertible` value is encoded as its `databaseValue`, even if the type is
        /// `Encodable`: a `Date` is encoded in its stored format.
        mutating func encode(_ value: some Encodable) throws {
            if let value = value as? any DatabaseValueConvertible {
                encoder.value = value.databaseValue
                encoder.type = Swift.type(of: value)
            } else {
                try value.encode(to: encoder)
            }
        }
    }

    private struct NeedsKeyedContainer: Error {}

    private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: DatabaseValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) throws { throw NeedsKeyedContainer() }
        func encode(_ value: some Encodable, forKey key: Key) throws { throw NeedsKeyedContainer() }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder }
        func superEncoder(forKey key: Key) -> any Encoder { encoder }
    }

    private struct UnkeyedContainer: UnkeyedEncodingContainer {
        let encoder: DatabaseValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { 0 }

        func encodeNil() throws { throw NeedsKeyedContainer() }
        func encode(_ value: some Encodable) throws { throw NeedsKeyedContainer() }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
        func superEncoder() -> any Encoder { encoder }
    }
}
