import AmalgamCore

// Requests of values, such as `Item.select({ $0.price }, as: Double.self)`, decode stored values by the type alone. Where
// a column stores its values in a format that the type doesn't read, the selection is an error of the statement.

extension Sequence<any SQLSelectable> {
    /// Returns the selection of a request whose rows are decoded as the given type. A value is decoded from the first column.
    func decoded(as type: Any.Type) -> [any SQLSelectable] {
        let selection = Array(self)
        guard let first = selection.first, type is any DatabaseValueConvertible.Type else { return selection }
        let misuse =
            (first as? any FormattedOperand)?.selectionMisuse(type)
            ?? (first as? SQLExpression)?.node.formattedResult?.selectionMisuse(type)
        return misuse.map { [$0] + selection.dropFirst() } ?? selection
    }
}

extension TypedColumn {
    /// Returns an operand that throws when it is written, if values of the type of the column aren't read from the stored
    /// values; nil for other types, which read the stored values.
    func selectionMisuse(_ type: Any.Type) -> SQLExpression? {
        guard let format, withoutOptional(type) == FormatSamples.type(of: Value.self), !format.isRead(by: type) else {
            return nil
        }
        return misuse(.selection)
    }
}

extension StoredFormat {
    /// Whether a type reads the values of the column from the stored values. The stored forms of a few values tell.
    fileprivate func isRead(by type: Any.Type) -> Bool {
        isReadUnchanged(as: type, encode) ?? (traits.representation == nil)
    }
}

/// Whether a type reads values from their stored forms; nil for a type without samples.
private func isReadUnchanged<Value>(as type: Any.Type, _ encode: (Value) -> DatabaseValue) -> Bool? {
    guard let type = type as? any DatabaseValueConvertible.Type else { return nil }
    let samples = FormatSamples(of: Value.self).compared
    if samples.isEmpty { return nil }
    return samples.allSatisfy { sample in
        guard let value: Value = FormatSamples.value(of: sample.databaseValue) else { return true }
        let stored = encode(value)
        guard stored.isStorable else { return true }
        guard let usual = usualForm(ofStored: stored, type), let read: Value = FormatSamples.value(of: usual) else {
            return false
        }
        return encode(read) == stored
    }
}

/// Returns the usual form of the value that a type reads.
private func usualForm<Value: DatabaseValueConvertible>(
    ofStored stored: DatabaseValue, _ type: Value.Type
) -> DatabaseValue? {
    Value.fromDatabaseValue(stored)?.databaseValue
}

// MARK: - Keys

/// Throws `SQLITE_MISUSE` if keys that are decoded as a type wouldn't be those of the records.
func checkSelectedKey<Record, Key>(of record: Record.Type, _ columns: [String], as type: Key.Type) throws {
    guard columns.count == 1, let encoder = record as? any _DatabaseKeyEncoder.Type else { return }
    let isRead = isReadUnchanged(as: type) { (key: Key) in
        (key as? any DatabaseValueConvertible).map { encoder._databaseKey($0, forColumn: columns[0]) } ?? .null
    }
    if isRead ?? true { return }
    throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: """
            The column '\(columns[0])' stores keys in a format of its own, with which the selected values aren't decoded. \
            Fetch records, or select the stored values: Column("\(columns[0])").
            """)
}
