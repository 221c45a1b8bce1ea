import AmalgamCore
import AmalgamQuery

/// Compares properties with the columns of a table: see `Database.verify(_:)`.
struct TableComparison {
    let db: Database

    let columns: [ColumnInfo]

    /// The column that is an alias of the rowid.
    let rowIDColumn: String?

    let keyColumns: [String]

    /// Whether the table has a rowid that no column is an alias of.
    let hasHiddenRowID: Bool

    let isView: Bool

    let isStrict: Bool

    /// Whether records of the type are inserted as copies, which receive no key.
    let insertsCopies: Bool

    typealias Difference = RecordVerificationError.Difference

    func differences(_ record: _RecordColumns, of type: Any.Type) -> [Difference] {
        let properties = record.allProperties
        let names = properties.map(\.name)
        let found = properties.enumerated().flatMap { position, found in
            let isRepeated = names.prefix(position).contains { $0.equalsIgnoringCase(found.name) }
            let messages = isRepeated ? ["two properties have this column"] : messages(found)
            return messages.map { Difference(column: found.name, message: $0) }
        }
        let others = columns.filter { column in !names.contains { $0.equalsIgnoringCase(column.name) } }
        return found + identityDifferences(record, type)
            + others.flatMap { other in
                otherMessages(other).map { Difference(column: other.name, message: $0) }
            }
    }

    private func messages(_ property: ComparedProperty) -> [String] {
        guard let column = columns.first(where: { $0.name.equalsIgnoringCase(property.name) }) else {
            let isRowID = hasHiddenRowID && ["rowid", "_rowid_", "oid"].contains(property.name.lowercased())
            if !isRowID { return ["the table has no such column"] }
            let storesIntegers = property.storedForm.map { $0 == .integer } ?? true
            return [storesIntegers ? nil : "the rowid stores INTEGER values only", lostKeyMessage(property)]
                .compactMap(\.self)
        }
        let key = keyMessage(column, property) ?? assignmentMessage(column, property)
        let messages = [
            key, formatMessage(column, property),
            key == nil ? nullMessage(column, property) : nullMessageOfKey(column, property),
            generationMessage(column, property), defaultMessage(column, property),
        ]
        return messages.compactMap(\.self)
    }

    /// What is wrong with a column without a property.
    private func otherMessages(_ column: ColumnInfo) -> [String] {
        if isKey(column) { return ["the column belongs to the primary key, and the record has no property for it"] }
        let needsValue = column.isNotNull && column.defaultValueSQL == nil && column.generation == nil
        return needsValue ? ["the column is NOT NULL without a default, and the record has no property for it"] : []
    }

    /// Methods such as `fetchOne(_:id:)` look for `id` in the key.
    private func identityDifferences(_ record: _RecordColumns, _ type: Any.Type) -> [Difference] {
        guard type is any Identifiable.Type, let property = record.property(named: "id"), !property.isKey else {
            return []
        }
        let message =
            "the type is 'Identifiable' by 'id', which isn't the '@Key': 'fetchOne(_:id:)' would look for the key"
        return [Difference(column: property.key.stringValue, message: message)]
    }

    // MARK: Keys

    private func isKey(_ column: ColumnInfo) -> Bool {
        keyColumns.contains { $0.equalsIgnoringCase(column.name) }
    }

    private func isRowID(_ column: ColumnInfo) -> Bool {
        rowIDColumn.map { $0.equalsIgnoringCase(column.name) } ?? false
    }

    private func keyMessage(_ column: ColumnInfo, _ property: ComparedProperty) -> String? {
        switch (isKey(column), property.property.isKey) {
        case (true, false): "the column belongs to the primary key, and the property isn't a '@Key'"
        case (false, true): "the property is a '@Key', and the column doesn't belong to the primary key"
        default: nil
        }
    }

    private func assignmentMessage(_ column: ColumnInfo, _ property: ComparedProperty) -> String? {
        if !property.isAssigned || keyColumns.count != 1 || isView { return nil }
        if isRowID(column) { return lostKeyMessage(property) }
        return
            "SQLite doesn't assign this key: declare the column INTEGER PRIMARY KEY, or a property that isn't optional"
    }

    /// The macro knows the type of a key by its name only.
    private func lostKeyMessage(_ property: ComparedProperty) -> String? {
        if !property.isAssigned || property.property.isConstant || !insertsCopies { return nil }
        return "SQLite assigns this key, and inserted records don't receive it: write 'Int64?' or 'Int?', not an alias"
    }

    // MARK: NULL and defaults

