public import AmalgamCore

// The operators of expressions, for two aggregates, and for an aggregate and a value on either side.

extension AssociationAggregate {
    /// Negates a condition: `NOT`.
    ///
    /// ```swift
    /// Team.having(!Team.players.isEmpty)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING COUNT(DISTINCT "player"."id") > 0
    /// ```
    public static prefix func ! (aggregate: Self) -> Self { aggregate.map { !$0 } }

    /// Negates a number: `-`.
    public static prefix func - (aggregate: Self) -> Self { aggregate.map { -$0 } }

    /// Replaces NULL with a value: `IFNULL(MAX("player"."score"), 0)`. The result column keeps its name.
    ///
    /// ```swift
    /// Team.annotated(with: Team.players.max(\.score) ?? 0)   // maxPlayerScore
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
        var aggregate = lhs.map { $0 ?? rhs }
        aggregate.key = lhs.key
        return aggregate
    }
}

// MARK: - Equality

extension AssociationAggregate {
    /// Compares two aggregates with `=`.
    ///
    /// ```swift
    /// Team.having(Team.players.min(\.score) == Team.players.max(\.score))
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING MIN("player"."score") = MAX("player"."score")
    /// ```
    public static func == (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 == $1 } }

    /// Compares an aggregate and a value with `=`, or with `IS NULL` if the value is nil.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 == rhs } }

    /// Compares a value and an aggregate with `=`, or with `IS NULL` if the value is nil.
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs == $0 } }

    /// Compares an aggregate with a Boolean: `= 1` or `= 0`. For ``AssociationToMany/isEmpty``, `== true` is written
    /// `COUNT(…) = 0`, and `== false` is written `COUNT(…) > 0`.
    public static func == (lhs: Self, rhs: Bool) -> Self {
        if lhs.expression.node is EmptinessNode { return rhs ? lhs : !lhs }
        return lhs.map { $0 == rhs }
    }

    /// Compares an aggregate with a Boolean: `= 1` or `= 0`.
    public static func == (lhs: Bool, rhs: Self) -> Self { rhs == lhs }

    /// Compares two aggregates with `<>`.
    public static func != (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 != $1 } }

    /// Compares an aggregate and a value with `<>`, or with `IS NOT NULL` if the value is nil.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 != rhs } }

    /// Compares a value and an aggregate with `<>`, or with `IS NOT NULL` if the value is nil.
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs != $0 } }

    /// Compares an aggregate with a Boolean: `<> 1` or `<> 0`.
    public static func != (lhs: Self, rhs: Bool) -> Self {
        if lhs.expression.node is EmptinessNode { return lhs == !rhs }
        return lhs.map { $0 != rhs }
    }

    /// Compares an aggregate with a Boolean: `<> 1` or `<> 0`.
    public static func != (lhs: Bool, rhs: Self) -> Self { rhs != lhs }

    /// Compares two aggregates with `IS`.
    public static func === (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 === $1 } }

    /// Compares an aggregate and a value with `IS`.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 === rhs } }

    /// Compares a value and an aggregate with `IS`.
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs === $0 } }

    /// Compares two aggregates with `IS NOT`.
    public static func !== (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 !== $1 } }

    /// Compares an aggregate and a value with `IS NOT`.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 !== rhs } }

    /// Compares a value and an aggregate with `IS NOT`.
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs !== $0 } }
}

// MARK: - Comparison

