public import AmalgamCore
import Dispatch

/// Reads that begin inside of a write, and go on while the write does.
extension DatabasePool {
    /// Reads the last committed state, from inside a write access, while the write goes on.
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
    /// The method returns once the reader sees the state. It waits for a reader when all are in use, except while a read
    /// waits for this write: an additional reader is opened then.
    ///
    /// From inside a barrier, the closure receives `SQLITE_MISUSE`: no read runs next to a barrier.
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

    /// Acquires the last committed state with an acquired reader, and continues the read on another thread.
    ///
    /// - throws: when the state cannot be had. The reader is given back.
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