    private func nullMessage(_ column: ColumnInfo, _ compared: ComparedProperty) -> String? {
        let property = compared.property
        let isRowID = isRowID(column)
        if property.isOptional || property.mayBeNull {
            let isFilled = isRowID || column.generation != nil
            return column.isNotNull && !isFilled ? "the property is optional, and the column is NOT NULL" : nil
        }
        return column.isNotNull || isRowID ? nil : "the column may be NULL, and the property isn't optional"
    }

    /// Whether the key may be NULL is a part of the message of the key.
    private func nullMessageOfKey(_ column: ColumnInfo, _ property: ComparedProperty) -> String? {
        assignmentMessage(column, property) == nil ? nullMessage(column, property) : nil
    }

    private func generationMessage(_ column: ColumnInfo, _ property: ComparedProperty) -> String? {
        switch (column.generation != nil, property.property.isGenerated) {
        case (true, false): "the column is generated: add '@Column(generated: true)'"
        case (false, true): "the property is generated, and the column isn't"
        default: nil
        }
    }

    private func defaultMessage(_ column: ColumnInfo, _ property: ComparedProperty) -> String? {
        guard let value = property.defaultValue, let sql = column.defaultValueSQL else { return nil }
        if isDefault(sql, value, column) { return nil }
        return "the default value of the property is \(value.sqlLiteral), and that of the column is \(sql)"
    }

    /// Whether a new row has the value if the statement gives none.
    private func isDefault(_ sql: String, _ value: DatabaseValue, _ column: ColumnInfo) -> Bool {
        let affinity = ColumnComparison.Affinity(declaredType: column.type)
        let isEqual = try? Bool.fetchOne(
            db, sql: "SELECT \(affinity.stored("(\(sql))")) IS \(affinity.stored("?1"))", arguments: [value])
        // In DEFAULT, SQLite reads a name as a string: https://sqlite.org/lang_createtable.html#the_default_clause
        return isEqual ?? (value == sql.unquotedName.databaseValue)
    }
}

extension ComparedProperty {
    /// Whether the property is a key that waits for a rowid: an optional integer.
    fileprivate var isAssigned: Bool { property.isKey && (property.type == Int64?.self || property.type == Int?.self) }
}

extension ColumnComparison.Affinity {
    /// The SQL of what a column stores for an operand.
    fileprivate func stored(_ operand: String) -> String {
        switch self {
        case .text: "CAST(\(operand) AS TEXT)"
        // Unlike the cast, the affinity leaves TEXT unchanged that isn't a number. The comparison applies the affinity.
        case .numeric: "iif(CAST(\(operand) AS NUMERIC) = \(operand), CAST(\(operand) AS NUMERIC), \(operand))"
        case .none: operand
        }
    }
}

// MARK: - Formats

extension TableComparison {
    /// Columns that would convert or refuse the stored values of the property.
    private func formatMessage(_ column: ColumnInfo, _ property: ComparedProperty) -> String? {
        guard let form = property.storedForm else { return nil }
        let affinity = ColumnComparison.Affinity(declaredType: column.type)
        if form == .decimal, affinity == .numeric {
            return "the column has numeric affinity, which rounds decimals to 15 digits: declare it TEXT"
        }
        if isStrict { return strictMessage(column, form) }
        switch (affinity, form) {
        case (.text, .integer), (.text, .real): return "the column has TEXT affinity, which stores numbers as text"
        case (.numeric, .string):
            return "the column has numeric affinity, which stores text that looks like a number as a number"
        default: return nil
        }
    }

    /// STRICT tables refuse values of other types: <https://sqlite.org/stricttables.html>.
    private func strictMessage(_ column: ColumnInfo, _ form: StoredForm) -> String? {
        let accepted: [StoredForm]
        switch column.type.uppercased() {
        case "INT", "INTEGER": accepted = [.integer]
        case "REAL": accepted = [.integer, .real]
        case "TEXT": accepted = [.string, .text, .decimal]
        case "BLOB": accepted = [.blob]
        default: return nil
        }
        if accepted.contains(form) { return nil }
        if column.type.uppercased() == "TEXT", form != .blob {
            return "the column has TEXT affinity, which stores numbers as text"
        }
        return "the table is STRICT, and a column of the type \(column.type) doesn't store \(form.storageClass) values"
    }
}

extension String {
    /// The name without quotes.
    fileprivate var unquotedName: String {
        guard count > 1, hasPrefix("\""), hasSuffix("\"") else { return self }
        return String(dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
}