extension AssociationAggregate {
    /// Compares two aggregates with `<`.
    ///
    /// ```swift
    /// Team.having(Team.players.min(\.score) < Team.players.average(\.score))
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING MIN("player"."score") < AVG("player"."score")
    /// ```
    public static func < (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 < $1 } }

    /// Compares an aggregate and a value with `<`.
    public static func < (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 < rhs } }

    /// Compares a value and an aggregate with `<`.
    public static func < (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs < $0 } }

    /// Compares two aggregates with `<=`.
    public static func <= (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 <= $1 } }

    /// Compares an aggregate and a value with `<=`.
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 <= rhs } }

    /// Compares a value and an aggregate with `<=`.
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs <= $0 } }

    /// Compares two aggregates with `>`.
    public static func > (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 > $1 } }

    /// Compares an aggregate and a value with `>`.
    public static func > (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 > rhs } }

    /// Compares a value and an aggregate with `>`.
    public static func > (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs > $0 } }

    /// Compares two aggregates with `>=`.
    public static func >= (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 >= $1 } }

    /// Compares an aggregate and a value with `>=`.
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 >= rhs } }

    /// Compares a value and an aggregate with `>=`.
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs >= $0 } }
}

// MARK: - Logic

extension AssociationAggregate {
    /// Combines two conditions with `AND`.
    ///
    /// ```swift
    /// Team.having(Team.players.count >= 2 && Team.players.max(\.score) > 10)
    /// // SELECT "team".* FROM "team" LEFT JOIN "player" ON "player"."teamId" = "team"."id"
    /// // GROUP BY "team"."id" HAVING (COUNT(DISTINCT "player"."id") >= 2) AND (MAX("player"."score") > 10)
    /// ```
    public static func && (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 && $1 } }

    /// Combines two conditions with `AND`.
    public static func && (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 && rhs } }

    /// Combines two conditions with `AND`.
    public static func && (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs && $0 } }

    /// Combines two conditions with `OR`.
    public static func || (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 || $1 } }

    /// Combines two conditions with `OR`.
    public static func || (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 || rhs } }

    /// Combines two conditions with `OR`.
    public static func || (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs || $0 } }
}

// MARK: - Arithmetic

extension AssociationAggregate {
    /// Adds two aggregates: `+`.
    ///
    /// ```swift
    /// Team.annotated(with: (Team.players.min(\.score) + Team.players.max(\.score)).forKey("minPlusMax"))
    /// // SELECT "team".*, MIN("player"."score") + MAX("player"."score") AS "minPlusMax" FROM …
    /// ```
    public static func + (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 + $1 } }

    /// Adds an aggregate and a value: `+`.
    public static func + (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 + rhs } }

    /// Adds an aggregate and a value: `+`.
    public static func + (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs + $0 } }

    /// Subtracts two aggregates: `-`.
    public static func - (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 - $1 } }

    /// Subtracts an aggregate and a value: `-`.
    public static func - (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 - rhs } }

    /// Subtracts a value and an aggregate: `-`.
    public static func - (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs - $0 } }

    /// Multiplies two aggregates: `*`.
    public static func * (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 * $1 } }

    /// Multiplies an aggregate and a value: `*`.
    public static func * (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 * rhs } }

    /// Multiplies an aggregate and a value: `*`.
    public static func * (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs * $0 } }

    /// Divides two aggregates: `/`.
    public static func / (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 / $1 } }

    /// Divides an aggregate and a value: `/`.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 / rhs } }

    /// Divides a value and an aggregate: `/`.
    public static func / (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs / $0 } }
}

// MARK: - Functions

/// Returns the absolute value of an aggregate: `ABS(MAX("player"."score"))`.
///
/// ```swift
/// Team.annotated(with: abs(Team.players.min(\.score)).forKey("lowest"))
/// // SELECT "team".*, ABS(MIN("player"."score")) AS "lowest" FROM …
/// ```
public func abs<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    aggregate.map { abs($0) }
}

/// Returns the number of characters of a string, or the number of bytes of a blob: `LENGTH(MAX("player"."name"))`.
public func length<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    aggregate.map { length($0) }
}

/// Converts an aggregate to a storage class: `CAST(MAX("player"."score") AS TEXT)`. The result column keeps its name.
///
/// ```swift
/// Team.annotated(with: cast(Team.players.max(\.score), as: .text))   // maxPlayerScore
/// ```
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
    var result = aggregate.map { cast($0, as: storageClass) }
    result.key = aggregate.key
    return result
}
