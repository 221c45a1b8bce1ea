import AmalgamCore

/// Where the values of the keys of one type are, and how they are read.
///
/// Codable calls containers where nobody knows the type of the keys any more: whatever is generic over it looks types up
/// at run time, for each value. So the container is, and this is not: a key comes here as the place of its property.
///
/// Keys are nearly always an enumeration without payload: one byte, which is the place. Two keys of the same byte are the
/// same key. Other keys are found by their names.
final class KeyedColumns {
    /// A property.
    struct Property {
        var name = ""

        /// The position of the column in the row; negative when there is none.
        var column = -1

        /// The position of the column in the statement, or in the cells of a copy; negative when there is none.
        var base = -1

        /// Whether somebody asked for it, and the above is known.
        var isKnown = false

        /// How values of a type are read, and which type.
        var reader: AnyObject?
        var readType: ObjectIdentifier?
    }

    let source: RowSource

    /// What containers read, the properties among it.
    let table = KeyTable.lend()

    /// The property that is decoded from the row itself.
    private let wholeRow = WholeRowClaim()

    @exclusivity(unchecked)  // Decoders are used from one thread, and nothing here calls itself.
    private var placesByName: [String: Int] = [:]

    init(_ source: RowSource) {
        self.source = source
        table.use(self)
    }

    deinit {
        let properties = table.properties
        table.giveBack()
        properties.deinitialize()
        properties.deallocate()
    }

    /// The property at a place.
    subscript(place: Int) -> Property { table.properties[place] }

    /// The place of the property of a key.
    @inline(__always)
    func place(of key: some CodingKey) -> Int {
        guard let byte = key.byte else { return placesByName[key.stringValue] ?? add(key.stringValue) }
        if byte >= table.properties.count || !table.properties[byte].isKnown { add(key.stringValue, at: byte) }
        return byte
    }

    func forgetReaders() {
        for place in table.properties.indices {
            table.properties[place].reader = nil
            table.properties[place].readType = nil
        }
    }

    private func add(_ name: String) -> Int {
        let place = placesByName.count
        placesByName[name] = place
        add(name, at: place)
        return place
    }

    private func add(_ name: String, at place: Int) {
        if place >= table.properties.count { grow(toHold: place) }
        let column = source.column(ofKey: name) ?? -1
        table.properties[place].name = name
        table.properties[place].column = column
        table.properties[place].base = column < 0 ? -1 : source.baseIndex(column)
        table.properties[place].isKnown = true
    }

    private func grow(toHold place: Int) {
        let old = table.properties
        let new = UnsafeMutableBufferPointer<Property>.allocate(capacity: max(8, 2 * old.count, place + 1))
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
    func scalar<Value: KeyTable.Handle.Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value {
        let row = try source.row()
        let property = self[place(of: key)]
        if property.column < 0 { return try row.missing(property.name) }
        return try row.decodeFast(type, atUncheckedIndex: property.column)
    }

    /// The value of a property; nil for NULL, and for a missing column.
    func scalarIfPresent<Value: KeyTable.Handle.Scalar>(_ type: Value.Type, _ key: some CodingKey) throws -> Value? {
        let row = try source.row()
        let column = self[place(of: key)].column
        if column < 0 || row.hasNull(atIndex: column) { return nil }
        return try row.decodeFast(type, atUncheckedIndex: column)
    }
}

// MARK: - Values of any type

extension KeyedColumns {
    /// What reads values of a type for a property, kept for the next row.
    func reader<Value: Decodable>(_ type: Value.Type, _ key: some CodingKey) -> PropertyReader<Value> {
        let place = place(of: key)
        if let reader = table.properties[place].reader, table.properties[place].readType == ObjectIdentifier(type) {
            return unsafeDowncast(reader, to: PropertyReader<Value>.self)
        }
        let column = table.properties[place].column
        let reader = PropertyReader<Value>.make(
            ReadProperty(key: key, column: column < 0 ? nil : column, source: source, wholeRow: wholeRow))
        table.properties[place].reader = reader
        table.properties[place].readType = ObjectIdentifier(type)
        return reader
    }
}
