import AmalgamCore

/// The keyed container of a record. Codable gives the values of properties here.
struct ColumnContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let columns: EncodedColumns<Key>

    init(_ columns: EncodedColumns<Key>) {
        self.columns = columns
    }

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try columns.set(nil, key) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try columns.encode(value, key) }

    /// Columns without a value are stored as well: NULL.
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try columns.encode(value, key) } else { try columns.set(nil, key) }
    }

    // MARK: Containers inside: a record has one level only

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer(nested(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(nested(key)) }

    /// The superclass of a record has its properties in the same row.
    func superEncoder() -> any Encoder { columns.superEncoder }

    func superEncoder(forKey key: Key) -> any Encoder { columns.superEncoder }

    private func nested(_ key: Key) -> String {
        "nested encoding is not supported in a database row: encode a value for the key \(key.stringValue)"
    }
}

// Codable gives values of these types by methods of their own. All integers are bound as one type.

extension ColumnContainer {
    func encode(_ value: Bool, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: String, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try columns.set(value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { try columns.set(Int64(value), key) }
    func encode(_ value: Int16, forKey key: Key) throws { try columns.set(Int64(value), key) }
    func encode(_ value: Int32, forKey key: Key) throws { try columns.set(Int64(value), key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try columns.set(Int64(value), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try columns.set(Int64(value), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try columns.set(Int64(value), key) }
}

extension ColumnContainer {
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try columns.set(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try columns.set(value.map { Int64($0) }, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try columns.set(value.map { Int64($0) }, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try columns.set(value.map { Int64($0) }, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try columns.set(value.map { Int64($0) }, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try columns.set(value.map { Int64($0) }, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try columns.set(value.map { Int64($0) }, key) }
}
