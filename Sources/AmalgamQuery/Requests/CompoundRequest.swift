public import AmalgamCore

/// A request that combines the rows of several requests: <https://sqlite.org/lang_select.html#compound>.
///
/// ```swift
/// let names = try Player.select(\.name, as: String.self)
///     .union(Team.select(\.name, as: String.self))
///     .order(Column("name"))
///     .fetchAll(db)
/// // SELECT "name" FROM "player" UNION SELECT "name" FROM "team" ORDER BY "name"
/// ```
///
/// All requests must have the same number of columns. The column names are those of the first request.
///
/// Each of the combined requests is written as a subquery, `SELECT * FROM (SELECT …)`, in these cases:
/// - It is plain SQL.
/// - It has a limit or common table expressions.
/// - It is a compound request. There is one exception: if the first request is a compound request without order and
///   limit, the second request is appended to its SQL. `a.union(b).except(c)` is written `a UNION b EXCEPT c`.
///
/// If a request isn't written as a subquery, its ordering terms aren't written, because they have no effect.
///
/// Requests may include associations with `including(required:)` and `including(optional:)`, if all requests include
/// the same associations:
///
/// ```swift
/// let players = Player.including(optional: Player.team)
/// let request = players.filter { $0.score > 10 }.union(players.filter { $0.name == "Anna" })
/// ```
///
/// Fetching throws `SQLITE_MISUSE` in these cases:
/// - Two requests include different associations, or include the same ones and select different numbers of columns
///   from one of the tables.
/// - A request includes an association with `including(all:)`.
/// - A request has a row adapter. Adapt the rows of the compound request instead.
/// - The first request includes associations and is written as a subquery. SQLite renames duplicate columns of a
///   subquery, for example `id` to `id:1`.
public struct CompoundRequest<RowDecoder>: FetchRequest {
    private var statement: CompoundStatement

    /// The combined requests. Empty if one of them is nested too deeply: then, the statement can't be written.
    private var members: [any FetchRequest]

    fileprivate init(
        _ first: some FetchRequest<RowDecoder>, _ compoundOperator: CompoundStatement.Operator,
        _ second: some FetchRequest<RowDecoder>
    ) {
        let member = CompoundStatement.Member(compoundOperator: compoundOperator, node: second.sqlSubquery.node.member)
        if let compound = first as? CompoundRequest, compound.statement.isOpen {
            statement = compound.statement
            statement.others.append(member)
            members = compound.members + [second]
        } else {
            statement = CompoundStatement(first: first.sqlSubquery.node.member, others: [member])
            members = [first, second]
        }
        if statement.first is TooDeepSubquery || member.node is TooDeepSubquery { members = [] }
    }

    public var sqlSubquery: SQLSubquery { SQLSubquery(statement) }

    public func makePreparedRequest(
        _ db: Database, forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        try prepared(db, forSingleResult: singleResult)
    }

    /// Returns the number of rows, with `SELECT COUNT(*) FROM (SELECT … UNION SELECT …)`.
    ///
    /// ```swift
    /// let names = Player.select(\.name, as: String.self).union(Team.select(\.name, as: String.self))
    /// let count = try names.fetchCount(db)
    /// // SELECT COUNT(*) FROM (SELECT "name" FROM "player" UNION SELECT "name" FROM "team")
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func fetchCount(_ db: Database) throws -> Int { try countRows(db) }
}

extension CompoundRequest: PlannedRequest {
    func plan(_ db: Database, forSingleResult singleResult: Bool) throws -> RequestPlan {
        var statement = statement
        if singleResult && statement.limit?.count != 0 {
            statement.limit = Limit(count: 1, offset: statement.limit?.offset)
        }
        var writer = SQLWriter(db)
        try statement.write(to: &writer)
        _ = try rowParts(db)
        return RequestPlan(sql: writer.sql, arguments: writer.arguments, adapter: try rowAdapter(db))
    }
}

extension CompoundRequest: CompoundMember {
    /// Returns the numbers of columns of the first table and of each included association.
    ///
    /// - Throws: `SQLITE_MISUSE` if the numbers differ between the members, or if the first member includes
    ///   associations and is written as a subquery.
    func rowParts(_ db: Database) throws -> [RowPartSize] {
        guard let first = members.first else { throw TooDeepNode.error }
        let parts = try first.memberParts(db)
        for member in members.dropFirst() where try member.memberParts(db) != parts {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    The requests of a compound request include different associations, or select different numbers of \
                    their columns. Include the same associations in all of them.
                    """)
        }
        if statement.first is WrappedSubquery && !parts.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    The first request of a compound request includes associations, and is a subquery because of a limit, \
                    common table expressions, or an order of several requests. A subquery changes the names of columns: \
                    begin with another request.
                    """)
        }
        return parts
    }

    func rowAdapter(_ db: Database) throws -> (any RowAdapter)? { try members.first?.memberAdapter(db) }
}

extension CompoundRequest {
    /// Sorts the rows by columns of the result. The terms replace those of a previous call.
    ///
    /// ```swift
    /// let names = Player.select(\.name, as: String.self).union(Team.select(\.name, as: String.self))
    /// names.order(Column("name").desc)
    /// // SELECT "name" FROM "player" UNION SELECT "name" FROM "team" ORDER BY "name" DESC
    /// ```
    public func order(_ orderings: any SQLOrderingTerm...) -> CompoundRequest { order(orderings) }

