import AmalgamCore

/// The keyed container of a row. Codable asks for the values of properties here.
struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let columns: KeyedColumns

    init(_ columns: KeyedColumns) {
        self.columns = columns
    }

    var codingPath: [any CodingKey] { [] }

    /// The place of the property of a key.
    @inline(__always)
    func place(_ key: Key) -> Int { columns.place(of: key) }

    /// The property of a key.
    ///
    /// - throws: a `DecodingError` when no record is being decoded.
    private func property(_ key: Key) throws -> KeyedColumns.Property {
        _ = try columns.source.row()
        return columns[place(key)]
    }

    /// The keys of the columns, of the parts of the row, and of the rows of associations.
    var allKeys: [Key] {
        guard let row = try? columns.source.row() else { return [] }
        let names = columns.source.keys + row.scopesTree.names.sorted() + row.prefetchedRows.keys.sorted()
        return names.compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        guard let property = try? property(key), let row = try? columns.source.row() else { return false }
        return property.column >= 0 || row.hasPart(named: property.name)
            || row.prefetchedRows(forKey: property.name) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let property = try property(key)
        let row = try columns.source.row()
        if row.prefetchedRows(forKey: property.name) != nil { return false }
        if row.hasPart(named: property.name) {
            return row.withPart(named: property.name) { $0?.containsNonNullValue != true }
        }
        return property.column < 0 || row.hasNull(atIndex: property.column)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try reader(type, key).value(columns.source)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try reader(type, key).valueIfPresent(columns.source)
    }

    /// What reads values of a type for a key.
    ///
    /// - throws: a `DecodingError` when no record is being decoded.
    @inline(__always)
    private func reader<T: Decodable>(_ type: T.Type, _ key: Key) throws -> PropertyReader<T> {
        if !columns.source.isReading { _ = try columns.source.row() }
        return columns.reader(type, place(key), key)
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
        let property = try property(key)
        let column = property.column < 0 ? nil : property.column
        return try ReadProperty(key: key, column: column, source: columns.source).decoder()
    }
}

extension Row {
    /// Whether there is a part with a name.
    func hasPart(named name: String) -> Bool { layout?.scopes.isEmpty == false && scopesTree[name] != nil }
}
