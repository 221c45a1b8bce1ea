import AmalgamCore
import CAmalgam

/// The result of `Database.apply`.
///
/// ```swift
/// let application = try db.apply(remote) { conflict in conflict.replaceOrOmit }
/// let rebased = try local.rebased(on: application.resolutions)
/// ```
public struct ChangesetApplication: Hashable, Sendable {
    /// The number of conflicts.
    public let conflictCount: Int

    /// The resolutions of the conflicts, for rebasing other changesets. Empty for patchsets, and if no conflict
    /// occurred.
    public let resolutions: ConflictResolutions

    /// The tables of the changeset to which no change was applied because the main database has no table with this name,
    /// or its table has fewer columns or a different primary key. For example, the changeset comes from a database with a
    /// newer schema.
    ///
    /// ```swift
    /// let application = try db.apply(remote) { conflict in conflict.replaceOrOmit }
    /// if !application.skippedTables.isEmpty { print("Update the application to receive all changes.") }
    /// ```
    public let skippedTables: [String]
}

/// Options for applying changes: <https://sqlite.org/session/c_changesetapply_fknoaction.html>.
///
/// ```swift
/// try db.apply(changeset, options: [.inverted, .withoutForeignKeyActions])
/// ```
public struct ApplyOptions: OptionSet, Hashable, Sendable {
    public let rawValue: CInt

    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Applies the inverse of the changes. Not allowed for patchsets.
    public static let inverted = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_INVERT)

    /// Ignores changes without effect instead of reporting conflicts: deleting a row that doesn't exist, updating a row
    /// that already has the new values, inserting a row that already exists with the same values.
    public static let ignoringNoOps = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_IGNORENOOP)

    /// Treats foreign keys as if they were declared with NO ACTION, because the changeset already contains the changes
    /// by CASCADE and other actions. Inverted changes often need this option: they may delete a parent row before they
    /// update its child rows to refer to a different parent, and ON DELETE CASCADE would delete the child rows.
    public static let withoutForeignKeyActions = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_FKNOACTION)

    /// Applies the changes without a savepoint. A transaction must be open. After an error, the changes made so far
    /// remain in the transaction, and the caller must roll the transaction back.
    public static let withoutSavepoint = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_NOSAVEPOINT)

    /// Throws `SQLITE_SCHEMA`, and applies no change, if a table of the changeset would be skipped: see
    /// ``ChangesetApplication/skippedTables``.
    public static let requiringTables = ApplyOptions(rawValue: 1 << 24)

    /// Reports conflicts for updates that are only possible together, such as if two rows swap a unique value.
    public static let withoutUpdateLoop = ApplyOptions(rawValue: SQLITE_CHANGESETAPPLY_NOUPDATELOOP)
}

/// The closures that filter changes and resolve conflicts while changes are applied, and the results so far.
final class ApplyContext {
    private let tables: ((String) throws -> Bool)?
    private let filter: ((RecordedChange) throws -> Bool)?
    private let onConflict: (ChangeConflict) throws -> ChangeConflict.Resolution
    private let database: Database
    private var tableAnswers: [ExactString: Bool] = [:]
    private var tableCache = RecordedTableCache()
    /// The insertions for which an existing row was deleted to be replaced.
    private var replacedInsertions: Set<RecordedChange> = []
    private(set) var error: (any Error)?
    private(set) var conflictCount = 0
    private(set) var skippedTables: [String] = []
    /// Whether a skipped table is an error.
    var requiresTables = false

    init(
        _ database: Database, tables: ((String) throws -> Bool)?, filter: ((RecordedChange) throws -> Bool)?,
        onConflict: @escaping (ChangeConflict) throws -> ChangeConflict.Resolution
    ) {
        self.database = database
        self.tables = tables
        self.filter = filter
        self.onConflict = onConflict
    }

    /// The description of a call of SQLite with this context, without the changes.
    var application: amalgam_application {
        var application = amalgam_application()
        application.context = Unmanaged.passUnretained(self).toOpaque()
        application.includes_table = { context, table in
            Unmanaged<ApplyContext>.fromOpaque(context!).takeUnretainedValue().includes(table: table!) ? 1 : 0
        }
        application.skips_table = { context, table in
            Unmanaged<ApplyContext>.fromOpaque(context!).takeUnretainedValue().skips(table: table!)
        }
        application.resolve = { context, code, iterator in
            guard let iterator else { return SQLITE_CHANGESET_ABORT }
            return Unmanaged<ApplyContext>.fromOpaque(context!).takeUnretainedValue().resolve(code, iterator)
        }
        guard filter != nil else { return application }
        application.includes_change = { context, iterator in
            guard let iterator else { return 1 }
            return Unmanaged<ApplyContext>.fromOpaque(context!).takeUnretainedValue().includes(iterator) ? 1 : 0
        }
        return application
    }

    /// Whether the current change is to be applied. After an error, the result is false.
    private func includes(_ iterator: OpaquePointer) -> Bool {
        guard error == nil else { return false }
        do {
            guard let filter else { return true }
            guard let change = try RecordedChange(iterator, &tableCache) else { return true }
            return try database.withExtendedCodes { try filter(change) }
        } catch {
            self.error = error
            return false
        }
    }

    /// Whether changes of a table are to be applied. After an error, the result is false.
    private func includes(table: UnsafePointer<CChar>) -> Bool {
        guard error == nil else { return false }
        guard let tables else { return true }
        let tableName = String(cString: table)
        if let answer = tableAnswers[ExactString(tableName)] { return answer }
        do {
            let answer = try database.withExtendedCodes { try tables(tableName) }
            tableAnswers[ExactString(tableName)] = answer
            return answer
        } catch {
            self.error = error
            return false
        }
    }

    private func skips(table: UnsafePointer<CChar>) {
        let tableName = String(cString: table)
        if !skippedTables.contains(where: { $0.equalsExactly(tableName) }) { skippedTables.append(tableName) }
        if requiresTables && error == nil {
            error = DatabaseError(
                resultCode: .SQLITE_SCHEMA,
                message: """
                    The changes of the table \(tableName) can't be applied: the database has no such table, or its table \
                    has fewer columns or a different primary key.
                    """)
        }
    }

    /// Returns SQLite's code for the resolution of a conflict.
    private func resolve(_ code: CInt, _ iterator: OpaquePointer) -> CInt {
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
