import AmalgamCore

/// Decodes the properties of a `Decodable` record from a row.
///
/// Codable asks for a container with the keys of a type, then for the value of each key. What a decoder has found out to
/// answer that (the column of a key, how its type is read) is the same for all rows of a statement: the row that moves
/// keeps the decoder. So a property costs a look into an array, and the reading of its column; a record needs no memory
/// besides its own.
final class RecordDecoder: Decoder {
    let source: RowSource

    /// The property that is decoded from the whole row, as it was found nowhere else; nil for a record and for a part of a
    /// row.
    private let missingKey: String?

    let codingPath: [any CodingKey]

    /// A container for each type of keys.
    @exclusivity(unchecked)  // Decoders are used from one thread, and nothing here calls itself.
    private var containers: [RetainedContainerBase] = []

    /// A decoder that the caller may keep.
    convenience init(_ source: RowSource) {
        self.init(source, nil)
    }

    /// A decoder of the part of a row that is named after a property.
    convenience init(_ source: RowSource, partOf key: any CodingKey) {
        self.init(source, key)
    }

    /// A decoder of a property from the whole row, as it was found nowhere else.
    convenience init(_ source: RowSource, wholeRowFor key: any CodingKey) {
        self.init(source, key, missingKey: key.stringValue)
    }

    /// A decoder of rows with the columns of a row. It is of use in `decode(_:_:)`.
    convenience init(rowsLike row: Row, of recordType: any FetchableRecord.Type, key: (any CodingKey)? = nil) {
        self.init(RowSource(recordType, row), key)
    }

    private init(_ source: RowSource, _ key: (any CodingKey)?, missingKey: String? = nil) {
        self.source = source
        self.missingKey = missingKey
        codingPath = key.map { [$0] } ?? []
    }

    /// What the type wants to tell its properties.
    var userInfo: [CodingUserInfoKey: Any] { source.recordType.databaseDecodingUserInfo }

    /// Decodes a record.
    static func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
        guard let decoder = decoder(of: type, for: row) else {
            return try RecordDecoder(rowsLike: row, of: type).decode(type, row)
        }
        return try decoder.decode(type, row)
    }

    /// The decoder that a row keeps, when it serves again; nil when it does not.
    @inline(__always)
    private static func decoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder? {
        // To look at the latest one calls nobody who could release the plans. To find or make another one asks the type.
        let latest = row.decodingPlans?._withUnsafeGuaranteedRef {
            ($0 as! RowPlans).latestDecoder(of: type, for: row)
        }
        if let latest { return latest }
        return (row.plans ?? row.makePlans())?.decoder(of: type, for: row)
    }

    /// Decodes a row. The decoder lives meanwhile, and has no other row.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, _ row: Row) throws -> Value {
        defer { extendLifetime(self) }
        return try source.reading(row) { try Value(from: self) }
    }

    /// Forgets how values of properties are read.
    func forgetStrategies() {
        for container in containers { container.columns.forgetReaders() }
    }

    // MARK: Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        for case let retained as RetainedContainer<Key> in containers { return retained.container }
        let retained = RetainedContainer<Key>(KeyedColumns(source))
        containers.append(retained)
        return retained.container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw try unsupported("unkeyed decoding from database row is not supported", [Any].self)
    }

    /// A container of another type with properties, which is decoded from the same row.
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if let missingKey { throw try source.row().columnNotFound(missingKey) }
        return WholeRowContainer(decoder: self)
    }

    /// A property that was looked for in a whole row, and is a single value or a list after all, has no column.
    fileprivate func unsupported(_ message: String, _ type: Any.Type) throws -> any Error {
        if let missingKey { return try source.row().columnNotFound(missingKey) }
        return DecodingError.typeMismatch(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: message))
    }
}

/// The single value that a record asks for: a row, and no value of a column.
///
///     struct Wrapper: Decodable, FetchableRecord {
///         init(from decoder: any Decoder) throws {
///             player = try decoder.singleValueContainer().decode(Player.self)
///             …
private struct WholeRowContainer: SingleValueDecodingContainer {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type is any DatabaseValueConvertible.Type {
            throw try decoder.unsupported("single value decoding from database row is not supported", type)
        }
        return try Value(from: decoder)
    }
}

/// A container that serves for all rows.
private class RetainedContainerBase {
    let columns: KeyedColumns

    init(_ columns: KeyedColumns) {
        self.columns = columns
    }
}

private final class RetainedContainer<Key: CodingKey>: RetainedContainerBase {
    let container: KeyedDecodingContainer<Key>

    override init(_ columns: KeyedColumns) {
        container = KeyedDecodingContainer(RowContainer<Key>(columns))
        super.init(columns)
    }
}
