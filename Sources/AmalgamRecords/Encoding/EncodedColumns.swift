import AmalgamCore

/// The columns of the keys of one type, and how their values are stored.
///
/// As ``KeyedColumns``, it is not generic over the type of keys: a key comes here as the index of its property.
final class EncodedColumns {
    /// A property that was encoded.
    private struct Property {
        let key: any CodingKey
        let column: String

        /// Stores values of the type that was encoded last: a `ColumnWriter`.
        var writer: AnyObject?
    }

    private let sink: ColumnSink

    @exclusivity(unchecked)  // As what follows: encoders are used from one thread, and nothing here calls itself.
    private var properties: ContiguousArray<Property> = []

    private var indexes = KeyIndexes()

    init(_ sink: ColumnSink) {
        self.sink = sink
    }

    /// The index of the property of a key.
    @inline(__always)
    func index(of key: some CodingKey) -> Int {
        let name = key.stringValue
        return indexes.index(of: name) ?? add(key, name)
    }

    private func add(_ key: some CodingKey, _ name: String) -> Int {
        let column = sink.recordType.databaseColumnEncodingStrategy.column(ofKey: key)
        properties.append(Property(key: key, column: column))
        return indexes.add(name)
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
        if let writer = properties[index].writer as? ColumnWriter<Value> {
            return try sink.set(writer.write(value), column)
        }
        let writer = ColumnWriter<Value>.make(column, properties[index].key, sink.recordType)
        properties[index].writer = writer
        try sink.set(writer.write(value), column)
    }
}
