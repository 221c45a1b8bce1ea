import AmalgamCore

/// Where the values of the keys of one type are, and how they are read.
///
/// Codable calls containers where nobody knows the type of the keys any more: whatever is generic over it looks types up
/// at run time, for each value. So the container is, and this is not: a key comes here as the place of its property.
///
/// Keys are nearly always an enumeration without payload: one byte, which finds the property in a table. Two keys of the
/// same byte are the same key. Other keys are found by their names.
final class KeyedColumns {
    /// A property that was asked for.
    struct Property {
        let name: String

        /// The position of the column in the row; -1 when there is none.
        let column: Int

        /// The position of the column in the statement, or in the cells of a copy; -1 when there is none.
        let base: Int

        /// How values of a type are read, and which type.
        fileprivate var reader: AnyObject?
        fileprivate var readType: ObjectIdentifier?
    }

    let source: RowSource

    @exclusivity(unchecked)  // As what follows: decoders are used from one thread, and nothing here calls itself.
    private var properties: ContiguousArray<Property> = []

    /// The place of the property of each byte; -1 for none so far.
    private let placesByByte = UnsafeMutablePointer<Int16>.allocate(capacity: 256)

    @exclusivity(unchecked)
    private var placesByName: [String: Int] = [:]

    init(_ source: RowSource) {
        self.source = source
        placesByByte.initialize(repeating: -1, count: 256)
    }

    deinit { placesByByte.deallocate() }

    /// The property at a place.
    subscript(place: Int) -> Property { properties[place] }

    /// The place of the property of a key.
    @inline(__always)
    func place<Key: CodingKey>(of key: Key) -> Int {
        guard let byte = key.byte else { return placesByName[key.stringValue] ?? add(key.stringValue) }
        let place = Int(placesByByte[byte])
        return place >= 0 ? place : add(key.stringValue, byte)
    }

    func forgetReaders() {
        for place in properties.indices where properties[place].reader != nil { properties[place].reader = nil }
    }

    private func add(_ name: String, _ byte: Int) -> Int {
        let place = add(name)
        placesByByte[byte] = Int16(place)
        return place
    }

    private func add(_ name: String) -> Int {
        let column = source.column(ofKey: name) ?? -1
        properties.append(Property(name: name, column: column, base: column < 0 ? -1 : source.baseIndex(column)))
        let place = properties.count - 1
        placesByName[name] = place
        return place
    }
}

extension CodingKey {
    /// What tells the key from others of its type, when that is one byte.
    @inline(__always)
    var byte: Int? {
        switch MemoryLayout<Self>.size {
        case 0: 0
        case 1: Int(unsafeBitCast(self, to: UInt8.self))
        default: nil
        }
    }
}

// MARK: - Values that are read where SQLite has them

extension KeyedColumns {
    typealias Scalar = DatabaseValueConvertible & StatementColumnConvertible & CellConvertible

    /// The value of a property.
    @inline(__always)
    func scalar<Value: Scalar>(_ type: Value.Type, _ place: Int) throws -> Value {
        if let value = source.value(type, at: properties[place].base) { return value }
        return try carefulScalar(type, place)
    }

    /// What does not convert that easily.
    private func carefulScalar<Value: Scalar>(_ type: Value.Type, _ place: Int) throws -> Value {
        let row = try source.row()
        let property = properties[place]
        if property.column < 0 { return try row.missing(property.name) }
        return try row.decodeFast(type, atUncheckedIndex: property.column)
    }

    /// The value of a property; nil for NULL, and for a missing column.
    @inline(__always)
    func scalarIfPresent<Value: Scalar>(_ type: Value.Type, _ place: Int) throws -> Value? {
        if let value = source.value(type, at: properties[place].base) { return value }
        return try carefulScalarIfPresent(type, place)
    }

    private func carefulScalarIfPresent<Value: Scalar>(_ type: Value.Type, _ place: Int) throws -> Value? {
        let row = try source.row()
        let column = properties[place].column
        if column < 0 || row.hasNull(atIndex: column) { return nil }
        return try row.decodeFast(type, atUncheckedIndex: column)
    }
}

// MARK: - Values of any type

extension KeyedColumns {
    /// What reads values of a type for a property.
    @inline(__always)
    func reader<Value: Decodable>(
        _ type: Value.Type, _ place: Int, _ key: some CodingKey
    ) -> PropertyReader<Value> {
        if let reader = properties[place].reader, properties[place].readType == ObjectIdentifier(type) {
            return unsafeDowncast(reader, to: PropertyReader<Value>.self)
        }
        return makeReader(type, place, key)
    }

    private func makeReader<Value: Decodable>(
        _ type: Value.Type, _ place: Int, _ key: some CodingKey
    ) -> PropertyReader<Value> {
        let column = properties[place].column
        let reader = PropertyReader<Value>.make(
            ReadProperty(key: key, column: column < 0 ? nil : column, source: source))
        properties[place].reader = reader
        properties[place].readType = ObjectIdentifier(type)
        return reader
    }
}
