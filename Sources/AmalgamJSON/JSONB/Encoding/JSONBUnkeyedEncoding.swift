/// The unkeyed container of an array.
struct JSONBUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: JSONBValueEncoder

    /// The identifier of the array.
    let id: Int

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.elementCount(of: id) }

    private var writer: JSONBWriter { encoder.writer }

    @inline(__always)
    private func write(_ body: () throws -> Void) throws {
        try encoder.writeElement(of: id, body)
    }

    func encode<T: Encodable>(_ value: T) throws { try write { try encoder.encode(value) } }

    func encodeNil() throws {
        try encoder.countElement(of: id)
        writer.write(.null)
    }

    func encode(_ value: Bool) throws {
        try encoder.countElement(of: id)
        writer.write(value ? .true : .false)
    }

    func encode(_ value: String) throws {
        try encoder.countElement(of: id)
        writer.write(text: value)
    }

    func encode(_ value: Double) throws { try write { try encoder.write(float: value) } }

    func encode(_ value: Float) throws { try write { try encoder.write(float: value) } }

    @inline(__always)
    private func encode(integer: some FixedWidthInteger) throws {
        try encoder.countElement(of: id)
        writer.write(integer: integer)
    }

    func encode(_ value: Int) throws { try encode(integer: value) }
    func encode(_ value: Int8) throws { try encode(integer: value) }
    func encode(_ value: Int16) throws { try encode(integer: value) }
    func encode(_ value: Int32) throws { try encode(integer: value) }
    func encode(_ value: Int64) throws { try encode(integer: value) }
    func encode(_ value: UInt) throws { try encode(integer: value) }
    func encode(_ value: UInt8) throws { try encode(integer: value) }
    func encode(_ value: UInt16) throws { try encode(integer: value) }
    func encode(_ value: UInt32) throws { try encode(integer: value) }
    func encode(_ value: UInt64) throws { try encode(integer: value) }

    func encode(_ value: Int128) throws {
        try encoder.countElement(of: id)
        writer.write(wideInteger: value)
    }

    func encode(_ value: UInt128) throws {
        try encoder.countElement(of: id)
        writer.write(wideInteger: value)
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        superEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.partOfArray(of: id) }
}
