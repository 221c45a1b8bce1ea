// A record may request a container that a row can't store, such as an unkeyed container. The method
// `unkeyedContainer()` of the `Encoder` protocol can't throw. Instead, it returns a container that throws an error for
// each value.

/// A container that throws an error for each value.
struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    private let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    var codingPath: [any CodingKey] { [] }

    var count: Int { 0 }

    func encodeNil() throws { throw refusal(reason, nil as Int? as Any) }

    func encode<T: Encodable>(_ value: T) throws { throw refusal(reason, value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer(reason))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { RefusingEncoder(reason: reason) }
}

/// A keyed container that throws an error for each value.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw refusal(reason, nil as Int? as Any) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw refusal(reason, value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer<NestedKey>(reason))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(reason) }

    func superEncoder() -> any Encoder { RefusingEncoder(reason: reason) }

    func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(reason: reason) }
}

private struct RefusingEncoder: Encoder {
    let reason: String

    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusingKeyedContainer(reason))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(reason) }

    func singleValueContainer() -> any SingleValueEncodingContainer { RefusingContainer(reason) }
}

private func refusal(_ reason: String, _ value: Any) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: reason))
}
