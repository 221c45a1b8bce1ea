import AmalgamCore

/// The keyed container of a row. Codable asks for the values of properties here.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let columns: KeyedColumns<Key>

    init(_ columns: KeyedColumns<Key>) {
        self.columns = columns
    }

    var codingPath: [any CodingKey] { [] }

    /// The keys of the columns, of the parts of the row, and of the rows of associations.
    var allKeys: [Key] {
        guard let row = try? columns.source.row() else { return [] }
        let names = columns.source.keys + row.scopesTree.names.sorted() + row.prefetchedRows.keys.sorted()
        return names.compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        guard let property = try? columns.property(key), let row = try? columns.source.row() else { return false }
        return property.column >= 0 || row.hasPart(named: property.name)
            || row.prefetchedRows(forKey: property.name) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let property = try columns.property(key)
        let row = try columns.source.row()
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

    // MARK: Containers inside

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    /// The superclass of a record has its properties in the same row.
    func superDecoder() throws -> any Decoder {
        let row = try columns.source.row().copy()
        return RecordDecoder(RowSource(columns.source.recordType, row, keeping: row))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        let property = try columns.property(key)
        let column = property.column < 0 ? nil : property.column
        return try ReadProperty(key: key, column: column, source: columns.source).decoder()
    }
}

extension Row {
    /// Whether there is a part with a name.
    func hasPart(named name: String) -> Bool { layout?.scopes.isEmpty == false && scopesTree[name] != nil }
}
