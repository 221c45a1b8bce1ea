import AmalgamCore

/// Where the values of the keys of one type are.
///
/// Keys are nearly always an enumeration without payload: one byte, which finds the property in a table. Two keys of the
/// same byte are the same key. Other keys are found by their names.
final class KeyedColumns<Key: CodingKey> {
    /// A property that was asked for.
    struct Property {
        let name: String

        /// The position of the column in the row; -1 when there is none.
        var column: Int

        /// The position of the column in the statement.
        var base: CInt

        /// How values of a type are read, and which type.
        var reader: AnyObject?
        var readType: ObjectIdentifier?
    }

    let source: RowSource

    @exclusivity(unchecked)  // As what follows: decoders are used from one thread, and nothing here calls itself.
    private var properties: [Property] = []

    /// The property of each byte; -1 for none so far. Nil for keys that are no byte.
    private let positions: UnsafeMutablePointer<Int16>?

    @exclusivity(unchecked)
    private var positionsByName: [String: Int] = [:]

    init(_ source: RowSource) {
        self.source = source
        positions = MemoryLayout<Key>.size <= 1 ? .allocate(capacity: 256) : nil
        positions?.initialize(repeating: -1, count: 256)
    }

    deinit { positions?.deallocate() }

    /// The position of the property of a key.
    @inline(__always)
    private func position(of key: Key) -> Int {
        guard let positions else { return positionsByName[key.stringValue] ?? add(key) }
        let byte = withUnsafeBytes(of: key) { $0.first ?? 0 }
        let position = Int(positions[Int(byte)])
        return position >= 0 ? position : add(key)
    }

    private func add(_ key: Key) -> Int {
        let name = key.stringValue
        let column = source.column(ofKey: name) ?? -1
        let base = column < 0 ? -1 : source.baseIndex(column)
        properties.append(Property(name: name, column: column, base: CInt(base)))
        let position = properties.count - 1
        if let positions {
            let byte = withUnsafeBytes(of: key) { $0.first ?? 0 }
            positions[Int(byte)] = Int16(position)
        } else {
            positionsByName[name] = position
        }
        return position
    }

    /// The property of a key.
    ///
    /// - throws: a `DecodingError` when no record is being decoded.
    func property(_ key: Key) throws -> Property {
        _ = try source.row()
        return properties[position(of: key)]
    }
}

// MARK: - Values that are read straight from the statement

extension KeyedColumns {
    /// The value of a key.
    @inline(__always)
    func scalar<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value {
        if let statement = source.statement {
            let base = properties[position(of: key)].base
            if base >= 0, let value = Value.fromStatement(statement, atUncheckedIndex: base) { return value }
        }
        return try scalarOfRow(type, key)
    }

    /// Rows that are copies, and what does not convert.
    private func scalarOfRow<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value {
        let row = try source.row()
        let property = properties[position(of: key)]
        if property.column < 0 { return try row.missing(property.name) }
        return try row.decodeFast(type, atUncheckedIndex: property.column)
    }

    /// The value of a key; nil for NULL, and for a missing column.
    @inline(__always)
    func scalarIfPresent<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value? {
        if let statement = source.statement {
            let base = properties[position(of: key)].base
            if base >= 0, let value = Value.fromStatement(statement, atUncheckedIndex: base) { return value }
        }
        return try scalarOfRowIfPresent(type, key)
    }

    private func scalarOfRowIfPresent<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: Value.Type, _ key: Key
    ) throws -> Value? {
        let row = try source.row()
        let column = properties[position(of: key)].column
        if column < 0 || row.hasNull(atIndex: column) { return nil }
        return try row.decodeFast(type, atUncheckedIndex: column)
    }
}

// MARK: - Values of any type

extension KeyedColumns {
    /// What reads values of a type for a key.
    ///
    /// - throws: a `DecodingError` when no record is being decoded.
    @inline(__always)
    func reader<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> PropertyReader<Value> {
        if !source.isReading { _ = try source.row() }
        let position = position(of: key)
        if let reader = properties[position].reader, properties[position].readType == ObjectIdentifier(type) {
            return unsafeDowncast(reader, to: PropertyReader<Value>.self)
        }
        return makeReader(type, key, position)
    }

    private func makeReader<Value: Decodable>(
        _ type: Value.Type, _ key: Key, _ position: Int
    ) -> PropertyReader<Value> {
        let property = properties[position]
        let column = property.column < 0 ? nil : property.column
        let reader = PropertyReader<Value>.make(ReadProperty(key: key, column: column, source: source))
        properties[position].reader = reader
        properties[position].readType = ObjectIdentifier(type)
        return reader
    }
}
