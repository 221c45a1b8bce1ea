import CAmalgam
public import Foundation

extension Database {
    /// The kinds of transactions, which differ in when they acquire locks: <https://sqlite.org/lang_transaction.html>.
    ///
    /// ```swift
    /// try db.inTransaction(.exclusive) {
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .commit
    /// }
    /// // BEGIN EXCLUSIVE TRANSACTION, DELETE FROM player, COMMIT TRANSACTION
    /// ```
    public enum TransactionKind: String, Sendable {
        /// Acquires locks at the first read or write.
        case deferred = "DEFERRED"
        /// Acquires the write lock at once.
        case immediate = "IMMEDIATE"
        /// Acquires the write lock at once. Outside of WAL mode, it excludes readers, too.
        case exclusive = "EXCLUSIVE"
    }

    /// The ways to end a transaction.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try db.execute(sql: "DELETE FROM player WHERE score < 10")
    ///     return db.changesCount > 100 ? .rollback : .commit
    /// }
    /// ```
    @frozen
    public enum TransactionCompletion: Sendable {
        /// The changes are committed.
        case commit
        /// The changes are rolled back.
        case rollback
    }

    /// Whether a transaction is open, so that SQLite isn't in autocommit mode.
    public var isInsideTransaction: Bool {
        guard let sqliteConnection else { return false }
        return sqlite3_get_autocommit(sqliteConnection) == 0
    }

