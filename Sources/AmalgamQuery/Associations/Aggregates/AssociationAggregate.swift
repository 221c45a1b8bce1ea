public import AmalgamCore

/// A value computed from the rows of an association, such as their number or a maximum.
///
/// ```swift
/// Team.annotated(with: Team.players.count, Team.players.max(\.score))
/// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "playerCount", MAX("player"."score") AS "maxPlayerScore"
/// // FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
/// // GROUP BY "team"."id"
///
/// Team.having(Team.players.count >= 2)
/// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
/// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") >= 2
/// ```
///
/// Associations with the same key are joined once, so their aggregates are computed from the same rows. To aggregate
/// different rows in one request, give the associations different keys:
///
/// ```swift
/// let best = Team.players.filter { $0.score > 1000 }.forKey("bestPlayers")
/// Team.annotated(with: Team.players.count, best.count)   // playerCount, bestPlayerCount
/// ```
///
/// If a request aggregates a second to-many association, such as the coaches of a team, the joins repeat each player
/// for each coach of the team. This changes sums and totals. It also changes averages if some rows are repeated more
/// often than others. Counts, minima and maxima don't change.
public struct AssociationAggregate<RowDecoder>: Sendable {
    /// The associations whose rows the aggregate uses.
    let joins: [Join]

    let expression: SQLExpression

    /// The name of the result column, if any.
    var key: String?

    /// Names the result column.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.count.forKey("size"))
    /// // SELECT "team".*, COUNT(DISTINCT "player"."id") AS "size" FROM …
    /// ```
    public func forKey(_ key: String) -> AssociationAggregate<RowDecoder> {
        var aggregate = self
        aggregate.key = key
        return aggregate
    }

    /// Names the result column after a coding key.
    public func forKey(_ key: some CodingKey) -> AssociationAggregate<RowDecoder> { forKey(key.stringValue) }
}

extension AssociationAggregate {
    /// Returns an unnamed aggregate of the same rows, with the transformed expression.
    func map(_ transform: (SQLExpression) -> SQLExpression) -> AssociationAggregate {
        AssociationAggregate(joins: joins, expression: transform(expression))
    }

    /// Returns an unnamed aggregate of the rows of both aggregates, with the combined expression.
    func combined(
        _ other: AssociationAggregate, _ transform: (SQLExpression, SQLExpression) -> SQLExpression
    ) -> AssociationAggregate {
        AssociationAggregate(joins: joins + other.joins, expression: transform(expression, other.expression))
    }
}

// MARK: - Aggregates of an association

extension AssociationToMany {
    /// The number of associated rows: `COUNT(DISTINCT "player"."id")`, named `playerCount`.
    ///
    /// ```swift
    /// Team.having(Team.players.count >= 2)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") >= 2
    /// ```
    public var count: AssociationAggregate<OriginRowDecoder> {
        aggregate(named: _path.target.key.singular + "Count") { RowCountNode(alias: $0) }
    }

    /// Whether a row has no associated rows: `COUNT(DISTINCT "player"."id") = 0`, named `hasNoPlayer`.
    ///
    /// ```swift
    /// Team.having(Team.players.isEmpty)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") = 0
    /// ```
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        aggregate(named: "hasNo" + _path.target.key.singular.capitalizedFirst) {
            EmptinessNode(count: RowCountNode(alias: $0), isEmpty: true)
        }
    }

    /// Returns the average of an expression over the associated rows: `AVG("player"."score")`, named
    /// `averagePlayerScore`.
    public func average(_ expression: some SQLNumericOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, expression.averageOperand, { AmalgamQuery.average($0) }) {
            "average" + $0.capitalizedFirst + $1
        }
    }

    /// Returns the maximum of an expression over the associated rows: `MAX("player"."score")`, named `maxPlayerScore`.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.max(Column("score")))
    /// // SELECT "team".*, MAX("player"."score") AS "maxPlayerScore" FROM …
    /// ```
    public func max(_ expression: some SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, expression.orderOperand, { AmalgamQuery.max($0) }) {
            "max" + $0.capitalizedFirst + $1
        }
    }

    /// Returns the minimum of an expression over the associated rows: `MIN("player"."score")`, named `minPlayerScore`.
    public func min(_ expression: some SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, expression.orderOperand, { AmalgamQuery.min($0) }) {
            "min" + $0.capitalizedFirst + $1
        }
    }

    /// Returns the sum of an expression over the associated rows: `SUM("player"."score")`, named `playerScoreSum`. The
    /// sum is NULL if there are no associated rows.
    public func sum(_ expression: some SQLNumericOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, expression.sumOperand, { AmalgamQuery.sum($0) }) { $0 + $1 + "Sum" }
    }

    /// Returns the sum of an expression over the associated rows: `TOTAL("player"."score")`, named `playerScoreSum`.
    /// The sum is 0.0 if there are no associated rows.
    public func total(_ expression: some SQLNumericOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: expression, expression.sumOperand, { AmalgamQuery.total($0) }) { $0 + $1 + "Sum" }
    }

    /// Returns the sum of the numbers of a column with a representation: `SUM("sale"."price")`, named `salePriceSum`. The
    /// sum is NULL if there are no associated rows.
    public func sum(_ column: TypedColumn<some _RepresentedValue>) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(of: column, column.addend, { AmalgamQuery.sum($0) }) { $0 + $1 + "Sum" }
    }

    /// Returns the exact sum of decimals: `decimal_sum("sale"."price")`, named `salePriceSum`. The sum is NULL if there are
    /// no associated rows.
    public func sum(_ column: TypedColumn<some SQLDecimalValue>) -> AssociationAggregate<OriginRowDecoder> {
        // A row without associated rows has a NULL, whose sum would be 0.
        let sum = SQLExpression(node: AmalgamQuery.sum(column.optional).node)
        return aggregate(of: column, sum, { $0 }) { $0 + $1 + "Sum" }
    }

    private func aggregate(
        named key: String?, _ node: (TableAliasBase) -> any SQLNode
    ) -> AssociationAggregate<OriginRowDecoder> {
        let alias = TableAlias<Void>(anonymous: nil)
        var path = _path
        path.target.relation.alias(alias)
        return AssociationAggregate(
            joins: [path.join(.optional, isIncluded: false)], expression: SQLExpression(node: node(alias)), key: key)
    }

    /// - Parameters:
    ///   - expression: the expression.
    ///   - operand: the expression as an operand of the function.
    ///   - function: the function.
    ///   - name: returns the name of the result column, from the names of the association and of the column.
    private func aggregate(
        of expression: some SQLOperand, _ operand: SQLExpression, _ function: (SQLExpression) -> SQLExpression,
        _ name: (String, String) -> String
    ) -> AssociationAggregate<OriginRowDecoder> {
        let typed = expression as? any FormattedOperand
        let column = (typed?.columnNode ?? expression.sqlExpression.node) as? ColumnNode
        let key = column.map { name(_path.target.key.singular, $0.name.capitalizedFirst) }
        return aggregate(named: key) { alias in
            let result = function(alias[operand])
            return (typed?.carryingFormat(result) ?? result).node
        }
    }
}

