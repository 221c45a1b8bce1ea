public import AmalgamCore
import CAmalgam

/// A change that does not fit the database it is applied to: <https://sqlite.org/session/c_changeset_conflict.html>.
///
/// It is a copy, which may be kept.
public struct ChangeConflict: Hashable, Sendable, CustomStringConvertible {
    /// What does not fit.
    public enum Kind: Hashable, Sendable {
        /// The row to update or delete is there, with other values than expected. Never met with patchsets.
        case data
        /// The row to update or delete is not there.
        case notFound
        /// There is a row already with the primary key of the row to insert.
        case conflict
        /// The change violates another constraint: UNIQUE, CHECK, NOT NULL, or a foreign key that is not deferred.
        case constraint
        /// All changes are made, and leave this number of violated foreign keys behind. It comes once, at the end.
        case foreignKey(violationCount: Int)
    }

    /// What does not fit.
    public let kind: Kind

    /// The change; nil for ``Kind/foreignKey(violationCount:)``.
    public let change: RecordedChange?

    /// The values of the row that is in the way, for ``Kind/data`` and ``Kind/conflict``; else nil.
    public let currentValues: [DatabaseValue]?

    /// Whether a row has been deleted to make room for the row to insert, which has then violated another constraint.
    ///
    /// SQLite does not bring it back: with ``ChangeConflict/Resolution/omit``, both rows are gone.
    public let hasRemovedRow: Bool

    /// Whether ``ChangeConflict/Resolution/replace`` is possible: for ``Kind/data`` and ``Kind/conflict``.
    public var allowsReplacement: Bool { kind == .data || kind == .conflict }

    /// The change wins where it can: ``ChangeConflict/Resolution/replace`` for ``Kind/data`` and ``Kind/conflict``,
    /// ``ChangeConflict/Resolution/omit`` for ``Kind/notFound`` and ``Kind/constraint``. Violated foreign keys are not
    /// accepted, nor is the loss of a row (``hasRemovedRow``): ``ChangeConflict/Resolution/abort``.
    public var replaceOrOmit: ChangeConflict.Resolution {
        switch kind {
        case .data, .conflict: .replace
        case .notFound, .constraint: hasRemovedRow ? .abort : .omit
        case .foreignKey: .abort
        }
    }

    /// The row that is in the way, by the names that the columns have in the database; nil when there is none.
    ///
    /// - throws: as ``RecordedChange/columnNames(_:schemaName:)``.
    public func currentRow(_ db: Database) throws -> Row? {
        guard let change, let currentValues else { return nil }
        return try Row(Array(zip(change.columnNames(db), currentValues)))
    }

    /// `data: UPDATE player(1*, _, 10 -> 20)`
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

    /// What an error may say: no values.
    package var summary: String { change.map { "\(name) conflict: \($0.operation.rawValue) \($0.tableName)" } ?? name }

    init(
        _ code: CInt, _ iterator: OpaquePointer, _ tables: inout RecordedTableCache, connection: SQLiteConnection?,
        replaced: Set<RecordedChange>
    ) throws {
        guard code != SQLITE_CHANGESET_FOREIGN_KEY else {
            // sqlite3changeset_fk_conflicts says 1 for any number of them.
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
    /// What becomes of a change that is in conflict: <https://sqlite.org/session/c_changeset_abort.html>.
    public enum Resolution: Hashable, Sendable, CaseIterable {
        /// The change is not made. For ``ChangeConflict/Kind/foreignKey(violationCount:)``: the violations are accepted.
        case omit
        /// The change is made, and the row in the way updated, deleted, or replaced. Possible where
        /// ``ChangeConflict/allowsReplacement`` is true.
        case replace
        /// All changes are undone, and applying throws `SQLITE_ABORT`.
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
