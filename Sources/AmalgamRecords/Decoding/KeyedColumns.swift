import AmalgamCore

/// The columns of a decoded type: for each coding key, the position of the column, and the cached `PropertyReader` that
/// reads the values of the property.
///
/// The class isn't generic over the type of the keys, because generic code would look up type metadata for each value.
/// The class identifies a property by an index, instead of by a key.
///
/// The object belongs to a decoder, and is used from one thread.
final class KeyedColumns {
    /// A property of the decoded type.
    struct Property {
        let name: String

        /// The position of the column in the row; negative if there is none.
        let column: Int

        /// The position of the column in the statement, or in the cells of a copied row; negative if there is none.
        let base: Int

        /// The `PropertyReader` of the most recently requested type.
        var reader: AnyObject?
    }

    let source: RowSource

    /// The property that is decoded from the row itself, if any.
    private let wholeRow = WholeRowClaim()

    @exclusivity(unchecked)  // As below: decoders are used from one thread, and accesses never overlap.
    private var indexes = KeyIndexes()

    @exclusivity(unchecked)
    private var properties: ContiguousArray<Property> = []

    init(_ source: RowSource) {
        self.source = source
    }

    /// Returns the property of a key.
    ///
    /// - Throws: a `DecodingError` if the key is requested for the first time while no record is being decoded.
    func property(_ key: some CodingKey) throws -> Property { properties[try index(of: key)] }

    func forgetReaders() {
        for index in properties.indices { properties[index].reader = nil }
    }

    @inline(__always)
    private func index(of key: some CodingKey) throws -> Int {
        let name = key.stringValue
        return try indexes.index(of: name) ?? add(name)
    }

    private func add(_ name: String) throws -> Int {
        _ = try source.row()
        let column = source.column(ofKey: name)
        properties.append(Property(name: name, column: column ?? -1, base: column.map(source.baseIndex) ?? -1))
        return indexes.add(name)
    }
}

// MARK: - Values read from SQLite's memory

extension KeyedColumns {
    typealias Scalar = DatabaseValueConvertible & StatementColumnConvertible & CellConvertible

    /// The value of a property.
    @inline(__always)
    func scalar<Value: Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value {
        let index = try index(of: key)
        if let value = source.value(type, at: properties[index].base) { return value }
        return try converted(type, properties[index])
    }

    /// The value of a property; nil for NULL, and for a missing column.
    @inline(__always)
    func scalarIfPresent<Value: Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value? {
        let index = try index(of: key)
        if let value = source.value(type, at: properties[index].base) { return value }
        return try convertedIfPresent(type, properties[index].column)
    }

    /// Converts a value whose storage class isn't the native one of the type.
    private func converted<Value: Scalar>(_ type: Value.Type, _ property: Property) throws -> Value {
        let row = try source.row()
        if property.column < 0 { return try row.missing(property.name) }
        return try row.decodeFast(type, atUncheckedIndex: property.column)
    }

    private func convertedIfPresent<Value: Scalar>(_ type: Value.Type, _ column: Int) throws -> Value? {
        let row = try source.row()
        if column < 0 || row.hasNull(atIndex: column) { return nil }
        return try row.decodeFast(type, atUncheckedIndex: column)
    }
}

// MARK: - Values of any type

extension KeyedColumns {
    /// Returns the `PropertyReader` that reads values of the given type for a coding key. The reader is cached for the
    /// next rows.
    ///
    /// - Throws: a `DecodingError` if no record is being decoded.
    @inline(__always)
    func reader<Value: Decodable>(_ type: Value.Type, _ key: some CodingKey) throws -> PropertyReader<Value> {
        if !source.isReading { throw RowSource.outOfUse }
        let index = try index(of: key)
        if let reader = properties[index].reader as? PropertyReader<Value> { return reader }
        return makeReader(type, key, index)
    }

    private func makeReader<Value: Decodable>(
        _ type: Value.Type, _ key: any CodingKey, _ index: Int
    ) -> PropertyReader<Value> {
        let column = properties[index].column
        let reader = PropertyReader<Value>.make(
            ReadProperty(key: key, column: column < 0 ? nil : column, source: source, wholeRow: wholeRow))
        properties[index].reader = reader
        return reader
    }
}
