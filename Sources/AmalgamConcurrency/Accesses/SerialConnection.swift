import AmalgamCore
import Dispatch

/// A connection used by one access at a time, in the order in which accesses are asked for.
///
/// Accesses run on a serial queue. The one that runs owns the connection, under the identity of its thread: an
/// access asked for from inside another one is recognised, and so is a connection used outside of its access.
final class SerialConnection: @unchecked Sendable {
    // Sendable: `db` is used inside of accesses only, and these run one after the other.
    private let db: Database
    private let queue: DispatchQueue
    private let executor: QueueExecutor

    let configuration: Configuration
    let path: String

    init(
        path: String, label: String, purpose: String? = nil, configuration: Configuration, isURI: Bool = false,
        content: ((Database) throws -> Void)? = nil
    ) throws {
        let name = [configuration.label ?? label, purpose].compactMap(\.self).joined(separator: ".")
        db = try Database(
            path: path, description: name, configuration: configuration, isURI: isURI, content: content)
        db.release()
        self.path = path
        self.configuration = db.configuration
        let target =
            configuration.readonly
            ? configuration.targetQueue : configuration.writeTargetQueue ?? configuration.targetQueue
        queue = DispatchQueue(label: name, qos: target == nil ? configuration.qos : .unspecified, target: target)
        executor = QueueExecutor(queue)
    }

    deinit {
        // Nobody can be inside an access: accesses retain the connection.
        db.claim()
        db.close()
        db.release()
    }

    /// What stops the statements of another thread.
    var remote: RemoteControl { db.remote }

    /// Whether the current thread is inside an access.
    var isCurrent: Bool { db.isAccessible }

    /// Runs an access, and waits for its result. From inside an access of the same connection it traps, or throws
    /// when it can.
    func sync<T>(_ access: (Database) throws -> T) rethrows -> T {
        precondition(!isCurrent, reentrancy)
        return try queue.sync { try run(access) }
    }

    /// Runs an access, and waits for its result.
    ///
    /// - throws: `SQLITE_MISUSE` from inside an access of the same connection.
    func throwingSync<T>(_ access: (Database) throws -> T) throws -> T {
        if isCurrent { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: reentrancy) }
        return try queue.sync { try throwingRun(access) }
    }

    /// Runs an access, also from inside another one of the same connection.
    func reentrantSync<T>(_ access: (Database) throws -> T) rethrows -> T {
        if isCurrent { return try access(db) }
        return try queue.sync { try run(access) }
    }

    /// Schedules an access.
    func async(_ access: @escaping @Sendable (Database) -> Void) {
        queue.async { self.run(access) }
    }

    /// Runs an access without blocking a thread. The cancellation of the task ends it.
    func perform<T: Sendable>(_ access: @Sendable (Database) throws -> T) async throws -> T {
        try await withCancellableAccess { cancellation in
            try await executor.run { try self.throwingRun { try cancellation.run($0, access) } }
        }
    }

    private func run<T>(_ access: (Database) throws -> T) rethrows -> T {
        db.claim()
        defer { db.release() }
        let wasInsideTransaction = db.isInsideTransaction
        do {
            let result = try access(db)
            precondition(!db.hasLeftTransactionOpen(wasInsideTransaction), transactionLeftOpen)
            return result
        } catch {
            if db.hasLeftTransactionOpen(wasInsideTransaction) { try? db.rollback() }
            throw error
        }
    }

    /// Runs an access that can throw: a transaction left open is rolled back, and reported.
    private func throwingRun<T>(_ access: (Database) throws -> T) throws -> T {
        try run { db in
            let wasInsideTransaction = db.isInsideTransaction
            let result = try access(db)
            if db.hasLeftTransactionOpen(wasInsideTransaction) {
                try db.rollback()
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: transactionLeftOpen)
            }
            return result
        }
    }

    /// Ends the connection, and throws when statements are still in use.
    func close() throws {
        try reentrantSync { try $0.closeOrThrow() }
    }
}

let reentrancy = "Database methods are not reentrant."

let transactionLeftOpen = "A transaction has been left opened at the end of a database access"

extension Database {
    /// A transaction that outlives its access would swallow the writes of the next ones.
    func hasLeftTransactionOpen(_ wasInsideTransaction: Bool) -> Bool {
        isInsideTransaction && !wasInsideTransaction && !configuration.allowsUnsafeTransactions
    }
}