extension AssociationToMany where RowDecoder: TableRecord {
    /// The type of the value that closures receive, to find the columns of the associated record.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns the average of an expression over the associated rows. The closure receives the columns of the
    /// associated record.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.average(\.score))
    /// // SELECT "team".*, AVG("player"."score") AS "averagePlayerScore" FROM …
    /// ```
    public func average(
        _ expression: (DatabaseComponents) throws -> some SQLNumericOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try average(expression(RowDecoder.databaseComponents))
    }

    /// Returns the maximum of an expression over the associated rows. The closure receives the columns of the
    /// associated record.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.max(\.score))
    /// // SELECT "team".*, MAX("player"."score") AS "maxPlayerScore" FROM …
    /// ```
    public func max(
        _ expression: (DatabaseComponents) throws -> some SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try max(expression(RowDecoder.databaseComponents))
    }

    /// Returns the minimum of an expression over the associated rows. The closure receives the columns of the
    /// associated record.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.min(\.score))
    /// // SELECT "team".*, MIN("player"."score") AS "minPlayerScore" FROM …
    /// ```
    public func min(
        _ expression: (DatabaseComponents) throws -> some SQLOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try min(expression(RowDecoder.databaseComponents))
    }

    /// Returns the sum of an expression over the associated rows, or NULL without associated rows. The closure receives
    /// the columns of the associated record.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.sum(\.score))
    /// // SELECT "team".*, SUM("player"."score") AS "playerScoreSum" FROM …
    /// ```
    public func sum(
        _ expression: (DatabaseComponents) throws -> some SQLNumericOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// Returns the sum of the numbers of a column with a representation, or NULL without associated rows. The closure
    /// receives the columns of the associated record.
    public func sum(
        _ column: (DatabaseComponents) throws -> TypedColumn<some _RepresentedValue>
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(column(RowDecoder.databaseComponents))
    }

    /// Returns the exact sum of the decimals of a column, or NULL without associated rows. The closure receives the columns
    /// of the associated record.
    public func sum(
        _ column: (DatabaseComponents) throws -> TypedColumn<some SQLDecimalValue>
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(column(RowDecoder.databaseComponents))
    }

    // The compiler uses this overload for other columns, because its error message is short.
    @available(*, unavailable, message: "the values of the column aren't numbers")
    @_disfavoredOverload
    public func sum(
        _ column: (DatabaseComponents) throws -> TypedColumn<some Any>
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(column(RowDecoder.databaseComponents).sqlExpression)
    }

    /// Returns the sum of an expression over the associated rows, or 0.0 without associated rows. The closure receives
    /// the columns of the associated record.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.total(\.score))
    /// // SELECT "team".*, TOTAL("player"."score") AS "playerScoreSum" FROM …
    /// ```
    public func total(
        _ expression: (DatabaseComponents) throws -> some SQLNumericOperand
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try total(expression(RowDecoder.databaseComponents))
    }
}

extension String {
    /// The string with its first letter in upper case.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
