public import AmalgamCore

/// A request that can be executed. A request creates a statement, and defines the type that its rows are decoded as.
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

    /// Returns the prepared statement with its arguments, and the adapter of its rows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - singleResult: whether the caller fetches one row only, so that the request may use `LIMIT 1`.
    /// - Throws: a ``DatabaseError`` if the request doesn't fit the schema, or if the statement doesn't compile.
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest

    /// Returns the number of rows. The default implementation counts the rows of ``SQLSubqueryable/sqlSubquery``:
    /// `SELECT COUNT(*) FROM (SELECT …)`.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score > 10 }.fetchCount(db)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    public func fetchCount(_ db: Database) throws -> Int { try countRows(db) }
}

/// A prepared statement that is ready to run, and the adapter of its rows.
///
/// ```swift
/// let request = try Player.filter { $0.score > 10 }.makePreparedRequest(db)
/// print(request.statement.sql)   // SELECT * FROM "player" WHERE "score" > ?
/// ```
public struct PreparedRequest {
    /// The prepared statement, with its arguments.
    public var statement: Statement

    /// The adapter applied to the fetched rows, if any.
    public var adapter: (any RowAdapter)?

    /// Fetches the rows of to-many associations, for the given rows of the statement. Nil if the request includes none.
    package var prefetch: ((Database, [Row]) throws -> Void)?

    /// The rows that the statement reads, such as the row with `id = 1`. Nil if the statement may read any row, and
    /// while no observation records the reads of the connection.
    var knownRows: RequestedRows?

    /// Creates a prepared request. A type that conforms to ``FetchRequest`` returns it from `makePreparedRequest`. In
    /// this example, the adapter removes the column `id` from the fetched rows:
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
    ///   - statement: a statement of the connection that runs the request, with its arguments.
    ///   - adapter: the adapter applied to the fetched rows, if any.
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
    /// Returns the region that the request reads.
    ///
    /// ```swift
    /// let request: SQLRequest<Row> = "SELECT name FROM player"
    /// try request.databaseRegion(db).description   // "player(name)"
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` if the statement doesn't compile.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db, forSingleResult: false).statement.databaseRegion
    }
}

extension FetchRequest {
    /// Applies a row adapter to the fetched rows. When the request runs, it calls the closure with a connection.
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

/// A request that applies a row adapter to its rows.
///
/// ```swift
/// let request = SQLRequest<Row>(sql: "SELECT 1, 'Anna' AS name").adapted { _ in SuffixRowAdapter(fromIndex: 1) }
/// let row = try request.fetchOne(db)   // [name:"Anna"]
/// ```
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

/// A type-erased request.
///
/// ```swift
/// let request = AnyFetchRequest(Player.filter { $0.score > 10 })
/// ```
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
    let base: any FetchRequest

    /// Erases the type of a request.
    ///
    /// ```swift
    /// let request: AnyFetchRequest<Player> = AnyFetchRequest(SQLRequest<Player>(sql: "SELECT * FROM player"))
    /// ```
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

    /// Returns the same request, with rows decoded as the given type.
    ///
    /// ```swift
    /// let rows = try AnyFetchRequest(Player.all()).asRequest(of: Row.self).fetchAll(db)   // [Row]
    /// ```
    public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> { AnyFetchRequest<T>(base: base) }
}

/// Applies two adapters in sequence.
private struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func _layout(_ base: RowLayout) throws -> RowLayout { try second._layout(first._layout(base)) }
}
