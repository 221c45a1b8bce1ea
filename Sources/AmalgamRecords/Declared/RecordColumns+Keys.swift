import AmalgamCore
import AmalgamQuery

// The columns of the primary key. Keys come from the application as values of the property's type, as numbers of a
// different type, such as the literal 7 for an `Int64`, and from SQLite as rowids.

extension _RecordColumns {
    /// Returns the value that the record stores for a value of a key, if a representation or the strategies of an embedded
    /// type tell; nil if the strategies of the record type do.
    func storedKey(_ value: any DatabaseValueConvertible, _ column: String) -> DatabaseValue? {
        for number in properties.indices {
            guard let property = properties[number] else { continue }
            if let stored = embedded[number]?.storedKey(value, column) { return stored }
            guard embedded[number] == nil, columnNames[number].equalsIgnoringCase(column) else { continue }
            if let representation = property.representation { return representation.storedKey(value, column) }
            return isEmbedded ? stored(value, number) : nil
        }
        return nil
    }

    /// Whether a column is the only one of the key.
    func isOnlyKey(_ column: String?) -> Bool {
        guard let column, let key = onlyKey else { return false }
        return columnNames[key].equalsIgnoringCase(column)
    }

    /// Whether a representation encodes the values of a column.
    func hasRepresentation(_ column: String) -> Bool {
        zip(properties, columnNames).contains { $0?.representation != nil && $1.equalsIgnoringCase(column) }
            || embedded.values.contains { $0.hasRepresentation(column) }
    }

    /// Whether SQLite assigns stored forms of the only key, which aren't its values.
    var assignsStoredForms: Bool {
        guard let key = onlyKey.flatMap({ properties[$0] }) else { return false }
        return key.representation != nil && (key.type == Int64?.self || key.type == Int?.self)
    }

    /// Returns the key of a new row; nil if SQLite doesn't assign the key, because its column isn't the rowid, or if the
    /// representation of the key has no value for the rowid.
    func assignedKey(_ rowID: Int64, _ rowIDColumn: String?) -> Int64? {
        guard isOnlyKey(rowIDColumn), let key = onlyKey else { return nil }
        guard let representation = properties[key]?.representation else { return rowID }
        let value = try? representation.decode(rowID.databaseValue)
        return value as? Int64 ?? (value as? Int).map { Int64($0) }
    }

    /// The number of the property that is the only key.
    private var onlyKey: Int? {
        let keys = properties.indices.filter { properties[$0]?.isKey ?? false }
        return keys.count == 1 ? keys[0] : nil
    }
}

extension _RecordColumns.Property.Representation {
    /// Returns the value that is stored for a value of a key. A stored value is one already.
    ///
    /// A value of a different type than that of the property is an error of the statement, unless no value of the property
    /// can be a key.
    func storedKey(_ value: any DatabaseValueConvertible, _ column: String) -> DatabaseValue {
        if let stored = value as? DatabaseValue { return stored }
        do {
            if let stored = try encode(value) ?? encodeNumber(value) { return stored }
            if !encodesKeys { return value.databaseValue }
        } catch {
            return DatabaseValue(unstorable: "\(error)")
        }
        return DatabaseValue(
            unstorable: """
                a \(type(of: value)) as a key: the column '\(column)' stores values of the type \(valueType) in a format of \
                its own. Use this type, or a DatabaseValue for a stored value
                """)
    }
}
