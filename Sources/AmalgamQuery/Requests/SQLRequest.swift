public import AmalgamCore

/// A request written in SQL.
///
/// ```swift
/// let minimum = 10
/// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score >= \(minimum)"
/// let players = try request.fetchAll(db)
/// ```
///
/// A request is also an expression, `(SELECT …)`, and can be used in other requests:
///
/// ```swift
/// let highest: SQLRequest<Int> = "SELECT MAX(score) FROM player"
/// Player.filter { $0.score == highest }
/// // SELECT * FROM "player" WHERE "score" = (SELECT MAX(score) FROM player)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
    /// The adapter applied to the fetched rows, if any.
    public var adapter: (any RowAdapter)?

    private let sqlLiteral: SQL
    private let isCached: Bool

    /// Creates a request from SQL and the arguments of its parameters.
    ///
    /// ```swift
    /// let request = SQLRequest<Player>(sql: "SELECT * FROM player WHERE score >= ?", arguments: [10])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: a SELECT statement.
    ///   - arguments: the arguments of the statement's parameters.
    ///   - adapter: the adapter applied to the fetched rows, if any.
    ///   - cached: whether `fetchCursor` and `makePreparedRequest` use a statement that the connection caches. For
    ///     `fetchAll`, `fetchSet` and `fetchOne`, the connection always caches the statements of repeated SQL.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// Creates a request from an `SQL` literal.
    ///
    /// ```swift
    /// let minimum = 10
    /// let request = SQLRequest<Player>(literal: "SELECT * FROM player WHERE score >= \(minimum)")
    /// ```
    ///
    /// - Parameters:
    ///   - sqlLiteral: a SELECT statement.
    ///   - adapter: the adapter applied to the fetched rows, if any.
    ///   - cached: whether `fetchCursor` and `makePreparedRequest` use a statement that the connection caches. For
    ///     `fetchAll`, `fetchSet` and `fetchOne`, the connection always caches the statements of repeated SQL.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }

    private init(_ sqlLiteral: SQL, _ adapter: (any RowAdapter)?, isCached: Bool) {
        self.sqlLiteral = sqlLiteral
        self.adapter = adapter
        self.isCached = isCached
    }

    public var sqlSubquery: SQLSubquery { SQLSubquery(sqlLiteral) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        let (sql, arguments) = try sqlLiteral.build(db)
        let statement = try isCached ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        try statement.setArguments(arguments)
        return PreparedRequest(statement: statement, adapter: adapter)
    }

    /// Returns the number of rows, with `SELECT COUNT(*) FROM (SELECT …)`.
    ///
    /// ```swift
    /// let count = try SQLRequest(sql: "SELECT * FROM player WHERE score >= 10").fetchCount(db)
    /// // SELECT COUNT(*) FROM (SELECT * FROM player WHERE score >= 10)
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCount(_ db: Database) throws -> Int { try countRows(db) }
}

extension SQLRequest where RowDecoder == Row {
    /// Creates a request from SQL and the arguments of its parameters. The request decodes its rows as `Row`.
    ///
    /// ```swift
    /// let rows = try SQLRequest(sql: "SELECT * FROM player WHERE score >= ?", arguments: [10]).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - sql: a SELECT statement.
    ///   - arguments: the arguments of the statement's parameters.
    ///   - adapter: the adapter applied to the fetched rows, if any.
    ///   - cached: whether `fetchCursor` and `makePreparedRequest` use a statement that the connection caches. For
    ///     `fetchAll`, `fetchSet` and `fetchOne`, the connection always caches the statements of repeated SQL.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// Creates a request from an `SQL` literal. The request decodes its rows as `Row`.
    ///
    /// ```swift
    /// let rows = try SQLRequest(literal: "SELECT * FROM player WHERE score >= \(10)").fetchAll(db)   // [Row]
    /// ```
    ///
    /// - Parameters:
    ///   - sqlLiteral: a SELECT statement.
    ///   - adapter: the adapter applied to the fetched rows, if any.
    ///   - cached: whether `fetchCursor` and `makePreparedRequest` use a statement that the connection caches. For
    ///     `fetchAll`, `fetchSet` and `fetchOne`, the connection always caches the statements of repeated SQL.
    public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.init(sqlLiteral, adapter, isCached: cached)
    }
}

extension SQLRequest: PlannedRequest {
    func plan(_ db: Database, forSingleResult singleResult: Bool) throws -> RequestPlan {
        let (sql, arguments) = try sqlLiteral.build(db)
        return RequestPlan(sql: sql, arguments: arguments, adapter: adapter)
    }
}

extension FetchRequest {
    /// Counts the rows of the statement with a subquery.
    func countRows(_ db: Database) throws -> Int {
        try SQLRequest<Int>(
            "SELECT COUNT(*) FROM \(SQLExpression(node: ParenthesisedSubquery(subquery: sqlSubquery.node)))"
        )
        .fetchOne(db) ?? 0
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    public init(unicodeScalarLiteral: String) { self.init(sql: unicodeScalarLiteral) }

    public init(extendedGraphemeClusterLiteral: String) { self.init(sql: extendedGraphemeClusterLiteral) }

    /// Creates a request from a string literal.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    /// Creates a request from an interpolated string. The interpolated values become arguments of the statement.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: SQL(stringInterpolation: sqlInterpolation))
    }
}
