public import AmalgamCore

/// A request made of SQL.
///
/// ```swift
/// let minimum = 10
/// let request: SQLRequest<Player> = "SELECT * FROM player WHERE score >= \(minimum)"
/// let players = try request.fetchAll(db)
/// ```
///
/// A request is an expression as well, `(SELECT …)`, and goes into other requests:
///
/// ```swift
/// let highest: SQLRequest<Int> = "SELECT MAX(score) FROM player"
/// Player.filter { $0.score == highest }
/// // SELECT * FROM "player" WHERE "score" = (SELECT MAX(score) FROM player)
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
    /// What changes the rows; nil for nothing.
    public var adapter: (any RowAdapter)?

    private let sqlLiteral: SQL
    private let isCached: Bool

    /// A request made of plain SQL, and the arguments of its parameters.
    ///
    /// ```swift
    /// let request = SQLRequest<Player>(sql: "SELECT * FROM player WHERE score >= ?", arguments: [10])
    /// ```
    ///
    /// - Parameters:
    ///   - adapter: what changes the rows.
    ///   - cached: whether the connection keeps the statement, for as long as it lives if need be.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// A request made of an SQL literal.
    ///
    /// - Parameters:
    ///   - adapter: what changes the rows.
    ///   - cached: whether the connection keeps the statement, for as long as it lives if need be.
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

    /// The number of rows: `SELECT COUNT(*) FROM (SELECT …)`.
    public func fetchCount(_ db: Database) throws -> Int { try countRows(db) }
}

extension SQLRequest where RowDecoder == Row {
    /// A request of rows, made of plain SQL, and the arguments of its parameters.
    ///
    /// ```swift
    /// let rows = try SQLRequest(sql: "SELECT * FROM player WHERE score >= ?", arguments: [10]).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - adapter: what changes the rows.
    ///   - cached: whether the connection keeps the statement, for as long as it lives if need be.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(SQL(sql: sql, arguments: arguments), adapter, isCached: cached)
    }

    /// A request of rows, made of an SQL literal.
    ///
    /// - Parameters:
    ///   - adapter: what changes the rows.
    ///   - cached: whether the connection keeps the statement, for as long as it lives if need be.
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
    /// The number of rows of the statement, whatever it is.
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

    /// A request made of plain SQL.
    public init(stringLiteral: String) { self.init(sql: stringLiteral) }

    /// A request made of SQL. Interpolated values are its arguments.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: SQL(stringInterpolation: sqlInterpolation))
    }
}
