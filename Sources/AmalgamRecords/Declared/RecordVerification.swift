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
        let info = try? self.table(table)
        let hasHiddenRowID = info?.kind != .view && key?.tableHasRowID == true && key?.rowIDColumn == nil
        let comparison = TableComparison(
            db: self, columns: columns, rowIDColumn: key?.rowIDColumn,
            keyColumns: hasHiddenKey ? [] : key?.columns ?? [], hasHiddenRowID: hasHiddenRowID,
            isView: info?.kind == .view,
            isStrict: info?.isStrict ?? false,
            insertsCopies: type is any PersistableRecord.Type && !(type is AnyObject.Type))
        let differences = comparison.differences(Record._recordColumns, of: type)
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
