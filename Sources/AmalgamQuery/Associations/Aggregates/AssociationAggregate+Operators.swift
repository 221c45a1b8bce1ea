public import AmalgamCore

// What expressions can do, aggregates can: with each other, and with values on either side.

extension AssociationAggregate {
    /// `NOT`
    public static prefix func ! (aggregate: Self) -> Self { aggregate.map { !$0 } }

    /// The opposite number.
    public static prefix func - (aggregate: Self) -> Self { aggregate.map { -$0 } }

    /// A value instead of NULL: `IFNULL(MAX("player"."score"), 0)`. The column keeps its name.
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
    /// `=`
    public static func == (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 == $1 } }

    /// `=`; `IS NULL` for nil.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 == rhs } }

    /// `=`; `IS NULL` for nil.
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs == $0 } }

    /// `= 1` or `= 0`. Comparing ``AssociationToMany/isEmpty`` with false asks for some rows: `COUNT(…) > 0`.
    public static func == (lhs: Self, rhs: Bool) -> Self {
        if lhs.expression.node is EmptinessNode { return rhs ? lhs : !lhs }
        return lhs.map { $0 == rhs }
    }

    /// `= 1` or `= 0`.
    public static func == (lhs: Bool, rhs: Self) -> Self { rhs == lhs }

    /// `<>`
    public static func != (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 != $1 } }

    /// `<>`; `IS NOT NULL` for nil.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 != rhs } }

    /// `<>`; `IS NOT NULL` for nil.
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs != $0 } }

    /// `<> 1` or `<> 0`.
    public static func != (lhs: Self, rhs: Bool) -> Self {
        if lhs.expression.node is EmptinessNode { return lhs == !rhs }
        return lhs.map { $0 != rhs }
    }

    /// `<> 1` or `<> 0`.
    public static func != (lhs: Bool, rhs: Self) -> Self { rhs != lhs }

    /// `IS`
    public static func === (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 === $1 } }

    /// `IS`
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 === rhs } }

    /// `IS`
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs === $0 } }

    /// `IS NOT`
    public static func !== (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 !== $1 } }

    /// `IS NOT`
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self { lhs.map { $0 !== rhs } }

    /// `IS NOT`
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self { rhs.map { lhs !== $0 } }
}

// MARK: - Comparison

extension AssociationAggregate {
    /// `<`
    public static func < (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 < $1 } }

    /// `<`
    public static func < (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 < rhs } }

    /// `<`
    public static func < (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs < $0 } }

    /// `<=`
    public static func <= (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 <= $1 } }

    /// `<=`
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 <= rhs } }

    /// `<=`
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs <= $0 } }

    /// `>`
    public static func > (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 > $1 } }

    /// `>`
    public static func > (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 > rhs } }

    /// `>`
    public static func > (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs > $0 } }

    /// `>=`
    public static func >= (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 >= $1 } }

    /// `>=`
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 >= rhs } }

    /// `>=`
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs >= $0 } }
}

// MARK: - Logic

extension AssociationAggregate {
    /// `AND`
    public static func && (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 && $1 } }

    /// `AND`
    public static func && (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 && rhs } }

    /// `AND`
    public static func && (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs && $0 } }

    /// `OR`
    public static func || (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 || $1 } }

    /// `OR`
    public static func || (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 || rhs } }

    /// `OR`
    public static func || (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs || $0 } }
}

// MARK: - Arithmetic

extension AssociationAggregate {
    /// `+`
    public static func + (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 + $1 } }

    /// `+`
    public static func + (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 + rhs } }

    /// `+`
    public static func + (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs + $0 } }

    /// `-`
    public static func - (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 - $1 } }

    /// `-`
    public static func - (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 - rhs } }

    /// `-`
    public static func - (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs - $0 } }

    /// `*`
    public static func * (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 * $1 } }

    /// `*`
    public static func * (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 * rhs } }

    /// `*`
    public static func * (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs * $0 } }

    /// `/`
    public static func / (lhs: Self, rhs: Self) -> Self { lhs.combined(rhs) { $0 / $1 } }

    /// `/`
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self { lhs.map { $0 / rhs } }

    /// `/`
    public static func / (lhs: some SQLExpressible, rhs: Self) -> Self { rhs.map { lhs / $0 } }
}

// MARK: - Functions

/// The absolute value: `ABS(MAX("player"."score"))`.
public func abs<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    aggregate.map { abs($0) }
}

/// The number of characters, or of bytes: `LENGTH(MAX("player"."name"))`.
public func length<RowDecoder>(_ aggregate: AssociationAggregate<RowDecoder>) -> AssociationAggregate<RowDecoder> {
    aggregate.map { length($0) }
}

/// The value in another storage class: `CAST(MAX("player"."score") AS TEXT)`. The column keeps its name.
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
    var result = aggregate.map { cast($0, as: storageClass) }
    result.key = aggregate.key
    return result
}
