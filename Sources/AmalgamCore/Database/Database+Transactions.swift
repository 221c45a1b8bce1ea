import CAmalgam
public import Foundation

extension Database {
    /// When a transaction takes its locks: <https://sqlite.org/lang_transaction.html>.
    public enum TransactionKind: String, Sendable {
        /// At the first read or write.
        case deferred = "DEFERRED"
        /// The write lock, at once.
        case immediate = "IMMEDIATE"
        /// The write lock at once, and outside of WAL mode no reader.
        case exclusive = "EXCLUSIVE"
    }

    /// How a transaction ends.
    @frozen
    public enum TransactionCompletion: Sendable {
        /// Changes are kept.
        case commit
        /// Changes are undone.
        case rollback
    }

    /// Whether a transaction is open, as SQLite knows it.
    public var isInsideTransaction: Bool {
        guard let sqliteConnection else { return false }
        return sqlite3_get_autocommit(sqliteConnection) == 0
    }

    /// Opens a transaction, and ends it.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
    ///     try db.execute(sql: "UPDATE account SET balance = balance + 10 WHERE id = 2")
    ///     return .commit
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, …, COMMIT TRANSACTION
    /// ```
    ///
    /// An error rolls the transaction back, and so does a commit that fails. When SQLite ends the transaction by
    /// itself (`ON CONFLICT ROLLBACK`, a full disk, an interruption), further statements throw `SQLITE_ABORT`.
    ///
    /// - Parameter kind: immediate when nil, or deferred where writing is not allowed.
    /// - throws: the error thrown by `operations`; an error of the commit.
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        try managingTransaction(kind) { try endManagedTransaction(operations()) }
    }

    /// Opens a transaction, and commits it with the result of a closure.
    ///
    /// - Parameter isCancellable: whether a cancellation after the end of the closure keeps the transaction from being
    ///   committed. A read returns its result then.
    package func committing<T>(
        _ kind: TransactionKind, isCancellable: Bool = true, _ operations: () throws -> T
    ) throws -> T {
        try managingTransaction(kind) {
            let result = try operations()
            if isCancellable { try commitManagedTransaction() } else { try commitInAnyCase() }
            return result
        }
    }

    private func commitInAnyCase() throws {
        do {
            try commitManagedTransaction()
        } catch is CancellationError {
            try access.interrupter.withoutInterruption { if isInsideTransaction { try commit() } }
        }
    }

    private func managingTransaction<T>(_ kind: TransactionKind?, _ body: () throws -> T) throws -> T {
        try beginTransaction(kind)
        managesTransaction = true
        do {
            return try body()
        } catch {
            managesTransaction = false
            try? rollback()
            throw error
        }
    }

    private func endManagedTransaction(_ completion: TransactionCompletion) throws {
        switch completion {
        case .commit: try commitManagedTransaction()
        case .rollback: try rollback()
        }
    }

    private func commitManagedTransaction() throws {
        if managesTransaction && !isInsideTransaction {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
        }
        managesTransaction = false
        try commit()
    }

    /// Runs operations that can be undone as a whole, inside a transaction or not.
    ///
    /// ```swift
    /// try db.inSavepoint {
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .rollback
    /// }
    /// // inside a transaction: SAVEPOINT grdb, …, ROLLBACK TRANSACTION TO SAVEPOINT grdb, RELEASE SAVEPOINT grdb
    /// // outside: a transaction
    /// ```
    ///
    /// - throws: the error thrown by `operations`, once its changes are undone.
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else { return try inTransaction(nil, operations) }
        try control(.savepoint)
        do {
            switch try operations() {
            case .commit: try control(.releaseSavepoint)
            case .rollback: try rollbackSavepoint()
            }
        } catch {
            if isInsideTransaction { try? rollbackSavepoint() }
            throw error
        }
    }

    /// ROLLBACK TO leaves the savepoint open. When it cannot run, the whole transaction is undone: the caller may go on
    /// to commit it, and must not commit what the savepoint should have undone.
    private func rollbackSavepoint() throws {
        do {
            try access.interrupter.withoutInterruption {
                try control(.rollbackToSavepoint)
                try control(.releaseSavepoint)
            }
        } catch {
            rollbackWithoutStatement()
            throw error
        }
    }

    /// Opens a transaction, which the caller ends.
    ///
    /// ```swift
    /// try db.beginTransaction(.deferred)      // BEGIN DEFERRED TRANSACTION
    /// try db.commit()                         // COMMIT TRANSACTION
    /// ```
    ///
    /// ``inTransaction(_:_:)`` does not forget the end.
    ///
    /// - Parameter kind: immediate when nil, or deferred where writing is not allowed.
    /// - throws: `SQLITE_BUSY` when another connection holds the lock; `SQLITE_ERROR` inside a transaction;
    ///   `SQLITE_READONLY` for a kind that writes inside of ``readOnly(_:)``.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        switch kind ?? (isReadOnlyAccess ? .deferred : .immediate) {
        case .deferred: try control(.beginDeferred)
        case .immediate: try control(.beginImmediate)
        case .exclusive: try control(.beginExclusive)
        }
    }

    /// Commits the transaction. When this fails, the transaction may still be open: the caller rolls back, then.
    ///
    /// - throws: `SQLITE_BUSY` when others read outside of WAL mode; `SQLITE_CONSTRAINT_FOREIGNKEY` for deferred foreign
    ///   keys that are violated; the error of an observer that refuses; `SQLITE_ERROR` outside of a transaction; errors of
    ///   the disk.
    public func commit() throws {
        try control(.commit)
    }

    /// Rolls the transaction back, if SQLite has not done so. Outside of a transaction it does nothing.
    ///
    /// A cancelled or interrupted access rolls back as well.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of an access, where observers must not use the connection, and in the closures of
    ///   ``apply(_:options:tables:where:onConflict:)``.
    public func rollback() throws {
        try checkMayEndStatements()
        try checkApplication(.rollback, sql: TransactionControl.rollback.sql)
        managesTransaction = false
        guard isInsideTransaction else { return }
        do {
            // A cancelled access must be able to end its transaction.
            try access.interrupter.withoutInterruption { try control(.rollback) }
        } catch {
            rollbackWithoutStatement()
            if isInsideTransaction { throw error }
        }
    }

    /// Runs a statement that controls transactions, compiled once.
    private func control(_ control: TransactionControl) throws {
        // A sandbox is for SQL; transactions of Swift are not its business.
        try withoutAuthorizer { try controlStatement(control).execute() }
    }

    private func controlStatement(_ control: TransactionControl) throws -> Statement {
        if let statement = statements.controlStatements[control] { return statement }
        let statement = try makeStatement(sql: control.sql)
        statements.controlStatements[control] = statement
        return statement
    }

    /// Runs a closure in which writing throws `SQLITE_READONLY`.
    ///
    /// ```swift
    /// try db.readOnly {
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
    /// }
    /// ```
    ///
    /// It can be nested. No statement runs for it. See <https://sqlite.org/pragma.html#pragma_query_only>.
    ///
    /// - throws: the error thrown by the closure; `SQLITE_MISUSE` outside of an access.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        try checkAccess()
        beginReadOnly()
        defer { endReadOnly() }
        return try value()
    }

    package func beginReadOnly() {
        if configuration.readonly { return }
        if access.readOnlyDepth == 0 { access.wasQueryOnly = amalgam_set_query_only(sqliteConnection, 1) != 0 }
        access.readOnlyDepth += 1
    }

    package func endReadOnly() {
        if configuration.readonly { return }
        access.readOnlyDepth -= 1
        if access.readOnlyDepth == 0, sqliteConnection != nil {
            amalgam_set_query_only(sqliteConnection, access.wasQueryOnly ? 1 : 0)
        }
    }

    /// Calls code inside of a statement, which must not write.
    package func refusingWrites<T>(_ body: () throws -> T) rethrows -> T {
        let wasQueryOnly = amalgam_set_query_only(sqliteConnection, 1)
        defer { amalgam_set_query_only(sqliteConnection, wasQueryOnly) }
        return try body()
    }

    /// Whether writing is refused here.
    package var isReadOnlyAccess: Bool { configuration.readonly && !access.isBeingFilled || access.readOnlyDepth > 0 }

    /// The date of the transaction: one instant for its whole length, taken from `Configuration.transactionClock`.
    /// Outside of a transaction, the current date of that clock.
    ///
    /// - throws: the error of the clock.
    public var transactionDate: Date {
        get throws {
            if let date = transaction.date, isInsideTransaction { return date }
            let date = try configuration.transactionClock.now(self)
            transaction.date = isInsideTransaction ? date : nil
            return date
        }
    }

    package func transactionDidEnd() {
        transaction.date = nil
    }
}
