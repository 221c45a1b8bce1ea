import AmalgamCore

/// Encodes the properties of an `Encodable` record into a container.
///
/// All records of a type store a property in the same column, and convert its values with the same `ColumnWriter`.
/// Therefore, the connection caches the encoder that has looked up these columns and writers. Encoding a property then
/// costs one array access and appending a value. Encoders are used from one thread.
final class RecordEncoder: Encoder {
    let sink: ColumnSink

    /// One container for each type of coding keys.
    @exclusivity(unchecked)  // Encoders are used from one thread, and accesses never overlap.
    private var containers: [AnyObject] = []

    init(_ sink: ColumnSink) {
        self.sink = sink
    }

    var codingPath: [any CodingKey] { [] }

    /// The user info of the record type.
    var userInfo: [CodingUserInfoKey: Any] { sink.recordType.databaseEncodingUserInfo }

    /// Encodes a record.
    static func encode<Record: EncodableRecord & Encodable>(
        _ record: Record, to container: inout PersistenceContainer
    ) throws {
        let encoder = encoder(of: type(of: record), in: &container)
        try encoder.sink.writing(to: &container) { try record.encode(to: encoder as any Encoder) }
        container.encoder = encoder
    }

    /// Returns the container's encoder, or a new one if that encoder is in use, or belongs to a different type.
    private static func encoder(
        of type: any EncodableRecord.Type, in container: inout PersistenceContainer
    ) -> RecordEncoder {
        let encoder = container.encoder
        container.encoder = nil
        if let encoder, encoder.sink.recordType == type, !encoder.sink.isWriting { return encoder }
        return RecordEncoder(ColumnSink(type))
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        for case let retained as RetainedContainer<Key> in containers { return retained.container }
        let retained = RetainedContainer(KeyedEncodingContainer(ColumnContainer<Key>(EncodedColumns(sink))))
        containers.append(retained)
        return retained.container
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        RefusingContainer("unkeyed encoding is not supported")
    }

    /// A container of a different type, which is encoded into the same columns.
    func singleValueContainer() -> any SingleValueEncodingContainer { WholeRecordContainer(encoder: self) }
}

/// The single value of a record that wraps another type. The properties of this value are encoded into columns.
private struct WholeRecordContainer: SingleValueEncodingContainer {
    let encoder: RecordEncoder

    private static let refusal = RefusingContainer("Can't encode a single value in a database row.")

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { try Self.refusal.encodeNil() }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if value is any DatabaseValueConvertible { return try Self.refusal.encode(value) }
        // A record may have its own `encode(to:)`, with a container.
        if let record = value as? any EncodableRecord { return try encoder.sink.set(record) }
        try value.encode(to: encoder as any Encoder)
    }
}

/// A container that is cached for all records.
private final class RetainedContainer<Key: CodingKey> {
    let container: KeyedEncodingContainer<Key>

    init(_ container: KeyedEncodingContainer<Key>) {
        self.container = container
    }
}

/// The destination of a record's columns.
///
/// The sink accepts values only while `encode(to:)` of the record runs. If the record stores its encoder or a
/// container, and uses it later, `set(_:_:)` throws an error.
final class ColumnSink {
    /// The record type whose strategies apply.
    let recordType: any EncodableRecord.Type

    @exclusivity(unchecked)  // As below: encoders are used from one thread, and accesses never overlap.
    private var container = PersistenceContainer()

    @exclusivity(unchecked)
    private(set) var isWriting = false

    /// The encoder of the most recently encoded record that the encoded record wraps.
    @exclusivity(unchecked)
    private var wrapped: RecordEncoder?

    init(_ recordType: any EncodableRecord.Type) {
        self.recordType = recordType
    }

    /// Runs a closure that encodes a record.
    func writing(to container: inout PersistenceContainer, _ body: () throws -> Void) rethrows {
        swap(&container, &self.container)
        isWriting = true
        defer {
            isWriting = false
            swap(&container, &self.container)
        }
        try body()
    }

    /// Sets the value of a column.
    ///
    /// - Throws: an `EncodingError` if no record is being encoded.
    @inline(__always)
    func set(_ value: StoredValue, _ column: String) throws {
        if !isWriting { throw isOver }
        container.set(value, column)
    }

    /// Sets the columns of a record that the encoded record wraps.
    ///
    /// - Throws: errors of the record; an `EncodingError` if no record is being encoded.
    func set(_ record: some EncodableRecord) throws {
        if !isWriting { throw isOver }
        var container = PersistenceContainer()
        swap(&container, &self.container)
        container.encoder = wrapped
        defer {
            wrapped = container.encoder
            container.encoder = nil
            swap(&container, &self.container)
        }
        try record.encode(to: &container)
    }

    private var isOver: EncodingError {
        .invalidValue(
            recordType,
            EncodingError.Context(
                codingPath: [], debugDescription: "The encoder of a record is of no use once encode(to:) has returned.")
        )
    }
}