    /// Sorts the rows by an array of columns of the result. The terms replace those of a previous call.
    public func order(_ orderings: [any SQLOrderingTerm]) -> CompoundRequest {
        var request = self
        request.statement.orderings = orderings.map(\.sqlOrdering)
        return request
    }

    /// Limits the number of rows. The limit replaces that of a previous call.
    ///
    /// ```swift
    /// let names = Player.select(\.name, as: String.self).union(Team.select(\.name, as: String.self))
    /// names.limit(10)
    /// // SELECT "name" FROM "player" UNION SELECT "name" FROM "team" LIMIT 10
    /// ```
    ///
    /// - Parameters:
    ///   - limit: the maximum number of rows. A negative number means no limit.
    ///   - offset: the number of rows to skip.
    public func limit(_ limit: Int, offset: Int? = nil) -> CompoundRequest {
        var request = self
        request.statement.limit = Limit(count: limit, offset: offset)
        return request
    }
}

extension FetchRequest {
    /// Returns a request for the rows of both requests, without duplicates: `UNION`.
    ///
    /// ```swift
    /// Player.select(\.name).union(Player.select(\.name))
    /// // SELECT "name" FROM "player" UNION SELECT "name" FROM "player"
    /// ```
    public func union(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        CompoundRequest(self, .union, other)
    }

    /// Returns a request for the rows of both requests, with duplicates: `UNION ALL`.
    ///
    /// ```swift
    /// Player.select(\.name).unionAll(Player.select(\.name))
    /// // SELECT "name" FROM "player" UNION ALL SELECT "name" FROM "player"
    /// ```
    public func unionAll(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        CompoundRequest(self, .unionAll, other)
    }

    /// Returns a request for the rows that both requests have, without duplicates: `INTERSECT`.
    ///
    /// ```swift
    /// Player.filter { $0.score > 10 }.intersect(Player.filter { $0.name == "Anna" })
    /// // SELECT * FROM "player" WHERE "score" > 10 INTERSECT SELECT * FROM "player" WHERE "name" = 'Anna'
    /// ```
    public func intersect(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        CompoundRequest(self, .intersect, other)
    }

    /// Returns a request for the rows of this request that the other request doesn't have, without duplicates:
    /// `EXCEPT`.
    ///
    /// ```swift
    /// Player.all().except(Player.filter { $0.score > 10 })
    /// // SELECT * FROM "player" EXCEPT SELECT * FROM "player" WHERE "score" > 10
    /// ```
    public func except(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        CompoundRequest(self, .except, other)
    }
}

/// `SELECT … UNION SELECT … EXCEPT SELECT …`, from left to right.
private struct CompoundStatement: SubqueryNode {
    enum Operator: String {
        case union = "UNION"
        case unionAll = "UNION ALL"
        case intersect = "INTERSECT"
        case except = "EXCEPT"
    }

    struct Member {
        var compoundOperator: Operator
        var node: any SubqueryNode
    }

    var first: any SubqueryNode
    var others: [Member]
    var orderings: [SQLOrdering] = []
    var limit: Limit?

    /// Whether another member can be appended.
    var isOpen: Bool { orderings.isEmpty && limit == nil }

    var storedDepth: Int? { TooDeepNode.subqueryDepth + (nestedNodes.map(\.depth).max() ?? 0) }

    var nestedNodes: [any SQLNode] { [first] + others.map { $0.node as any SQLNode } + orderings.map(\.node) }

    func write(to writer: inout SQLWriter) throws {
        try writer.checkDepth()
        try first.write(to: &writer)
        for member in others {
            writer.append(" \(member.compoundOperator.rawValue) ")
            try member.node.write(to: &writer)
        }
        try writer.statement { writer in
            if orderings.isEmpty { return }
            writer.append(" ORDER BY ")
            try writer.append(orderings.map(\.node))
        }
        writer.append(limit)
    }
}

/// A member that is written as a subquery: `SELECT * FROM (SELECT …)`.
private struct WrappedSubquery: SubqueryNode {
    private let operand: ParenthesisedSubquery

    init(subquery: any SubqueryNode) {
        operand = ParenthesisedSubquery(subquery: subquery)
    }

    var nestedNodes: [any SQLNode] { [operand] }

    func write(to writer: inout SQLWriter) throws {
        writer.append("SELECT * FROM ")
        try writer.append(operand: operand)
    }

    func columnCount(_ db: Database) throws -> Int { try operand.subquery.columnCount(db) }
}

extension SubqueryNode {
    /// The statement, as a member of a compound statement.
    fileprivate var member: any SubqueryNode {
        switch self {
        case let node as RelationSubquery: node.relation.member
        // Plain SQL may be a compound statement, and may have an order, a limit, or common table expressions.
        case is CompoundStatement, is SQLLiteralSubquery: WrappedSubquery(subquery: self)
        default: self
        }
    }
}

extension Relation {
    fileprivate var member: any SubqueryNode {
        if limit != nil || definesCommonTables { return WrappedSubquery(subquery: RelationSubquery(relation: self)) }
        var relation = self
        relation.updateOrderings { $0 = Ordering() }
        return RelationSubquery(relation: relation)
    }

    private var definesCommonTables: Bool {
        !commonTables.isEmpty || joins.contains { $0.isJoined && $0.relation.definesCommonTables }
    }
}
