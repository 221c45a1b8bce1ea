import AmalgamCore

/// Encodes the properties of an `Encodable` record into a container.
///
/// What an encoder has found out (the column of a key, how its type is stored) is the same for all records of a type: the
/// connection keeps it. So a property costs a look into an array, and a place in the container.
final class RecordEncoder: Encoder {
    let sink: ColumnSink

    /// A container for each type of keys.
    @exclusivity(unchecked)  // Encoders are used from one thread, and nothing here calls itself.
    private var containers: [AnyObject] = []

    init(_ sink: ColumnSink) {
        self.sink = sink
    }

    var codingPath: [any CodingKey] { [] }

    /// What the type wants to tell its properties.
    var userInfo: [CodingUserInfoKey: Any] { sink.recordType.databaseEncodingUserInfo }

    /// Encodes a record.
    static func encode<Record: EncodableRecord & Encodable>(
        _ record: Record, to container: inout PersistenceContainer
    ) throws {
        let encoder = encoder(of: type(of: record), in: &container)
        try encoder.sink.writing(to: &container) { try record.encode(to: encoder as any Encoder) }
        container.encoder = encoder
    }

    /// The encoder that the container comes with. One that is at work already is not disturbed.
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

    /// A container of another type with properties, which is encoded into the same columns.
    func singleValueContainer() -> any SingleValueEncodingContainer { WholeRecordContainer(encoder: self) }
}

/// The single value that a record encodes: another type with properties, and no value of a column.
private struct WholeRecordContainer: SingleValueEncodingContainer {
    let encoder: RecordEncoder

    private static let refusal = RefusingContainer("Can't encode a single value in a database row.")

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { try Self.refusal.encodeNil() }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        if value is any DatabaseValueConvertible { return try Self.refusal.encode(value) }
        try value.encode(to: encoder as any Encoder)
    }
}

/// A container that serves for all records.
private final class RetainedContainer<Key: CodingKey> {
    let container: KeyedEncodingContainer<Key>

    init(_ container: KeyedEncodingContainer<Key>) {
        self.container = container
    }
}

/// Where the columns of a record are written.
///
/// It has a container while `encode(to:)` runs, and none in between: encoders and containers that somebody keeps for
/// longer throw.
final class ColumnSink {
    /// Whose strategies count.
    let recordType: any EncodableRecord.Type

    @exclusivity(unchecked)  // As the next one: encoders are used from one thread, and none of this calls itself.
    private var container = PersistenceContainer()

    @exclusivity(unchecked)
    private(set) var isWriting = false

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

    /// Sets a column.
    ///
    /// - throws: an `EncodingError` when no record is being encoded.
    @inline(__always)
    func set(_ value: StoredValue, _ column: String) throws {
        if !isWriting { throw isOver }
        container.set(value, column)
    }

    private var isOver: EncodingError {
        .invalidValue(
            recordType,
            EncodingError.Context(
                codingPath: [], debugDescription: "The encoder of a record is of no use once encode(to:) has returned.")
        )
    }
}
