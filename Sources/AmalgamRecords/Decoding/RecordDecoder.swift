import AmalgamCore

/// Decodes the properties of a `Decodable` record from a row.
///
/// Codable asks for a container with the keys of a type, then for the value of each key. What a decoder has found out to
/// answer that (the column of a key, how its type is read) is the same for all rows of a statement: the row that moves
/// keeps the decoder. So a property costs a look into an array, and the reading of its column; a record needs no memory
/// besides its own.
final class RecordDecoder: Decoder {
    let source: RowSource

    /// The property that is decoded from a whole row; nil for a record.
    private let key: String?

    let codingPath: [any CodingKey]

    /// A container for each type of keys.
    @exclusivity(unchecked)  // Decoders are used from one thread, and nothing here calls itself.
    private var containers: [KeptContainerBase] = []

    init(_ source: RowSource, key: (any CodingKey)? = nil) {
        self.source = source
        self.key = key?.stringValue
        codingPath = key.map { [$0] } ?? []
    }

    /// What the type wants to tell its properties.
    var userInfo: [CodingUserInfoKey: Any] { source.recordType.databaseDecodingUserInfo }

    /// Decodes a record.
    static func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
        let decoder = decoder(of: type, for: row)
        return try decoder.source.reading(row) { try Record(from: decoder) }
    }

    /// The decoder that the row keeps, when the row serves again.
    private static func decoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder {
        guard let plans = row.plans ?? row.makePlans() else { return RecordDecoder(RowSource(type, row)) }
        return plans.decoder(of: type, for: row)
    }

    /// Forgets how values of properties are read.
    func forgetStrategies() {
        for container in containers { container.columns.forgetReaders() }
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let id = ObjectIdentifier(type)
        for container in containers where container.keyType == id {
            return unsafeDowncast(container, to: KeptContainer<Key>.self).container
        }
        let columns = KeyedColumns(source)
        let container = KeyedDecodingContainer(RowContainer<Key>(columns))
        containers.append(KeptContainer(container, columns))
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw try unsupported("unkeyed decoding from database row is not supported", [Any].self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw try unsupported("single value decoding from database row is not supported", Any.self)
    }

    /// A property that was looked for in a whole row, and is a single value or a list after all, has no column.
    private func unsupported(_ message: String, _ type: Any.Type) throws -> any Error {
        if let key { return try source.row().columnNotFound(key) }
        return DecodingError.typeMismatch(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: message))
    }
}

/// A container that serves for all rows.
private class KeptContainerBase {
    /// The type of its keys.
    let keyType: ObjectIdentifier

    let columns: KeyedColumns

    init(_ keyType: Any.Type, _ columns: KeyedColumns) {
        self.keyType = ObjectIdentifier(keyType)
        self.columns = columns
    }
}

private final class KeptContainer<Key: CodingKey>: KeptContainerBase {
    let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>, _ columns: KeyedColumns) {
        self.container = container
        super.init(Key.self, columns)
    }
}
