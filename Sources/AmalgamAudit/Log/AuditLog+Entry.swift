public import AmalgamCore
public import AmalgamQuery
public import AmalgamRecords
public import Foundation

extension AuditLog {
    /// The change of one row.
    ///
    /// ```swift
    /// let entries = try AuditLog.Entry
    ///     .filter { $0.tableName == "player" && $0.actor == "user:42" }
    ///     .order(\.id.desc)
    ///     .limit(20)
    ///     .fetchAll(db)
    /// ```
    ///
    /// Entries are in the order of the changes when they are ordered by ``id``.
    public struct Entry: Hashable, Identifiable, Sendable {
        /// What happened to the row.
        public enum Operation: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
            /// The row is new.
            case insert = "INSERT"
            /// Columns of the row got other values.
            case update = "UPDATE"
            /// The row is gone.
            case delete = "DELETE"
        }

        /// Grows from entry to entry.
        public let id: Int64

        /// The same for all changes of a transaction, on whose behalf ever. It grows from transaction to transaction.
        public let transactionID: Int64

        /// The date of the transaction: `Database.transactionDate`.
        public let date: Date

        /// Who made the change, as `Database.auditing(as:reason:_:)` was told.
        public let actor: String?

        /// Why the change was made, as `Database.auditing(as:reason:_:)` was told.
        public let reason: String?

        /// The table, with the spelling of the schema at that time.
        public let tableName: String

        /// What happened to the row.
        public let operation: Operation

        /// The key of the row, before the change.
        public let key: Key

        /// The key of the row after an update that changes it; else nil.
        public let newKey: Key?

        /// The audited columns that got other values, in the order of the table: all of them for insertions and
        /// deletions.
        public let changes: [ColumnChange]
    }

    /// The change of one column.
    public struct ColumnChange: Hashable, Sendable {
        /// The column, with the spelling of the schema at that time.
        public let columnName: String

        /// The value before the change: NULL for an insertion; nil when it is redacted.
        public let oldValue: DatabaseValue?

        /// The value after the change: NULL for a deletion; nil when it is redacted.
        public let newValue: DatabaseValue?

        /// Whether the values were not stored.
        public var isRedacted: Bool { oldValue == nil }
    }
}

extension AuditLog.Entry {
    /// What became of a column; nil when it did not change, or is not audited.
    ///
    /// ```swift
    /// entry["score"]?.newValue   // 20
    /// ```
    ///
    /// - Parameter columnName: the column, whatever its case.
    public subscript(columnName: String) -> AuditLog.ColumnChange? {
        changes.first { $0.columnName == columnName }
            ?? changes.first { $0.columnName.lowercased() == columnName.lowercased() }
    }
}

extension AuditLog.Entry: FetchableRecord, TableRecord {
    /// The view that shows the log.
    public static let databaseTableName = "amalgam_audit"

    /// The columns of the log.
    public enum Columns {
        /// ``AuditLog/Entry/id``
        public static let id = Column("id")
        /// ``AuditLog/Entry/transactionID``
        public static let transactionID = Column("transactionID")
        /// ``AuditLog/Entry/date``
        public static let date = Column("date")
        /// ``AuditLog/Entry/actor``
        public static let actor = Column("actor")
        /// ``AuditLog/Entry/reason``
        public static let reason = Column("reason")
        /// ``AuditLog/Entry/tableName``: comparisons ignore the case.
        public static let tableName = Column("tableName")
        /// ``AuditLog/Entry/operation``
        public static let operation = Column("operation")
        /// ``AuditLog/Entry/key``
        public static let key = Column("key")
        /// ``AuditLog/Entry/newKey``
        public static let newKey = Column("newKey")
        /// ``AuditLog/Entry/changes``, as JSONB.
        public static let changes = Column("changes")
    }

    public init(row: Row) throws {
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

    /// - throws: `SQLITE_CORRUPT` for what the log does not write.
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

    private static var malformedChanges: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message:
                "an entry of the audit log was changed by something else: amalgam_audit_change.changes is malformed")
    }
}

extension AuditLog.Entry: CustomStringConvertible {
    /// `UPDATE player 1 (score: 10 -> 20) by user:42`
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
