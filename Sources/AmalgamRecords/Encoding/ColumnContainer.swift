import AmalgamCore

/// The keyed encoding container of a record.
struct ColumnContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let columns: EncodedColumns

    init(_ columns: EncodedColumns) {
        self.columns = columns
    }

    var codingPath: [any CodingKey] { [] }

    /// Returns the index of a key's property.
    @inline(__always)
    private func index(_ key: Key) -> Int { columns.index(of: key) }

    func encodeNil(forKey key: Key) throws { try columns.set(.null, index(key)) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try columns.encode(value, index(key)) }

    /// Stores NULL for a nil property, so that its column is written too.
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value { try columns.encode(value, index(key)) } else { try columns.set(.null, index(key)) }
    }

    // MARK: Nested containers, which a row can't store

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(RefusingKeyedContainer(nested(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingContainer(nested(key)) }

    /// The properties of a record's superclass are in the same row.
    func superEncoder() -> any Encoder { columns.superEncoder }

    func superEncoder(forKey key: Key) -> any Encoder { columns.superEncoder }

    private func nested(_ key: Key) -> String {
        "nested encoding is not supported in a database row: encode a value for the key \(key.stringValue)"
    }
}

// `Codable` has one method for each of these types. All integers are bound as `Int64`.

extension ColumnContainer {
    func encode(_ value: Bool, forKey key: Key) throws { try columns.set(.integer(value ? 1 : 0), index(key)) }
    func encode(_ value: String, forKey key: Key) throws { try columns.set(.text(value), index(key)) }
    func encode(_ value: Double, forKey key: Key) throws { try columns.set(.real(value), index(key)) }
    func encode(_ value: Float, forKey key: Key) throws { try columns.set(.real(Double(value)), index(key)) }
    func encode(_ value: Int, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
    func encode(_ value: Int64, forKey key: Key) throws { try columns.set(.integer(value), index(key)) }
    func encode(_ value: UInt, forKey key: Key) throws { try columns.set(StoredValue(value), index(key)) }
    func encode(_ value: UInt64, forKey key: Key) throws { try columns.set(StoredValue(value), index(key)) }
    func encode(_ value: Int8, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
    func encode(_ value: Int16, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
    func encode(_ value: Int32, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
    func encode(_ value: UInt8, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
    func encode(_ value: UInt16, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
    func encode(_ value: UInt32, forKey key: Key) throws { try columns.set(.integer(Int64(value)), index(key)) }
}

extension ColumnContainer {
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }
}
