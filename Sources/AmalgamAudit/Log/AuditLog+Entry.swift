public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords
public import Foundation

extension AuditLog {
    /// An entry of the log, which records the change of one row.
    ///
    /// ```swift
    /// let entries = try AuditLog.Entry
    ///     .filter { $0.tableName == "player" && $0.actor == "user:42" }
    ///     .order(\.id.desc)
    ///     .limit(20)
    ///     .fetchAll(db)
    /// ```
    ///
    /// A later change has a greater ``id``.
    public struct Entry: Hashable, Identifiable, Sendable {
        /// The kind of a row change.
        public enum Operation: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
            /// The row was inserted.
            case insert = "INSERT"
            /// The row was updated, and audited columns have different values.
            case update = "UPDATE"
            /// The row was deleted.
            case delete = "DELETE"
        }

        /// The identifier of the entry. Later entries have greater identifiers.
        public let id: Int64

        /// The identifier of the transaction, the same for all entries of the transaction, even if their actors differ.
        /// Later transactions have greater identifiers.
        public let transactionID: Int64

        /// The date of the transaction, from `Database.transactionDate`.
        public let date: Date

        /// The actor that was given to `Database.auditing(as:reason:_:)`, if any.
        public let actor: String?

        /// The reason that was given to `Database.auditing(as:reason:_:)`, if any.
        public let reason: String?

        /// The name of the table, as the schema spelled it at that time.
        public let tableName: String

        /// The kind of the change.
        public let operation: Operation

        /// The primary key of the row before the change.
        public let key: Key

        /// The new primary key, if an update has changed it; otherwise nil.
        public let newKey: Key?

        /// The changes of the audited columns, in the order of the columns in the table. An update contains only the
        /// columns whose values were changed. An insertion or a deletion contains all audited columns.
        public let changes: [ColumnChange]
    }

    /// The change of one column.
    ///
    /// ```swift
    /// for change in entry.changes where !change.isRedacted {
    ///     print(change.columnName, change.oldValue!, change.newValue!)   // score 10 20
    /// }
    /// ```
    public struct ColumnChange: Hashable, Sendable {
        /// The name of the column, as the schema spelled it at that time.
        public let columnName: String

        /// The value before the change: NULL for an insertion, and nil if the column is redacted.
        public let oldValue: DatabaseValue?

        /// The value after the change: NULL for a deletion, and nil if the column is redacted.
        public let newValue: DatabaseValue?

        /// Whether the column is redacted, so that its values weren't stored.
        public var isRedacted: Bool { oldValue == nil }
    }
}

extension AuditLog.Entry {
    /// Returns the change of a column, or nil if the column wasn't changed or isn't audited.
    ///
    /// ```swift
    /// if let score = entry["score"]?.newValue { print(score) }   // 20
    /// ```
    ///
    /// - Parameter columnName: the name of the column. The case of its ASCII letters is ignored.
    public subscript(columnName: String) -> AuditLog.ColumnChange? {
        changes.first { $0.columnName.equalsExactly(columnName) }
            ?? changes.first { $0.columnName.equalsIgnoringCase(columnName) }
    }
}

extension AuditLog.Entry: FetchableRecord, TableRecord {
    /// The name of the view that shows the log.
    public static let databaseTableName = "amalgam_audit"

    /// The columns of the log.
    public enum Columns {
        /// The column of ``AuditLog/Entry/id``.
        public static let id = Column("id")
        /// The column of ``AuditLog/Entry/transactionID``.
        public static let transactionID = Column("transactionID")
        /// The column of ``AuditLog/Entry/date``.
        public static let date = Column("date")
        /// The column of ``AuditLog/Entry/actor``.
        public static let actor = Column("actor")
        /// The column of ``AuditLog/Entry/reason``.
        public static let reason = Column("reason")
        /// The column of ``AuditLog/Entry/tableName``. Comparisons ignore the case.
        public static let tableName = Column("tableName")
        /// The column of ``AuditLog/Entry/operation``.
        public static let operation = Column("operation")
        /// The column of ``AuditLog/Entry/key``.
        public static let key = Column("key")
        /// The column of ``AuditLog/Entry/newKey``.
        public static let newKey = Column("newKey")
        /// The column of ``AuditLog/Entry/changes``, as JSONB.
        public static let changes = Column("changes")
    }

    /// Decodes an entry from a row of the view `amalgam_audit`.
    ///
    /// - Throws: `SQLITE_CORRUPT` for a value that the log can't have written; `RowDecodingError` if the row lacks a column.
    public init(row: Row) throws {
        do {
            try self.init(decoding: row)
        } catch let error as RowDecodingError {
            guard Self.columnNames.allSatisfy(row.hasColumn) else { throw error }
            throw AuditLog.foreignData("amalgam_audit.\(error.context.columnName ?? "changes")")
        }
    }

    private static var columnNames: [String] {
        [
            "id", "transactionID", "date", "actor", "reason", "tableName", "operation", "key", "newKey", "changes",
        ]
    }

    private init(decoding row: Row) throws {
        id = try row.decode(forColumn: "id")
        transactionID = try row.decode(forColumn: "transactionID")
        date = try row.decode(forColumn: "date")
        actor = try row.decode(forColumn: "actor")
        reason = try row.decode(forColumn: "reason")
        tableName = try row.decode(forColumn: "tableName")
        operation = try row.decode(forColumn: "operation")
        key = try row.decode(forColumn: "key")
        newKey = try row.decode(forColumn: "newKey")
        changes = try Self.changes(row.decode(forColumn: "changes"))
    }

    /// - Throws: `SQLITE_CORRUPT` if something other than the log has written the data.
    private static func changes(_ data: Data) throws -> [AuditLog.ColumnChange] {
        guard case .object(let members)? = JSONBValue(data) else { throw malformedChanges }
        return try members.map { name, value in
            switch value {
            case .bool(true): return AuditLog.ColumnChange(columnName: name, oldValue: nil, newValue: nil)
            case .array(let values):
                guard values.count == 2, let old = values[0].databaseValue, let new = values[1].databaseValue else {
                    throw malformedChanges
                }
                return AuditLog.ColumnChange(columnName: name, oldValue: old, newValue: new)
            default: throw malformedChanges
            }
        }
    }

    private static var malformedChanges: DatabaseError { AuditLog.foreignData("amalgam_audit_change.changes") }
}

extension AuditLog {
    /// The error of a value that something other than the log has written.
    static func foreignData(_ column: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "the audit log was changed by something else: \(column) is malformed")
    }
}

extension AuditLog.Entry: CustomStringConvertible {
    /// The entry as a string, such as `UPDATE player 1 (score: 10 -> 20) by user:42`.
    public var description: String {
        let keys = newKey.map { "\(key) -> \($0)" } ?? "\(key)"
        let changes = changes.map { change in change.description(operation) }.joined(separator: ", ")
        return "\(operation.rawValue) \(tableName) \(keys) (\(changes))" + (actor.map { " by \($0)" } ?? "")
    }
}

extension AuditLog.ColumnChange {
    fileprivate func description(_ operation: AuditLog.Entry.Operation) -> String {
        guard let oldValue, let newValue else { return "\(columnName): redacted" }
        switch operation {
        case .insert: return "\(columnName): \(newValue)"
        case .update: return "\(columnName): \(oldValue) -> \(newValue)"
        case .delete: return "\(columnName): \(oldValue)"
        }
    }
}
