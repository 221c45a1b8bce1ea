import AmalgamCore

/// The columns of the keys of one type.
///
/// Keys are nearly always an enumeration without payload: one byte, which finds the property in a table. Two keys of the
/// same byte are the same key. Other keys are found by their names.
final class EncodedColumns<Key: CodingKey> {
    /// A property that was encoded.
    private struct Property {
        let column: String

        /// How values of a type are stored, and which type.
        var writer: AnyObject?
        var writtenType: ObjectIdentifier?
    }

    private let sink: ColumnSink

    @exclusivity(unchecked)  // As what follows: encoders are used from one thread, and nothing here calls itself.
    private var properties: [Property] = []

    /// The property of each byte; -1 for none so far. Nil for keys that are no byte.
    private let positions: UnsafeMutablePointer<Int16>?

    @exclusivity(unchecked)
    private var positionsByName: [String: Int] = [:]

    init(_ sink: ColumnSink) {
        self.sink = sink
        positions = MemoryLayout<Key>.size <= 1 ? .allocate(capacity: 256) : nil
        positions?.initialize(repeating: -1, count: 256)
    }

    deinit { positions?.deallocate() }

    @inline(__always)
    private func position(of key: Key) -> Int {
        guard let positions else { return positionsByName[key.stringValue] ?? add(key) }
        let byte = withUnsafeBytes(of: key) { $0.first ?? 0 }
        let position = Int(positions[Int(byte)])
        return position >= 0 ? position : add(key)
    }

    private func add(_ key: Key) -> Int {
        properties.append(Property(column: sink.recordType.databaseColumnEncodingStrategy.column(ofKey: key)))
        let position = properties.count - 1
        if let positions {
            let byte = withUnsafeBytes(of: key) { $0.first ?? 0 }
            positions[Int(byte)] = Int16(position)
        } else {
            positionsByName[key.stringValue] = position
        }
        return position
    }

    /// An encoder into the same columns.
    var superEncoder: RecordEncoder { RecordEncoder(sink) }

    /// Sets the column of a key. The value is one that is bound as it is.
    @inline(__always)
    func set(_ value: PersistenceContainer.Value, _ key: Key) throws {
        try sink.set(value, properties[position(of: key)].column)
    }

    /// Sets the column of a key to a value of any type.
    func encode<Value: Encodable>(_ value: Value, _ key: Key) throws {
        let position = position(of: key)
        let property = properties[position]
        if let writer = property.writer, property.writtenType == ObjectIdentifier(Value.self) {
            try sink.set(unsafeDowncast(writer, to: ColumnWriter<Value>.self).write(value), property.column)
        } else {
            let writer = ColumnWriter<Value>.make(property.column, sink.recordType)
            properties[position].writer = writer
            properties[position].writtenType = ObjectIdentifier(Value.self)
            try sink.set(writer.write(value), property.column)
        }
    }
}
