public import AmalgamCore

/// Reads of a pool. A read goes from here to `ReaderPool`, which acquires a reader and runs the closure on its connection.
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
    /// The connection, or the error of a closed one.
    init(accessTo db: Database) {
        self = db.isClosed ? .failure(Database.connectionIsClosed) : .success(db)
    }

    /// Reads one state of the database, and gives it to a closure, which is called once.
    func isolatedRead(_ value: (Result<Database, any Error>) -> Void) {
        var wasCalled = false
        do {
            try get().isolatedRead { db in
                wasCalled = true
                value(.success(db))
            }
        } catch {
            // The closure has run: it does not receive an error at the end of the transaction.
            if !wasCalled { value(.failure(error)) }
        }
    }
}
