import AmalgamCore

/// The columns of the keys of one type, and how their values are stored.
///
/// As ``KeyedColumns``, it is not generic over the type of keys: a key comes here as the place of its property.
final class EncodedColumns {
    /// A property that was encoded.
    private struct Property {
        let key: any CodingKey
        let column: String

        /// How values of a type are stored, and which type.
        var writer: AnyObject?
        var writtenType: ObjectIdentifier?
    }

    private let sink: ColumnSink

    @exclusivity(unchecked)  // As what follows: encoders are used from one thread, and nothing here calls itself.
    private var properties: ContiguousArray<Property> = []

    /// The place of the property of each byte; -1 for none so far.
    private let placesByByte = UnsafeMutablePointer<Int16>.allocate(capacity: 256)

    @exclusivity(unchecked)
    private var placesByName: [String: Int] = [:]

    init(_ sink: ColumnSink) {
        self.sink = sink
        placesByByte.initialize(repeating: -1, count: 256)
    }

    deinit { placesByByte.deallocate() }

    /// The place of the property of a key.
    @inline(__always)
    func place<Key: CodingKey>(of key: Key) -> Int {
        guard let byte = key.byte else { return placesByName[key.stringValue] ?? add(key) }
        let place = Int(placesByByte[byte])
        return place >= 0 ? place : add(key, byte)
    }

    private func add(_ key: some CodingKey, _ byte: Int) -> Int {
        let place = add(key)
        placesByByte[byte] = Int16(place)
        return place
    }

    private func add(_ key: some CodingKey) -> Int {
        let column = sink.recordType.databaseColumnEncodingStrategy.column(ofKey: key)
        properties.append(Property(key: key, column: column))
        let place = properties.count - 1
        placesByName[key.stringValue] = place
        return place
    }

    /// An encoder into the same columns.
    var superEncoder: RecordEncoder { RecordEncoder(sink) }

    /// Sets the column of a property.
    @inline(__always)
    func set(_ value: StoredValue, _ place: Int) throws {
        try sink.set(value, properties[place].column)
    }

    /// Sets the column of a property to a value of any type.
    func encode<Value: Encodable>(_ value: Value, _ place: Int) throws {
        let column = properties[place].column
        if let writer = properties[place].writer, properties[place].writtenType == ObjectIdentifier(Value.self) {
            return try sink.set(unsafeDowncast(writer, to: ColumnWriter<Value>.self).write(value), column)
        }
        let writer = ColumnWriter<Value>.make(column, properties[place].key, sink.recordType)
        properties[place].writer = writer
        properties[place].writtenType = ObjectIdentifier(Value.self)
        try sink.set(writer.write(value), column)
    }
}
