public import AmalgamCore

/// The common protocol of requests and associations.
///
/// A method in an extension of this protocol is available on requests and on associations:
///
/// ```swift
/// extension DerivableRequest<Player> {
///     func best() -> Self {
///         filter { $0.score > 1000 }.order(\.score.desc)
///     }
/// }
/// ```
///
/// The request `Player.all()` and the association `Team.players` then have the method:
///
/// ```swift
/// Player.all().best()
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "score" DESC
/// Team.including(required: Team.players.best())
/// // SELECT "team".*, "player".* FROM "team"
/// // JOIN "player" ON ("player"."teamId" = "team"."id") AND ("player"."score" > 1000)
/// // ORDER BY "player"."score" DESC
/// ```
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest, JoinableRequest, OrderedRequest,
    SelectionRequest, TableRequest
{
    /// The tables, columns and clauses of the request.
    var _relation: _Relation { get set }
}

extension DerivableRequest {
    /// Returns a copy with a changed relation.
    func with(_ change: (inout Relation) -> Void) -> Self {
        var request = self
        change(&request._relation)
        return request
    }

    /// Removes duplicate rows from the result: `SELECT DISTINCT`.
    ///
    /// ```swift
    /// Player.select(\.name).distinct()
    /// // SELECT DISTINCT "name" FROM "player"
    /// ```
    public func distinct() -> Self {
        with { $0.isDistinct = true }
    }

    public var databaseTableName: String { _relation.source.name }
}

// MARK: - Changes of the clauses

extension DerivableRequest {
    public func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.select(.whenConnected { db in try selection(db).map(\.sqlSelection) }) }
    }

    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.annotate(with: .whenConnected { db in try selection(db).map(\.sqlSelection) }) }
    }

    public func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.filter(.whenConnected { db in try predicate(db).conditionExpression }) }
    }

    public func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        with { $0.group(by: .whenConnected { db in try expressions(db).map(\.sqlExpression) }) }
    }

    public func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.filterGroups(.whenConnected { db in try predicate(db).conditionExpression }) }
    }

    public func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        with { $0.ordering = Ordering(.whenConnected { db in try orderings(db).map(\.sqlOrdering) }) }
    }

    public func reversed() -> Self {
        with { $0.ordering.reverse() }
    }

    public func unordered() -> Self {
        with { $0.updateOrderings { $0 = Ordering() } }
    }

    public func withStableOrder() -> Self {
        with { $0.updateOrderings { $0.stabilise() } }
    }

    public func _select(_ selection: [any SQLSelectable]) -> Self {
        with { $0.select(.known(selection.map(\.sqlSelection))) }
    }

    public func _annotated(with selection: [any SQLSelectable]) -> Self {
        with { $0.annotate(with: .known(selection.map(\.sqlSelection))) }
    }

    public func _filter(_ predicate: SQLExpression) -> Self {
        with { $0.filter(.known(predicate)) }
    }

    public func _group(_ expressions: [any SQLExpressible]) -> Self {
        with { $0.group(by: .known(expressions.map(\.sqlExpression))) }
    }

    public func _having(_ predicate: SQLExpression) -> Self {
        with { $0.filterGroups(.known(predicate)) }
    }

    public func _order(_ orderings: [any SQLOrderingTerm]) -> Self {
        with { $0.ordering = Ordering(.known(orderings.map(\.sqlOrdering))) }
    }

    public func _aliased(_ alias: TableAliasBase) -> Self {
        with { $0.alias(alias) }
    }

    public func _joining(_ join: _Join, annotatedWith columns: _JoinedColumns?) -> Self {
        with { relation in
            columns?.selection.forEach { relation.annotate(with: $0) }
            relation.join(join)
        }
    }
}
