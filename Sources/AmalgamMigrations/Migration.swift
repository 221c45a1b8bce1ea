import AmalgamCore
import AmalgamInspection

/// A registered migration.
struct Migration: Sendable {
    /// How foreign keys are handled.
    enum Checks: Sendable {
        /// Foreign keys are disabled, and checked before the commit.
        case deferred
        /// Foreign keys are disabled, and not checked.
        case disabled
        /// Foreign keys are enabled.
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

    /// Whether the migration hasn't been applied, or a name of a migration that it replaces is still stored.
    func isPending(_ applied: Set<String>) -> Bool {
        !applied.contains(identifier) || !applied.isDisjoint(with: mergedIdentifiers)
    }

    /// Runs the migration, unless it is already applied.
    ///
    /// The transaction reads the names of the applied migrations again, because another process may have applied this
    /// migration in the meantime.
    ///
    /// - Throws: the error of the migration. The description of a ``DatabaseError`` contains the name of the migration.
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
            try db.requiringTransaction { try db.withSchemaSource(nil) { try migrate(db, merged) } }
        }
        guard foreignKeyChecks == .deferred else { return }
        try observer.perform(.checkingForeignKeys, of: identifier, db) { try db.checkForeignKeysBeforeCommit() }
    }

    /// Runs a closure with foreign keys disabled, unless the migration checks foreign keys immediately. SQLite can't
    /// disable foreign keys inside a transaction, so the closure must open the transaction.
    private func withForeignKeyChecks(_ db: Database, _ body: () throws -> Void) throws {
        if foreignKeyChecks == .immediate { try body() } else { try db.withoutForeignKeys(body) }
    }
}
