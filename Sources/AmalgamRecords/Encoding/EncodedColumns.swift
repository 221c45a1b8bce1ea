import AmalgamCore

/// The columns of the keys of one type, and how their values are stored.
///
/// As ``KeyedColumns``, it is not generic over the type of keys: a key comes here as the index of its property.
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

    /// The index of the property of each byte; -1 for none so far.
    private let indexesByByte = UnsafeMutablePointer<Int16>.allocate(capacity: 256)

    @exclusivity(unchecked)
    private var indexesByName: [String: Int] = [:]

    init(_ sink: ColumnSink) {
        self.sink = sink
        indexesByByte.initialize(repeating: -1, count: 256)
    }

    deinit { indexesByByte.deallocate() }

    /// The index of the property of a key.
    @inline(__always)
    func index<Key: CodingKey>(of key: Key) -> Int {
        guard let byte = key.byte else { return indexesByName[key.stringValue] ?? add(key) }
        let index = Int(indexesByByte[byte])
        return index >= 0 ? index : add(key, byte)
    }

    private func add(_ key: some CodingKey, _ byte: Int) -> Int {
        let index = add(key)
        indexesByByte[byte] = Int16(index)
        return index
    }

    private func add(_ key: some CodingKey) -> Int {
        let column = sink.recordType.databaseColumnEncodingStrategy.column(ofKey: key)
        properties.append(Property(key: key, column: column))
        let index = properties.count - 1
        indexesByName[key.stringValue] = index
        return index
    }

    /// An encoder into the same columns.
    var superEncoder: RecordEncoder { RecordEncoder(sink) }

    /// Sets the column of a property.
    @inline(__always)
    func set(_ value: StoredValue, _ index: Int) throws {
        try sink.set(value, properties[index].column)
    }

    /// Sets the column of a property to a value of any type.
    func encode<Value: Encodable>(_ value: Value, _ index: Int) throws {
        let column = properties[index].column
        if let writer = properties[index].writer, properties[index].writtenType == ObjectIdentifier(Value.self) {
            return try sink.set(unsafeDowncast(writer, to: ColumnWriter<Value>.self).write(value), column)
        }
        let writer = ColumnWriter<Value>.make(column, properties[index].key, sink.recordType)
        properties[index].writer = writer
        properties[index].writtenType = ObjectIdentifier(Value.self)
        try sink.set(writer.write(value), column)
    }
}
