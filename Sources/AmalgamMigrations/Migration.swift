import AmalgamCore
import AmalgamInspection

/// A step in the history of a schema.
struct Migration: Sendable {
    /// What happens about foreign keys.
    enum Checks: Sendable {
        /// They are off, and checked before the commit.
        case deferred
        /// They are off, and not checked.
        case disabled
        /// They are on.
        case immediate

        init(_ checks: DatabaseMigrator.ForeignKeyChecks, whenDeferred isChecked: Bool) {
            switch checks {
            case .immediate: self = .immediate
            case .deferred: self = isChecked ? .deferred : .disabled
            }
        }
    }

    let identifier: String
    let mergedIdentifiers: Set<String>
    let foreignKeyChecks: Checks
    let migrate: @Sendable (Database, Set<String>) throws -> Void

    /// Whether there is something to do: to run the migration, or to forget those that it has merged.
    func isPending(_ applied: Set<String>) -> Bool {
        !applied.contains(identifier) || !applied.isDisjoint(with: mergedIdentifiers)
    }

    /// Runs the migration, unless it was applied.
    ///
    /// The transaction reads the names of the applied migrations: another process may have applied this one since the
    /// caller looked.
    ///
    /// - Throws: the error of the migration. A ``DatabaseError`` names the migration in its description.
    func run(_ db: Database, _ observer: some MigrationObserver) throws {
        do {
            try withForeignKeyChecks(db) {
                try db.inTransaction(.immediate) {
                    let applied = try MigrationTable.identifiers(db)
                    guard isPending(applied) else { return .rollback }
                    try run(db, applied: applied, observer)
                    return .commit
                }
            }
        } catch var error as DatabaseError {
            error.context = "in migration \"\(identifier)\""
            throw error
        }
    }

    private func run(_ db: Database, applied: Set<String>, _ observer: some MigrationObserver) throws {
        let isApplied = applied.contains(identifier)
        let merged = applied.intersection(mergedIdentifiers)
        if !isApplied { try migrate(db, merged, observer) }
        try MigrationTable.replace(merged, with: isApplied ? nil : identifier, db)
    }

    private func migrate(_ db: Database, _ merged: Set<String>, _ observer: some MigrationObserver) throws {
        try observer.perform(.migrating, of: identifier, db) {
            try db.withSchemaSource(nil) { try migrate(db, merged) }
        }
        guard foreignKeyChecks == .deferred else { return }
        try observer.perform(.checkingForeignKeys, of: identifier, db) { try db.checkForeignKeys() }
    }

    /// Turns foreign keys off for a closure, when checks wait: in a transaction it would have no effect.
    private func withForeignKeyChecks(_ db: Database, _ body: () throws -> Void) throws {
        if foreignKeyChecks == .immediate { try body() } else { try db.withoutForeignKeys(body) }
    }
}
