public import AmalgamCore

/// Reads of a pool. `ReaderPool` acquires a reader, and runs the closure on its connection.
extension DatabasePool {
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.checkNotReading()
        return try readers.sync(isInsideWrite: writer.isCurrent) { try $0.isolatedRead(value) }
    }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform { try $0.isolatedRead(value) }
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async { [self] result in
            withExtendedLifetime(self) { result.isolatedRead(value) }
        }
    }

    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try readers.checkNotReading()
        return try readers.sync(isInsideWrite: writer.isCurrent, value)
    }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await readers.perform(value)
    }

    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        readers.async { [self] result in
            withExtendedLifetime(self) { value(result) }
        }
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if writer.isInnermost { return try writer.reentrantSync(value) }
        if let db = readers.currentReader() { return try value(db) }
        return try readers.sync(value)
    }
}

extension Result<Database, any Error> {
    /// The connection, or `SQLITE_MISUSE` if it is closed.
    init(accessTo db: Database) {
        self = db.isClosed ? .failure(Database.connectionIsClosed) : .success(db)
    }

    /// Calls a closure exactly once, in a read transaction, or with the error that prevents the read.
    func isolatedRead(_ value: (Result<Database, any Error>) -> Void) {
        var wasCalled = false
        do {
            try get().isolatedRead { db in
                wasCalled = true
                value(.success(db))
            }
        } catch {
            // The closure has already run, so it doesn't receive an error that the end of the transaction throws.
            if !wasCalled { value(.failure(error)) }
        }
    }
}
