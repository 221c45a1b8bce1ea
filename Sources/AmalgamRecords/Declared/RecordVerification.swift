public import AmalgamCore
public import AmalgamQuery
public import Foundation

/// A record whose columns are declared by the macro `@Record`.
public protocol _DeclaredRecord: TableRecord {
    static var _recordColumns: _RecordColumns { get }
}

extension Database {
    /// Compares the declaration of a record with its table.
    ///
    /// ```
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score TEXT NOT NULL)
    /// @Record("player")
    /// struct Player {
    ///     @Key var id: Int64?
    ///     var name: String
    ///     var score: Int
    /// }
    ///
    /// try db.verify(Player.self)
    /// // throws: Player and table player differ:
    /// // - name: the column may be NULL, and the property isn't optional
    /// // - score: the column has TEXT affinity, which stores numbers as text
    /// ```
    ///
    /// A test that calls this method for each record, after the migrations, finds columns that were forgotten or changed.
    /// No table is created or altered.
    ///
    /// - Throws: a ``RecordVerificationError`` that lists all differences; a ``DatabaseError`` if the table doesn't exist.
    public func verify<Record: _DeclaredRecord>(_ type: Record.Type) throws {
        let table = Record.databaseTableName
        let columns = try columns(in: table).filter { !$0.isHidden }
        let key = try? primaryKey(table)
        // A table without a primary key has a hidden rowid.
        let hasHiddenKey = key?.isRowID == true && key?.rowIDColumn == nil
        let comparison = TableComparison(
            columns: columns, rowIDColumn: key?.rowIDColumn, keyColumns: hasHiddenKey ? [] : key?.columns ?? [])
        let differences = comparison.differences(Record._recordColumns)
        if differences.isEmpty { return }
        throw RecordVerificationError(typeName: "\(type)", tableName: table, differences: differences)
    }
}

/// The differences between the declaration of a record and its table: see `Database.verify(_:)`.
public struct RecordVerificationError: Error, Sendable {
    /// A difference.
    public struct Difference: Hashable, Sendable {
        /// The name of the column.
        public let column: String

        /// What differs, as a sentence.
        public let message: String
    }

    /// The name of the record type.
    public let typeName: String

    /// The name of the table.
    public let tableName: String

    /// The differences, in the order of the properties. Columns without a property come last.
    public let differences: [Difference]
}

extension RecordVerificationError: CustomStringConvertible, LocalizedError {
    public var description: String {
        let list = differences.map { "- \($0.column): \($0.message)" }
        return "\(typeName) and table \(tableName) differ:\n\(list.joined(separator: "\n"))"
    }

    public var errorDescription: String? { description }
}

/// Compares properties with the columns of a table.
private struct TableComparison {
    let columns: [ColumnInfo]

    /// The column that is an alias of the rowid.
    let rowIDColumn: String?

    let keyColumns: [String]

    typealias Difference = RecordVerificationError.Difference

    func differences(_ record: _RecordColumns) -> [Difference] {
        let properties = record.allProperties
        let names = properties.map(\.name)
        let found = properties.enumerated().flatMap { position, found in
            let isRepeated = names.prefix(position).contains { $0.equalsIgnoringCase(found.name) }
            let messages = isRepeated ? ["two properties have this column"] : messages(found.name, found.property)
            return messages.map { Difference(column: found.name, message: $0) }
        }
        let others = columns.filter { column in !names.contains { $0.equalsIgnoringCase(column.name) } }
        return found
            + others.flatMap { other in
                otherMessages(other).map { Difference(column: other.name, message: $0) }
            }
    }

    private func messages(_ name: String, _ property: _RecordColumns.Property) -> [String] {
        guard let column = columns.first(where: { $0.name.equalsIgnoringCase(name) }) else {
            return ["the table has no such column"]
        }
        let messages = [
            keyMessage(column, property), affinityMessage(column, property), nullMessage(column, property),
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

    private func isKey(_ column: ColumnInfo) -> Bool {
        keyColumns.contains { $0.equalsIgnoringCase(column.name) }
    }

    private func keyMessage(_ column: ColumnInfo, _ property: _RecordColumns.Property) -> String? {
        switch (isKey(column), property.isKey) {
        case (true, false): "the column belongs to the primary key, and the property isn't a '@Key'"
        case (false, true): "the property is a '@Key', and the column doesn't belong to the primary key"
        default: nil
        }
    }

    private func nullMessage(_ column: ColumnInfo, _ property: _RecordColumns.Property) -> String? {
        let isRowID = rowIDColumn.map { $0.equalsIgnoringCase(column.name) } ?? false
        if property.isOptional || property.mayBeNull {
            let isFilled = isRowID || column.generation != nil
            return column.isNotNull && !isFilled ? "the property is optional, and the column is NOT NULL" : nil
        }
        return column.isNotNull || isRowID ? nil : "the column may be NULL, and the property isn't optional"
    }

    private func generationMessage(_ column: ColumnInfo, _ property: _RecordColumns.Property) -> String? {
        switch (column.generation != nil, property.isGenerated) {
        case (true, false): "the column is generated: add '@Column(generated: true)'"
        case (false, true): "the property is generated, and the column isn't"
        default: nil
        }
    }

    /// Affinities that would convert the values of the property.
    private func affinityMessage(_ column: ColumnInfo, _ property: _RecordColumns.Property) -> String? {
        guard let kind = property.storage else { return nil }
        switch (ColumnComparison.Affinity(declaredType: column.type), kind) {
        case (.text, .number): return "the column has TEXT affinity, which stores numbers as text"
        case (.numeric, .text):
            return "the column has numeric affinity, which stores text that looks like a number as a number"
        default: return nil
        }
    }

    private func defaultMessage(_ column: ColumnInfo, _ property: _RecordColumns.Property) -> String? {
        guard let value = property.defaultSQL, let sql = column.defaultValueSQL, value != sql else { return nil }
        return "the default value of the property is \(value), and that of the column is \(sql)"
    }
}

extension _RecordColumns {
    /// The names and properties of all columns, including those of types that properties embed.
    fileprivate var allProperties: [(name: String, property: Property)] {
        properties.indices.flatMap { number -> [(name: String, property: Property)] in
            guard let property = properties[number] else { return [] }
            guard let columns = embedded[number] else { return [(columnNames[number], property)] }
            return columns.allProperties.map { name, embedded in
                var embedded = embedded
                // The columns of a property that is nil are NULL.
                embedded.mayBeNull = embedded.mayBeNull || property.isOptional
                return (name, embedded)
            }
        }
    }
}

extension _RecordColumns.Property {
    fileprivate enum Storage {
        case number
        case text
    }

    /// How the values of the property are stored; nil if the type of the property doesn't tell.
    fileprivate var storage: Storage? {
        if hasRepresentation { return nil }
        return Self.storage(of: (type as? any OptionalProperty.Type)?.wrapped ?? type)
    }

    private static func storage(of type: Any.Type) -> Storage? {
        if type is any (FixedWidthInteger & DatabaseValueConvertible).Type { return .number }
        if type is any (BinaryFloatingPoint & DatabaseValueConvertible).Type { return .number }
        if type == Bool.self { return .number }
        if type == String.self { return .text }
        if let type = type as? any RawRepresentable.Type { return storage(ofRawValuesOf: type) }
        return nil
    }

    private static func storage<Value: RawRepresentable>(ofRawValuesOf type: Value.Type) -> Storage? {
        storage(of: Value.RawValue.self)
    }

    fileprivate var isOptional: Bool { type is any OptionalProperty.Type }
}

private protocol OptionalProperty {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalProperty {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
}
