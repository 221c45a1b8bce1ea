import AmalgamCore
import CAmalgam

/// What `Database.apply` has done.
public struct ChangesetApplication: Hashable, Sendable {
    /// How many conflicts were met.
    public let conflictCount: Int

    /// How conflicts were resolved: changesets that were recorded here meanwhile are rebased with it. Empty without
    /// conflicts, and for patchsets.
    public let resolutions: ConflictResolutions
}

/// How changes are applied: <https://sqlite.org/session/c_changesetapply_fknoaction.html>.
public struct ApplyOptions: OptionSet, Hashable, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The changes are undone instead of done. Not for patchsets.
    public static let inverted = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_INVERT)

    /// Changes that would not change the database are no conflicts: a deletion of a row that is not there, an update
    /// to values that are there already, an insertion of a row that is there already.
    public static let ignoringNoOps = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_IGNORENOOP)

    /// Foreign keys behave as if they were declared with NO ACTION: the changeset holds what CASCADE and the like had
    /// done where it was recorded. It is often needed with inverted changes, which delete parents before their children
    /// have got other ones.
    public static let withoutForeignKeyActions = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_FKNOACTION)

    /// No savepoint is opened: when applying fails, the changes made so far stay in the transaction, which the caller
    /// rolls back. It needs an open transaction.
    public static let withoutSavepoint = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_NOSAVEPOINT)

    /// Updates that are possible together only, such as two rows that swap a unique value, are conflicts.
    public static let withoutUpdateLoop = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_NOUPDATELOOP)
}

/// The closures that decide about changes while they are applied, and what has happened.
final class ApplyContext {
    private let tables: ((String) throws -> Bool)?
    private let filter: ((RecordedChange) throws -> Bool)?
    private let onConflict: (ChangeConflict) throws -> ChangeConflict.Resolution
    private let database: Database
    private var tableAnswers: [String: Bool] = [:]
    private var tableCache = RecordedTableCache()
    /// Insertions for which a row has been deleted.
    private var replacedInsertions: Set<RecordedChange> = []
    private(set) var error: (any Error)?
    private(set) var conflictCount = 0

    init(
        _ database: Database, tables: ((String) throws -> Bool)?, filter: ((RecordedChange) throws -> Bool)?,
        onConflict: @escaping (ChangeConflict) throws -> ChangeConflict.Resolution
    ) {
        self.database = database
        self.tables = tables
        self.filter = filter
        self.onConflict = onConflict
    }

    var filters: Bool { tables != nil || filter != nil }

    /// Whether the change under way is to be applied. After an error none is.
    func includes(_ iterator: OpaquePointer) -> Bool {
        guard error == nil else { return false }
        do {
            if try !includesTable(of: iterator) { return false }
            guard let filter else { return true }
            guard let change = try RecordedChange(iterator, &tableCache) else { return true }
            return try database.withExtendedCodes { try filter(change) }
        } catch {
            self.error = error
            return false
        }
    }

    private func includesTable(of iterator: OpaquePointer) throws -> Bool {
        guard let tables else { return true }
        var name: UnsafePointer<CChar>?
        var count: CInt = 0
        var operation: CInt = 0
        sqlite3changeset_op(iterator, &name, &count, &operation, nil)
        guard let tableName = name.map({ String(cString: $0) }) else { return true }
        if let answer = tableAnswers[tableName] { return answer }
        let answer = try database.withExtendedCodes { try tables(tableName) }
        tableAnswers[tableName] = answer
        return answer
    }

    /// SQLite's code for what becomes of a change in conflict.
    func resolve(_ code: CInt, _ iterator: OpaquePointer) -> CInt {
        guard error == nil else { return SQLITE_CHANGESET_ABORT }
        conflictCount += 1
        do {
            let conflict = try ChangeConflict(
                code, iterator, &tableCache, connection: database.sqliteConnection, replaced: replacedInsertions)
            let resolution = try database.withExtendedCodes { try onConflict(conflict) }
            if resolution == .replace && !conflict.allowsReplacement { throw Self.illegalReplacement(conflict) }
            if resolution == .abort { throw Self.abort(conflict) }
            if resolution == .replace, conflict.kind == .conflict, let change = conflict.change {
                replacedInsertions.insert(change)
            }
            return resolution.code
        } catch {
            self.error = error
            return SQLITE_CHANGESET_ABORT
        }
    }

    private static func illegalReplacement(_ conflict: ChangeConflict) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                \(conflict.summary): only conflicts of the kinds data and conflict can be resolved with replace. \
                Return omit or abort, or conflict.replaceOrOmit.
                """)
    }

    private static func abort(_ conflict: ChangeConflict) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_ABORT, message: "changes were not applied: \(conflict.summary)")
    }
}
