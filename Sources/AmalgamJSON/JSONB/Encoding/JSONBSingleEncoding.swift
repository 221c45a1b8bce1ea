/// The container of a single value.
struct JSONBSingleEncoding: SingleValueEncodingContainer {
    let encoder: JSONBValueEncoder

    /// The identifier of the value.
    let id: Int

    var codingPath: [any CodingKey] { encoder.codingPath }

    private var writer: JSONBWriter { encoder.writer }

    @inline(__always)
    private func write(_ body: () throws -> Void) throws {
        try encoder.checkValue(id)
        try body()
    }

    func encode<T: Encodable>(_ value: T) throws { try write { try encoder.encode(value) } }

    func encodeNil() throws { try write { writer.write(.null) } }

    func encode(_ value: Bool) throws { try write { writer.write(value ? .true : .false) } }

    func encode(_ value: String) throws { try write { writer.write(text: value) } }

    func encode(_ value: Double) throws { try write { try encoder.write(float: value) } }

    func encode(_ value: Float) throws { try write { try encoder.write(float: value) } }

    func encode(_ value: Int) throws { try write { writer.write(integer: value) } }
    func encode(_ value: Int8) throws { try write { writer.write(integer: value) } }
    func encode(_ value: Int16) throws { try write { writer.write(integer: value) } }
    func encode(_ value: Int32) throws { try write { writer.write(integer: value) } }
    func encode(_ value: Int64) throws { try write { writer.write(integer: value) } }
    func encode(_ value: UInt) throws { try write { writer.write(integer: value) } }
    func encode(_ value: UInt8) throws { try write { writer.write(integer: value) } }
    func encode(_ value: UInt16) throws { try write { writer.write(integer: value) } }
    func encode(_ value: UInt32) throws { try write { writer.write(integer: value) } }
    func encode(_ value: UInt64) throws { try write { writer.write(integer: value) } }
    func encode(_ value: Int128) throws { try write { writer.write(wideInteger: value) } }
    func encode(_ value: UInt128) throws { try write { writer.write(wideInteger: value) } }
}
