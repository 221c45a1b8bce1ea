public import AmalgamCore
import Dispatch

/// Reads that start inside a write, and run concurrently with it.
extension DatabasePool {
    /// Reads the last commit concurrently with the write access that calls this method.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     dbPool.asyncConcurrentRead { result in
    ///         let count = try? Int.fetchOne(result.get(), sql: "SELECT COUNT(*) FROM player")   // 0
    ///     }
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
    /// }
    /// ```
    ///
    /// The method returns when the reader has acquired its snapshot. If all readers are in use, the method waits for
    /// one of them. If one of the running reads waits for this write, the pool opens an additional reader instead.
    ///
    /// Inside `barrierWriteWithoutTransaction`, no concurrent read may begin: the closure receives `SQLITE_MISUSE`.
    ///
    /// - Precondition: called from a write access of this pool, outside of a transaction.
    public func asyncConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        require(writer.isCurrent, "asyncConcurrentRead must be called from a write access")
        writer.reentrantSync { db in
            require(!db.isInsideTransaction, "must not be called from inside a transaction.")
        }
        if readers.isInsideBarrier { return value(.failure(Self.readBesideBarrier)) }
        do {
            try spawnRead(on: readers.acquire(isInsideWrite: true)) { value(.success($0)) }
        } catch {
            value(.failure(error))
        }
    }

    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncConcurrentRead(value)
    }

    private static var readBesideBarrier: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "A barrier lets no concurrent read begin. Read inside of the barrier, or after it.")
    }

    /// Opens a transaction on the last commit with an acquired reader, and schedules a closure on the reader's queue.
    ///
    /// - Throws: errors of opening the transaction. In this case, the reader is released.
    func spawnRead(on reader: Reader, _ value: @escaping @Sendable (Database) -> Void) throws {
        do {
            try reader.use(keepsTransaction: true) { db in
                db.beginReadOnly()
                try db.beginSnapshotTransaction()
            }
        } catch {
            reader.use { $0.endReadOnly() }
            readers.release(reader)
            throw error
        }
        reader.queue.async { [self] in
            reader.use { db in
                value(db)
                try? db.rollback()
                db.endReadOnly()
            }
            readers.release(reader)
        }
    }
}