    /// Begins a transaction, runs a closure, and commits or rolls back the transaction.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try db.execute(sql: "UPDATE player SET score = score - 10 WHERE id = 1")
    ///     try db.execute(sql: "UPDATE player SET score = score + 10 WHERE id = 2")
    ///     return .commit
    /// }
    /// // BEGIN IMMEDIATE TRANSACTION, …, COMMIT TRANSACTION
    /// ```
    ///
    /// If the closure or the commit fails, the transaction is rolled back. SQLite may also roll back the transaction by
    /// itself, for example after a conflict with `ON CONFLICT ROLLBACK`, if the disk is full, or if a write is
    /// interrupted. Further statements of the closure then throw `SQLITE_ABORT`.
    ///
    /// - Parameters:
    ///   - kind: The kind of transaction. With nil, the transaction is deferred in a read-only database access, and
    ///     immediate otherwise.
    ///   - operations: Runs the statements of the transaction, and returns whether to commit or to roll back.
    /// - Throws: The error thrown by `operations`; an error of BEGIN or COMMIT.
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        try managingTransaction(kind) { try endManagedTransaction(operations()) }
    }

    /// Begins a transaction, runs a closure, commits the transaction, and returns the result of the closure.
    ///
    /// - Parameter isCancellable: Whether a cancellation of the database access also prevents the commit after the
    ///   closure has returned. With false, the transaction is committed, and the method returns the result. Reads pass
    ///   false.
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
            throw transaction.abortCause
                ?? DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted")
        }
        managesTransaction = false
        try commit()
    }

    /// Runs a closure whose changes can be rolled back: in a savepoint, or in a transaction if none is open.
    ///
    /// ```swift
    /// try db.inSavepoint {
    ///     try db.execute(sql: "DELETE FROM player")
    ///     return .rollback
    /// }
    /// // Inside a transaction:
    /// // SAVEPOINT grdb, …, ROLLBACK TRANSACTION TO SAVEPOINT grdb, RELEASE SAVEPOINT grdb
    /// // Outside of transactions:
    /// // BEGIN IMMEDIATE TRANSACTION, …, ROLLBACK TRANSACTION
    /// ```
    ///
    /// - Throws: The error thrown by `operations`, after a rollback of its changes; an error of SQLite.
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

    /// Undoes the changes of the savepoint, and releases the savepoint. If one of these steps fails, rolls back the
    /// whole transaction: otherwise, the caller could commit the changes of the savepoint.
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

    /// Begins a transaction. The caller must end it.
    ///
    /// ```swift
    /// try db.beginTransaction(.deferred)      // BEGIN DEFERRED TRANSACTION
    /// try db.commit()                         // COMMIT TRANSACTION
    /// ```
    ///
    /// Prefer ``inTransaction(_:_:)``, which always ends the transaction.
    ///
    /// - Parameter kind: The kind of transaction. With nil, the transaction is deferred in a read-only database access,
    ///   and immediate otherwise.
    /// - Throws: `SQLITE_BUSY` if another connection holds a lock that the transaction needs; `SQLITE_ERROR` inside a
    ///   transaction; `SQLITE_READONLY` for an immediate or exclusive transaction inside of ``readOnly(_:)``.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        switch kind ?? (isReadOnlyAccess ? .deferred : .immediate) {
        case .deferred: try control(.beginDeferred)
        case .immediate: try control(.beginImmediate)
        case .exclusive: try control(.beginExclusive)
        }
    }

    /// Commits the transaction. If this fails, the transaction may still be open: roll it back then.
    ///
    /// ```swift
    /// try db.beginTransaction()
    /// do {
    ///     try db.execute(sql: "DELETE FROM player")
    ///     try db.commit()
    /// } catch {
    ///     try db.rollback()
    ///     throw error
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_BUSY` if other connections are reading and the database isn't in WAL mode;
    ///   `SQLITE_CONSTRAINT_FOREIGNKEY` if deferred foreign keys are violated; the error of an observer that vetoes the
    ///   commit; `SQLITE_ERROR` outside of a transaction; I/O errors.
    public func commit() throws {
        try control(.commit)
    }

    /// Rolls back the transaction, if SQLite hasn't done so. Outside of a transaction, this does nothing.
    ///
    /// ```swift
    /// try db.beginTransaction()
    /// try db.execute(sql: "DELETE FROM player")
    /// try db.rollback()                       // ROLLBACK TRANSACTION
    /// ```
    ///
    /// The method also works in a database access that was cancelled or interrupted.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, in callbacks of observers that must not use the
    ///   connection, and in the closures of ``apply(_:options:tables:where:onConflict:)``.
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

    /// Rolls back the transaction because its changes must not be committed. Further statements throw `SQLITE_ABORT`,
    /// until the method that has begun the transaction returns, or the application rolls the transaction back. If the
    /// closure of the transaction catches the error, the commit throws it.
    package func abortTransaction(_ cause: any Error) {
        let isManaged = managesTransaction
        let hasBegun = isManaged || transaction.hasBegun
        try? rollback()
        guard hasBegun, !isInsideTransaction else { return }
        managesTransaction = true
        transaction.isAborted = !isManaged
        transaction.abortCause = cause
    }

    /// Runs a statement that controls transactions, such as COMMIT. It is compiled once per connection.
    private func control(_ control: TransactionControl) throws {
        // Authorizers don't restrict transactions that Swift code controls.
        try withoutAuthorizer { try controlStatement(control).execute() }
    }

    private func controlStatement(_ control: TransactionControl) throws -> Statement {
        if let statement = statements.controlStatements[control] { return statement }
        let statement = try makeStatement(sql: control.sql)
        statements.controlStatements[control] = statement
        return statement
    }

    /// Runs a closure in which writes throw `SQLITE_READONLY`.
    ///
    /// ```swift
    /// let count = try db.readOnly {
    ///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
    /// }
    /// ```
    ///
    /// Calls can be nested. The method sets the flag of `PRAGMA query_only` directly, without running the pragma:
    /// <https://sqlite.org/pragma.html#pragma_query_only>. The flag also refuses writes to temporary tables. In the
    /// closure, `PRAGMA query_only = 0` throws `SQLITE_READONLY`.
    ///
    /// - Throws: The error thrown by the closure; `SQLITE_MISUSE` outside of a database access.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        try checkAccess()
        beginReadOnly()
        defer { endReadOnly() }
        return try value()
    }

    package func beginReadOnly() {
        if access.readOnlyDepth == 0, let sqliteConnection {
            access.wasQueryOnly = amalgam_set_query_only(sqliteConnection, 1) != 0
        }
        access.readOnlyDepth += 1
    }

    package func endReadOnly() {
        access.readOnlyDepth -= 1
        if access.readOnlyDepth == 0, sqliteConnection != nil {
            amalgam_set_query_only(sqliteConnection, access.wasQueryOnly ? 1 : 0)
        }
    }

    /// Runs a closure that SQLite calls inside of a statement. Writes in the closure throw `SQLITE_READONLY`.
    package func refusingWrites<T>(_ body: () throws -> T) rethrows -> T {
        let wasQueryOnly = amalgam_set_query_only(sqliteConnection, 1)
        access.writeRefusalDepth += 1
        defer {
            access.writeRefusalDepth -= 1
            amalgam_set_query_only(sqliteConnection, wasQueryOnly)
        }
        return try body()
    }

    /// Whether the connection is read-only, or runs a closure of ``readOnly(_:)``.
    package var isReadOnlyAccess: Bool { configuration.readonly && !access.isBeingFilled || access.readOnlyDepth > 0 }

    /// The date of the transaction: one instant for the whole transaction, from `Configuration.transactionClock`.
    /// Outside of a transaction, the current date of that clock.
    ///
    /// ```swift
    /// try db.execute(sql: "INSERT INTO note (text, date) VALUES (?, ?)", arguments: ["Hello", db.transactionDate])
    /// ```
    ///
    /// - Throws: The error of the clock.
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

    /// Runs a closure in the open transaction, and throws if this transaction isn't open afterwards, because statements
    /// of the closure have ended it. They may also have begun another transaction, which the caller must not take for
    /// its own.
    ///
    /// - Throws: The error of the closure; `SQLITE_ABORT` if the transaction has ended.
    package func requiringTransaction<T>(_ body: () throws -> T) throws -> T {
        let broker = observation.broker
        let before = (broker.transactionEndCount, broker.endHookCount)
        let result = try body()
        guard isInsideTransaction, before == (broker.transactionEndCount, broker.endHookCount) else {
            throw transaction.abortCause
                ?? DatabaseError(
                    resultCode: .SQLITE_ABORT, message: "The transaction was ended by a statement inside of it")
        }
        return result
    }
}
