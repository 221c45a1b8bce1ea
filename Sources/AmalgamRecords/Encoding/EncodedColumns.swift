import AmalgamCore

/// The columns of an encoded type: for each coding key, the name of the column, and the cached `ColumnWriter` that
/// converts the values of the property.
///
/// Like ``KeyedColumns``, this class isn't generic over the type of the keys. It identifies a property by its index in
/// `properties`. Encoders are used from one thread.
final class EncodedColumns {
    /// A property that was encoded.
    private struct Property {
        let key: any CodingKey
        let column: String

        /// The `ColumnWriter` of the most recently encoded type.
        var writer: AnyObject?
    }

    private let sink: ColumnSink

    @exclusivity(unchecked)  // As below: encoders are used from one thread, and accesses never overlap.
    private var properties: ContiguousArray<Property> = []

    private var indexes = KeyIndexes()

    init(_ sink: ColumnSink) {
        self.sink = sink
    }

    /// Returns the index of a key's property.
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

    /// An encoder that writes to the same columns.
    var superEncoder: RecordEncoder { RecordEncoder(sink) }

    /// Stores a value in the column of a property.
    @inline(__always)
    func set(_ value: StoredValue, _ index: Int) throws {
        try sink.set(value, properties[index].column)
    }

    /// Stores a value of any type in the column of a property.
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
