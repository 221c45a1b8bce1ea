/// The keyed container of an object.
struct JSONBKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONBValueEncoder

    /// The identifier of the object.
    let id: Int

    /// Whether keys are data, and aren't converted.
    let keepsKeys: Bool

    var codingPath: [any CodingKey] { encoder.codingPath }

    private var writer: JSONBWriter { encoder.writer }

    @inline(__always)
    private func write(_ key: Key) throws {
        try encoder.write(key: key, of: id, keepsKeys: keepsKeys)
    }

    @inline(__always)
    private func write(_ key: Key, _ body: () throws -> Void) throws {
        try encoder.write(key: key, of: id, keepsKeys: keepsKeys, body)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try write(key) { try encoder.encode(value) } }

    func encode(_ value: Double, forKey key: Key) throws { try write(key) { try encoder.write(float: value) } }

    func encode(_ value: Float, forKey key: Key) throws { try write(key) { try encoder.write(float: value) } }

    func encodeNil(forKey key: Key) throws {
        try write(key)
        writer.write(.null)
    }

    func encode(_ value: Bool, forKey key: Key) throws {
        try write(key)
        writer.write(value ? .true : .false)
    }

    func encode(_ value: String, forKey key: Key) throws {
        try write(key)
        writer.write(text: value)
    }

    @inline(__always)
    private func encode(integer: some FixedWidthInteger, _ key: Key) throws {
        try write(key)
        writer.write(integer: integer)
    }

    func encode(_ value: Int, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: Int8, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: Int16, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: Int32, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: UInt, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: UInt8, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: UInt16, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: UInt32, forKey key: Key) throws { try encode(integer: value, key) }
    func encode(_ value: UInt64, forKey key: Key) throws { try encode(integer: value, key) }

    func encode(_ value: Int128, forKey key: Key) throws {
        try write(key)
        writer.write(wideInteger: value)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        try write(key)
        writer.write(wideInteger: value)
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(.object, key: key, of: id, keepsKeys: keepsKeys).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.container(.array, key: key, of: id, keepsKeys: keepsKeys).unkeyedContainer()
    }

    /// The encoder of the key `super`.
    func superEncoder() -> any Encoder { encoder.part(key: JSONBKey.super, of: id, keepsKeys: keepsKeys) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.part(key: key, of: id, keepsKeys: keepsKeys) }
}
