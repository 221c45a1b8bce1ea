public import AmalgamCore

/// A request that can be run: it makes a statement, and says how its rows are decoded.
///
/// ```swift
/// let request: some FetchRequest<Player> = Player.filter { $0.score > 10 }
/// let players = try request.fetchAll(db)
/// ```
///
/// See ``QueryInterfaceRequest`` and ``SQLRequest``.
public protocol FetchRequest<RowDecoder>: DatabaseRegionConvertible, SQLSubqueryable {
    /// The type that rows are decoded as: a record, a value, or `Row`.
    associatedtype RowDecoder

    /// The statement, with its arguments, and what changes its rows.
    ///
    /// - Parameter singleResult: whether one row only will be fetched.
    /// - throws: a ``DatabaseError`` when the request does not fit the schema, or does not compile.
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

    /// The number of rows. By default, those of ``SQLSubqueryable/sqlSubquery``: `SELECT COUNT(*) FROM (SELECT …)`.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    public func fetchCount(_ db: Database) throws -> Int { try countRows(db) }
}

/// A statement ready to run, and what changes its rows.
public struct PreparedRequest {
    /// The statement, which has its arguments.
    public var statement: Statement

    /// What changes the rows of the statement: nil for nothing.
    public var adapter: (any RowAdapter)?

    /// What fetches the rows of associations to many, once the rows of the statement are there; nil for nothing.
    package var prefetch: ((Database, [Row]) throws -> Void)?

    /// The rows that the statement reads, when somebody wants to know and when they are known.
    var knownRows: RequestedRows?

    /// A statement ready to run, for requests of your own.
    ///
    /// ```swift
    /// struct PlayerNames: FetchRequest {
    ///     typealias RowDecoder = String
    ///
    ///     var sqlSubquery: SQLSubquery { SQLRequest<String>(sql: "SELECT name FROM player").sqlSubquery }
    ///
    ///     func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
    ///         PreparedRequest(statement: try db.cachedStatement(sql: "SELECT id, name FROM player"),
    ///                         adapter: SuffixRowAdapter(fromIndex: 1))
    ///     }
    /// }
    ///
    /// let names = try PlayerNames().fetchAll(db)  // [String]
    /// ```
    ///
    /// - Parameters:
    ///   - statement: a statement of this connection, which has its arguments.
    ///   - adapter: what changes its rows; nil for nothing.
    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.init(statement: statement, adapter: adapter, prefetch: nil)
    }

    init(statement: Statement, adapter: (any RowAdapter)? = nil, prefetch: ((Database, [Row]) throws -> Void)?) {
        self.statement = statement
        self.adapter = adapter
        self.prefetch = prefetch
    }
}

extension FetchRequest {
    /// What the request reads.
    ///
    /// - throws: a ``DatabaseError`` when the request does not compile.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db, forSingleResult: false).statement.databaseRegion
    }
}

extension FetchRequest {
    /// A request whose rows are changed by an adapter.
    ///
    /// ```swift
    /// let request = SQLRequest<Row>(sql: "SELECT 1, 'Anna' AS name").adapted { _ in SuffixRowAdapter(fromIndex: 1) }
    /// ```
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(self, adapter)
    }
}

/// A request whose rows are changed by an adapter.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    public typealias RowDecoder = Base.RowDecoder

    private let base: Base
    private let adapter: @Sendable (Database) throws -> any RowAdapter

    init(_ base: Base, _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter) {
        self.base = base
        self.adapter = adapter
    }

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        if let baseAdapter = request.adapter {
            request.adapter = ChainedAdapter(first: baseAdapter, second: try adapter(db))
        } else {
            request.adapter = try adapter(db)
        }
        return request
    }

    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }
}

/// Any request that decodes its rows as one type.
///
/// ```swift
/// let request = AnyFetchRequest(Player.filter { $0.score > 10 })
/// ```
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    let base: any FetchRequest

    /// Wraps a request.
    public init(_ request: some FetchRequest<RowDecoder>) {
        base = request
    }

    private init(base: any FetchRequest) {
        self.base = base
    }

    public var sqlSubquery: SQLSubquery { base.sqlSubquery }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try base.makePreparedRequest(db, forSingleResult: singleResult)
    }

    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try base.databaseRegion(db) }

    /// The same request, whose rows are decoded as another type.
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> { AnyFetchRequest<T>(base: base) }
}

/// An adapter of adapted rows.
private struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func _layout(_ base: RowLayout) throws -> RowLayout { try second._layout(first._layout(base)) }
}
