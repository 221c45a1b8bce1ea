import AmalgamCore

/// Where the values of the keys of one type are, and how they are read.
///
/// Codable calls containers after the type of the keys was erased: generic code looks types up
/// at run time, for each value. So the container is, and this is not: a key comes here as the index of its property.
///
/// Keys are nearly always an enumeration without payload: one byte, which is the index. Two keys of the same byte are the
/// same key. Other keys are found by their names.
final class KeyedColumns {
    /// A property.
    struct Property {
        var name = ""

        /// The position of the column in the row; negative when there is none.
        var column = -1

        /// The position of the column in the statement, or in the cells of a copy; negative when there is none.
        var base = -1

        /// Whether it was asked for, and the above is known.
        var isKnown = false

        /// How values of a type are read, and which type.
        var reader: AnyObject?
        var readType: ObjectIdentifier?
    }

    let source: RowSource

    /// What containers read, the properties among it.
    let table = ContainerMemory.allocate()

    /// The property that is decoded from the row itself.
    private let wholeRow = WholeRowClaim()

    @exclusivity(unchecked)  // Decoders are used from one thread, and nothing here calls itself.
    private var indexesByName: [String: Int] = [:]

    init(_ source: RowSource) {
        self.source = source
        table.use(self)
    }

    deinit {
        let properties = table.properties
        table.release()
        properties.deinitialize()
        properties.deallocate()
    }

    /// The property at an index.
    subscript(index: Int) -> Property { table.properties[index] }

    /// The index of the property of a key.
    @inline(__always)
    func index(of key: some CodingKey) -> Int {
        guard let byte = key.byte else { return indexesByName[key.stringValue] ?? add(key.stringValue) }
        if byte >= table.properties.count || !table.properties[byte].isKnown { add(key.stringValue, at: byte) }
        return byte
    }

    func forgetReaders() {
        for index in table.properties.indices {
            table.properties[index].reader = nil
            table.properties[index].readType = nil
        }
    }

    private func add(_ name: String) -> Int {
        let index = indexesByName.count
        indexesByName[name] = index
        add(name, at: index)
        return index
    }

    private func add(_ name: String, at index: Int) {
        if index >= table.properties.count { grow(toHold: index) }
        let column = source.column(ofKey: name) ?? -1
        table.properties[index].name = name
        table.properties[index].column = column
        table.properties[index].base = column < 0 ? -1 : source.baseIndex(column)
        table.properties[index].isKnown = true
    }

    private func grow(toHold index: Int) {
        let old = table.properties
        let new = UnsafeMutableBufferPointer<Property>.allocate(capacity: max(8, 2 * old.count, index + 1))
        let end = new.moveInitialize(fromContentsOf: old)
        new[end...].initialize(repeating: Property())
        table.properties = new
        old.deallocate()
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

// MARK: - Values that do not convert that easily

extension KeyedColumns {
    /// The value of a property.
    func scalar<Value: ContainerMemory.Reference.Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value {
        let row = try source.row()
        let property = self[index(of: key)]
        if property.column < 0 { return try row.missing(property.name) }
        return try row.decodeFast(type, atUncheckedIndex: property.column)
    }

    /// The value of a property; nil for NULL, and for a missing column.
    func scalarIfPresent<Value: ContainerMemory.Reference.Scalar>(_ type: Value.Type, _ key: some CodingKey) throws
        -> Value?
    {
        let row = try source.row()
        let column = self[index(of: key)].column
        if column < 0 || row.hasNull(atIndex: column) { return nil }
        return try row.decodeFast(type, atUncheckedIndex: column)
    }
}

// MARK: - Values of any type

extension KeyedColumns {
    /// What reads values of a type for a property, kept for the next row.
    func reader<Value: Decodable>(_ type: Value.Type, _ key: some CodingKey) -> PropertyReader<Value> {
        let index = index(of: key)
        if let reader = table.properties[index].reader, table.properties[index].readType == ObjectIdentifier(type) {
            return unsafeDowncast(reader, to: PropertyReader<Value>.self)
        }
        let column = table.properties[index].column
        let reader = PropertyReader<Value>.make(
            ReadProperty(key: key, column: column < 0 ? nil : column, source: source, wholeRow: wholeRow))
        table.properties[index].reader = reader
        table.properties[index].readType = ObjectIdentifier(type)
        return reader
    }
}
