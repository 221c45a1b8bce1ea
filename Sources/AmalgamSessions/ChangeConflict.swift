public import AmalgamCore
import CAmalgam

/// A change that conflicts with the database to which it is applied:
/// <https://sqlite.org/session/c_changeset_conflict.html>.
///
/// ```swift
/// try db.apply(changeset) { conflict in
///     print(conflict)   // data: UPDATE player(1*, _, 10 -> 20)
///     return conflict.replaceOrOmit
/// }
/// ```
///
/// The printed change marks a primary key value by `*`, and a value that isn't recorded by `_`. A `ChangeConflict`
/// copies its values, and remains valid after the closure has returned.
public struct ChangeConflict: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a conflict.
    public enum Kind: Hashable, Sendable {
        /// The row to update or delete exists, but its values differ from the recorded old values. Never reported for
        /// patchsets.
        case data
        /// The row to update or delete doesn't exist.
        case notFound
        /// A row with the primary key of the row to insert exists.
        case conflict
        /// The change violates another constraint: UNIQUE, CHECK, NOT NULL, or a foreign key that is not deferred.
        case constraint
        /// All changes were applied, and the result violates foreign keys. Reported once, with the number of
        /// violations.
        case foreignKey(violationCount: Int)
    }

    /// The kind of the conflict.
    public let kind: Kind

    /// The change, or nil for ``Kind/foreignKey(violationCount:)``.
    public let change: RecordedChange?

    /// The values of the existing row, for ``Kind/data`` and ``Kind/conflict``; otherwise nil.
    public let currentValues: [DatabaseValue]?

    /// Whether ``ChangeConflict/Resolution/replace`` has deleted an existing row, and the insertion that replaces this
    /// row violates another constraint.
    ///
    /// SQLite doesn't restore the deleted row. If this second conflict is resolved with
    /// ``ChangeConflict/Resolution/omit``, the table contains neither the deleted row nor the row to insert.
    public let hasRemovedRow: Bool

    /// Whether ``ChangeConflict/Resolution/replace`` is allowed: for ``Kind/data`` and ``Kind/conflict``.
    public var allowsReplacement: Bool { kind == .data || kind == .conflict }

    /// The resolution that applies the change if possible, even if this overwrites an existing row.
    ///
    /// The value is:
    /// - ``ChangeConflict/Resolution/replace`` for ``Kind/data`` and ``Kind/conflict``
    /// - ``ChangeConflict/Resolution/abort`` for ``Kind/foreignKey(violationCount:)``
    /// - ``ChangeConflict/Resolution/abort`` if ``hasRemovedRow`` is true, because omitting the change would lose a row
    /// - otherwise ``ChangeConflict/Resolution/omit``, for ``Kind/notFound`` and ``Kind/constraint``
    public var replaceOrOmit: ChangeConflict.Resolution {
        switch kind {
        case .data, .conflict: .replace
        case .notFound, .constraint: hasRemovedRow ? .abort : .omit
        case .foreignKey: .abort
        }
    }

    /// Returns the existing row, with the column names of the table in `db`. Returns nil if ``currentValues`` is nil.
    ///
    /// ```swift
    /// if let row = try conflict.currentRow(db) { print(row) }
    /// ```
    ///
    /// - Throws: an error of ``RecordedChange/columnNames(_:schemaName:)``.
    public func currentRow(_ db: Database) throws -> Row? {
        guard let change, let currentValues else { return nil }
        return try Row(Array(zip(change.columnNames(db), currentValues)))
    }

    /// The kind and the ``RecordedChange/description`` of the change, such as `data: UPDATE player(1*, _, 10 -> 20)`.
    public var description: String { change.map { "\(name): \($0)" } ?? name }

    var name: String {
        switch kind {
        case .data: "data"
        case .notFound: "notFound"
        case .conflict: "conflict"
        case .constraint: "constraint"
        case .foreignKey(let count): "foreignKey: \(count)"
        }
    }

    /// A description for error messages, without values.
    package var summary: String { change.map { "\(name) conflict: \($0.operation.rawValue) \($0.tableName)" } ?? name }

    /// Creates a conflict that `sqlite3changeset_apply` hasn't reported.
    package init(kind: Kind, change: RecordedChange? = nil, currentValues: [DatabaseValue]? = nil) {
        self.kind = kind
        self.change = change
        self.currentValues = currentValues
        hasRemovedRow = false
    }

    init(
        _ code: CInt, _ iterator: OpaquePointer, _ tables: inout RecordedTableCache, connection: SQLiteConnection?,
        replaced: Set<RecordedChange>
    ) throws {
        guard code != SQLITE_CHANGESET_FOREIGN_KEY else {
            // sqlite3changeset_fk_conflicts returns 1 for any number of violations.
            let count = connection.map { amalgam_deferred_violations($0) } ?? 1
            kind = .foreignKey(violationCount: Int(clamping: count))
            change = nil
            currentValues = nil
            hasRemovedRow = false
            return
        }
        let change = try RecordedChange(iterator, &tables)
        self.change = change
        switch code {
        case SQLITE_CHANGESET_DATA: kind = .data
        case SQLITE_CHANGESET_NOTFOUND: kind = .notFound
        case SQLITE_CHANGESET_CONFLICT: kind = .conflict
        default: kind = .constraint
        }
        hasRemovedRow = kind == .constraint && change.map(replaced.contains) == true
        guard let change, kind == .data || kind == .conflict else {
            currentValues = nil
            return
        }
        currentValues = try RecordedChange.values(CInt(change.columnCount)) {
            sqlite3changeset_conflict(iterator, $0, $1)
        }.map { $0 ?? .null }
    }
}

extension ChangeConflict {
    /// What to do with a conflicting change: <https://sqlite.org/session/c_changeset_abort.html>.
    ///
    /// ```swift
    /// try db.apply(changeset) { conflict in
    ///     conflict.allowsReplacement ? .replace : .abort
    /// }
    /// ```
    public enum Resolution: Hashable, Sendable, CaseIterable {
        /// The change isn't applied. For ``ChangeConflict/Kind/foreignKey(violationCount:)``: all changes remain
        /// applied, although they violate foreign keys.
        case omit
        /// The change is applied, and the existing row is updated, deleted or replaced. Only allowed if
        /// ``ChangeConflict/allowsReplacement`` is true.
        case replace
        /// All changes are rolled back, and `Database.apply` throws `SQLITE_ABORT`.
        case abort

        var code: CInt {
            switch self {
            case .omit: SQLITE_CHANGESET_OMIT
            case .replace: SQLITE_CHANGESET_REPLACE
            case .abort: SQLITE_CHANGESET_ABORT
            }
        }
    }
}
