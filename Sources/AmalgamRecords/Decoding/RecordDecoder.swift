import AmalgamCore

/// Decodes the properties of a `Decodable` record from a row.
///
/// All rows of a statement have the same columns. Therefore, one cached decoder decodes all rows of a statement. For
/// the first row, the decoder looks up the column of each coding key, and chooses a `PropertyReader`. For the next
/// rows, decoding a property costs one array access and reading the column, and allocates no memory. Decoders are used
/// from one thread.
final class RecordDecoder: Decoder {
    let source: RowSource

    /// The property that this decoder decodes from the whole row, because the row has no column, scope (joined columns)
    /// or prefetched rows with its name. Nil if the decoder decodes a record or a scope.
    private let missingKey: String?

    let codingPath: [any CodingKey]

    /// One container for each type of coding keys.
    @exclusivity(unchecked)  // Decoders are used from one thread, and accesses never overlap.
    private var containers: [RetainedContainerBase] = []

    /// A decoder that can be retained.
    convenience init(_ source: RowSource) {
        self.init(source, nil)
    }

    /// A decoder of the scope (joined columns) that has the name of a property.
    convenience init(_ source: RowSource, partOf key: any CodingKey) {
        self.init(source, key)
    }

    /// A decoder of a property from the row itself.
    convenience init(_ source: RowSource, wholeRowFor key: any CodingKey) {
        self.init(source, key, missingKey: key.stringValue)
    }

    /// A decoder of rows that have the columns of the given row. It works only in `decode(_:_:)`.
    convenience init(rowsLike row: Row, of recordType: any FetchableRecord.Type, key: (any CodingKey)? = nil) {
        self.init(RowSource(recordType, row), key)
    }

    private init(_ source: RowSource, _ key: (any CodingKey)?, missingKey: String? = nil) {
        self.source = source
        self.missingKey = missingKey
        codingPath = key.map { [$0] } ?? []
    }

    /// The user info of the record type.
    var userInfo: [CodingUserInfoKey: Any] { source.recordType.databaseDecodingUserInfo }

    /// Decodes a record.
    static func decode<Record: FetchableRecord & Decodable>(_ type: Record.Type, from row: Row) throws -> Record {
        guard let decoder = decoder(of: type, for: row) else {
            return try RecordDecoder(rowsLike: row, of: type).decode(type, row)
        }
        return try decoder.decode(type, row)
    }

    /// Returns a decoder cached by the row; nil if the row can't cache decoders.
    @inline(__always)
    private static func decoder(of type: any FetchableRecord.Type, for row: Row) -> RecordDecoder? {
        // Code of the record type could release the plans (cached decoders). `latestDecoder` runs no such code.
        // Therefore, the plans aren't retained during this call. The calls below may run code of the record type: they
        // retain the plans.
        let latest = row.decodingPlans?._withUnsafeGuaranteedRef {
            ($0 as! RowPlans).latestDecoder(of: type, for: row)
        }
        if let latest { return latest }
        return (row.plans ?? row.makePlans())?.decoder(of: type, for: row)
    }

    /// Decodes a row. The decoder stays alive during the call, and has a row only during the call.
    @inline(__always)
    func decode<Value: Decodable>(_ type: Value.Type, _ row: Row) throws -> Value {
        defer { extendLifetime(self) }
        return try source.reading(row) { try Value(from: self) }
    }

    /// Calls a closure with a decoder of a type for a row, which the row caches if it can.
    static func with<T>(
        _ row: Row, of type: any FetchableRecord.Type, _ body: (RecordDecoder) throws -> T
    ) rethrows -> T {
        try body(decoder(of: type, for: row) ?? RecordDecoder(rowsLike: row, of: type))
    }

    /// Calls a closure with the reader of a property, which is cached for the next rows.
    func property<Value: Decodable, T>(
        _ type: Value.Type, _ key: RecordKey, _ row: Row, _ body: (PropertyReader<Value>, RowSource) throws -> T
    ) throws -> T {
        defer { extendLifetime(self) }
        return try source.reading(row) { try body(keyedColumns.reader(type, key), source) }
    }

    /// The properties that are read one by one.
    private lazy var keyedColumns: KeyedColumns = {
        let container = RetainedContainer<RecordKey>(KeyedColumns(source))
        containers.append(container)
        return container.columns
    }()

    /// Discards the cached readers of property values.
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

    /// A container of a different type, which is decoded from the same row.
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        if let missingKey { throw try source.row().columnNotFound(missingKey) }
        return WholeRowContainer(decoder: self)
    }

    /// Decodes a record from the current row.
    fileprivate func record<Value>(_ record: any FetchableRecord.Type, as type: Value.Type) throws -> Value {
        try record.init(row: source.row()) as! Value
    }

    /// Returns the error for a type that requests a single value or a list from a row. If the decoder decodes a
    /// property without a column, the error names the missing column.
    fileprivate func unsupported(_ message: String, _ type: Any.Type) throws -> any Error {
        if let missingKey { return try source.row().columnNotFound(missingKey) }
        return DecodingError.typeMismatch(
            type, DecodingError.Context(codingPath: codingPath, debugDescription: message))
    }
}

/// The container of a record that wraps one value. The value is decoded from the whole row, not from a column.
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
        // A record may have its own `init(row:)`.
        if let record = type as? any FetchableRecord.Type { return try decoder.record(record, as: type) }
        return try Value(from: decoder)
    }
}

/// A container that is cached for all rows.
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
