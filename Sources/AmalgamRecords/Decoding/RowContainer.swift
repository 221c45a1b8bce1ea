import AmalgamCore

/// The keyed decoding container of a row.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let columns: KeyedColumns

    init(_ columns: KeyedColumns) {
        self.columns = columns
    }

    var codingPath: [any CodingKey] { [] }

    /// Returns the property of the decoded type that has the coding key, the source of the rows, and the source's
    /// current row.
    ///
    /// - Throws: a `DecodingError` if no record is being decoded.
    private func property(_ key: Key) throws -> (KeyedColumns.Property, RowSource, Row) {
        let row = try columns.source.row()
        return (try columns.property(key), columns.source, row)
    }

    /// The keys of the columns, of the scopes, and of the prefetched rows.
    var allKeys: [Key] {
        let source = columns.source
        guard let row = try? source.row() else { return [] }
        let names = source.keys + row.scopesTree.names.sorted() + row.prefetchedRows.keys.sorted()
        return names.compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        guard let (property, _, row) = try? property(key) else { return false }
        return property.column >= 0 || row.hasPart(named: property.name)
            || row.prefetchedRows(forKey: property.name) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let (property, _, row) = try property(key)
        if row.prefetchedRows(forKey: property.name) != nil { return false }
        if row.hasPart(named: property.name) {
            return row.withPart(named: property.name) { $0?.containsNonNullValue != true }
        }
        return property.column < 0 || row.hasNull(atIndex: property.column)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try columns.reader(type, key).value(columns.source)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try columns.reader(type, key).valueIfPresent(columns.source)
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    /// Returns the decoder of the superclass, whose properties are in the same row.
    func superDecoder() throws -> any Decoder {
        let source = columns.source
        let row = try source.row().copy()
        return RecordDecoder(RowSource(source.recordType, row, keeping: row))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        let (property, source, _) = try property(key)
        let column = property.column < 0 ? nil : property.column
        return try ReadProperty(key: key, column: column, source: source).decoder()
    }
}

extension Row {
    /// Whether the row has a scope with the given name.
    func hasPart(named name: String) -> Bool { layout?.scopes.isEmpty == false && scopesTree[name] != nil }
}
