public import AmalgamCore

/// A type-erased database reader.
///
/// ```swift
/// let reader = AnyDatabaseReader(dbPool)
/// let count = try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")! }
/// ```
public final class AnyDatabaseReader: DatabaseReader {
    let base: any DatabaseReader

    /// Creates a reader that forwards all accesses to a wrapped reader.
    public init(_ base: any DatabaseReader) {
        self.base = base
    }

    public var configuration: Configuration { base.configuration }

    public var path: String { base.path }

    public var _wrappedReader: any DatabaseReader { base }

    public var taskExecutor: any TaskExecutor { base.taskExecutor }

    public func close() throws { try base.close() }

    public func interrupt() { base.interrupt() }

    public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.read(value)
    }

    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncRead(value)
    }

    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }

    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.unsafeRead(value)
    }

    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncUnsafeRead(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try base.unsafeReentrantRead(value)
    }
}
