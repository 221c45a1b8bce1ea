public import AmalgamCore
import Foundation

/// A column with the Swift type of its values.
///
/// ```swift
/// struct Player: TableRecord {
///     enum Columns {
///         static let id = TypedColumn<Int64>("id")
///         static let name = TypedColumn<String>("name")
///         static let score = TypedColumn<Int>("score")
///         static let teamId = TypedColumn<Int64?>("teamId")
///     }
/// }
///
/// let request = Player.filter { $0.score > 10 && $0.teamId == nil }.order(\.name)
/// // SELECT * FROM "player" WHERE ("score" > 10) AND ("teamId" IS NULL) ORDER BY "name"
/// ```
///
/// The compiler checks the types of values and of other typed columns:
///
/// ```text
/// Player.filter { $0.score > "ten" }       // error: the operands have different types
/// Player.filter { $0.score == nil }        // error: the column isn't optional
/// Player.filter { $0.score > $0.name }     // error: the operands have different types
/// try Player.updateAll(db) { $0.score.set(to: "ten") }   // error
/// ```
///
/// A column whose values may be NULL has an optional type. The column of a value that is stored as JSON, such as
/// `TypedColumn<[String]>`, can be selected, ordered, and compared with `nil` and with other columns. The columns of an
/// `@Record` type can also be compared with values, assigned, and be in a list.
///
/// Aggregates of a column, `length`, `abs`, `??` and the functions of strings have a type as well:
/// `max($0.score) > "ten"` is an error. Arithmetic operators and other functions return an ``SQLExpression``, which has
/// no type: any value can be compared with `$0.score + 1`. To compare a column with a value of a different type, use
/// ``untyped``, and ``sqlExpression`` for a function:
///
/// ```swift
/// let score = TypedColumn<Int>("score")
/// Player.filter { _ in score.untyped > 10.5 }
/// // SELECT * FROM "player" WHERE "score" > 10.5
/// Player.select(Column("teamId")).group(Column("teamId")).having { _ in max(score).sqlExpression > 10.5 }
/// // SELECT "teamId" FROM "player" GROUP BY "teamId" HAVING MAX("score") > 10.5
/// ```
///
/// A row returns the value of a typed column with its type: `row[Player.Columns.score]` is an `Int`.
public struct TypedColumn<Value>: NamedColumn, Sendable {
    public let name: String

    /// The column in SQL, which may have a collation, or be qualified by the alias of a table.
    let node: any SQLNode

    /// The format of the stored values; nil if they have the usual format of their type.
    @usableFromInline
    let format: StoredFormat<Value>?

    fileprivate init(name: String, node: any SQLNode, format: StoredFormat<Value>?) {
        self.name = name
        self.node = node
        self.format = format
    }

    /// Creates a column with the given name, without quotes.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// ```
    public init(_ name: String) {
        self.init(name: name, node: ColumnNode(name: name), format: nil)
    }

    /// Creates a column with the name of a coding key.
    ///
    /// ```swift
    /// enum CodingKeys: CodingKey { case score }
    /// let score = TypedColumn<Int>(CodingKeys.score)
    /// ```
    public init(_ codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    /// Creates a column that doesn't store values in their usual format.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - traits: what is known of the stored values.
    ///   - encode: returns the stored value of a value with which the column is compared, or that is assigned to it.
    ///   - decode: returns the value of a stored value; nil if it can't be converted.
    package init(
        _ name: String, _ traits: FormatTraits = FormatTraits(), encode: @escaping @Sendable (Value) -> DatabaseValue,
        decode: @escaping @Sendable (DatabaseValue) throws -> Value?
    ) {
        let format = StoredFormat(traits, encode: encode, decode: decode)
        self.init(name: name, node: ColumnNode(name: name), format: format)
    }

    /// The column without its type.
    ///
    /// ```swift
    /// let info = TypedColumn<[String: Int]>("info")
    /// Player.filter { _ in info.untyped.asJSON["bonus"] > 10 }
    /// // SELECT * FROM "player" WHERE ("info" ->> 'bonus') > 10
    /// ```
    public var untyped: Column { Column(name) }

    /// Creates a column that stores each value in the format of a property; nil for the usual format of the type.
    package init(_ name: String, format: StoredFormat<Value>?) {
        self.init(name: name, node: ColumnNode(name: name), format: format)
    }

    /// The same column, whose values may be NULL.
    package var optional: TypedColumn<Value?> {
        let format = format.map { format in
            StoredFormat<Value?>(
                format.traits, encode: { $0.map(format.encode) ?? .null },
                decode: { $0.isNull ? .some(nil) : try format.decode($0) })
        }
        return TypedColumn<Value?>(name: name, node: node, format: format)
    }

    /// The same column, whose values aren't NULL.
    func wrapped<Wrapped>() -> TypedColumn<Wrapped> where Value == Wrapped? {
        let format = format.map { format in
            StoredFormat<Wrapped>(
                format.traits, encode: { format.encode($0) },
                decode: { try format.decode($0).flatMap(\.self) })
        }
        return TypedColumn<Wrapped>(name: name, node: node, format: format)
    }

    /// Returns the same column, written as a different node.
    func written(as node: any SQLNode) -> TypedColumn { TypedColumn(name: name, node: node, format: format) }

    /// Returns the result of a function of the column that has the type and the format of the column.
    func written(as expression: SQLExpression, of function: String) -> TypedColumn {
        result(of: function, expression, format: format)
    }

    /// Returns the result of a function of the column.
    ///
    /// It isn't a column with a name. Where it is used as one, as in `max($0.score).set(to: 10)`, SQLite says that the
    /// column `MAX("score")` doesn't exist.
    func result<Result>(
        of function: String, _ expression: SQLExpression, format: StoredFormat<Result>? = nil
    ) -> TypedColumn<Result> {
        TypedColumn<Result>(
            name: "\(function)(\(name.quotedDatabaseIdentifier))", node: expression.node, format: format)
    }
}

extension TypedColumn: SQLOperand {
    /// The column in SQL. Decimals are compared by a collation: `"price" COLLATE decimal`.
    public var sqlExpression: SQLExpression {
        SQLExpression(node: storesDecimals && SQLiteBuild.hasDecimals ? node.collatedAsDecimal : node)
    }

    public var sqlSelection: SQLSelection { SQLExpression(node: node).sqlSelection }

    public var sqlOrdering: SQLOrdering { SQLOrdering(node: ordered.node) }
}

extension TypedColumn {
    /// Whether the values are decimals as TEXT.
    private var storesDecimals: Bool {
        (Value.self == Decimal.self || Value.self == Decimal?.self) && format == nil && !(node is CollatedNode)
    }

    /// Whether a collation compares the values, though the application names none.
    var isOrderedByCollation: Bool { storesDecimals }

    /// The column as an operand whose order counts. Writing decimals throws if this SQLite has no decimal numbers.
    ///
    /// Writing it also throws if the format of the column has a different order.
    var ordered: SQLExpression { storesDecimals ? SQLExpression(node: node.collatedAsDecimal) : sorted }
}

extension TypedColumn: SQLNumericOperand where Value: SQLNumericValue {}

// Where the column is a condition, `conditionExpression` is written.
extension TypedColumn: SQLCondition where Value: SQLBooleanValue {}

extension TypedColumn where Value: DatabaseValueConvertible {
    /// Returns the stored value of a value, as an expression. All operators and assignments with a value use it.
    func stored(_ value: Value) -> SQLExpression { format?.encode(value).sqlExpression ?? value.sqlExpression }

    /// Compares the column with a value by order.
    ///
    /// A column that stores less than the value has, such as whole seconds, may need another operator: no stored second is
    /// less than 10.5 and greater than 10, so that `"start" < 10.5` is `"start" <= 10`.
    func compared(_ operation: ComparisonNode.Operator, _ value: Value) -> SQLExpression {
        let rounding = format?.rounding(of: value) ?? .exact
        return comparison(ordered, operation.rounded(rounding), stored(value))
    }

    /// Compares a value with the column by order.
    func reversed(_ value: Value, _ operation: ComparisonNode.Operator) -> SQLExpression {
        let rounding = format?.rounding(of: value) ?? .exact
        return comparison(stored(value), operation.flipped.rounded(rounding).flipped, ordered)
    }

    /// Returns the stored value of a value.
    package func storedValue(of value: Value) -> DatabaseValue { format?.encode(value) ?? value.databaseValue }

    /// Returns the value of a stored value; nil if it can't be converted.
    package func value(ofStored databaseValue: DatabaseValue) throws -> Value? {
        guard let format else { return Value.fromDatabaseValue(databaseValue) }
        return try format.decode(databaseValue)
    }
}

extension TypedColumn where Value == Int64 {
    /// The column `rowid`, which most tables have: <https://sqlite.org/lang_createtable.html#rowid>.
    public static var rowID: TypedColumn { TypedColumn("rowid") }
}

extension TypedColumn {
    /// The column, written without the name of its table: `"total"`. The expression can refer to a result column that
    /// is named with `AS`.
    ///
    /// ```swift
    /// let total = TypedColumn<Int>("total")
    /// Player.annotated(with: (Column("score") + Column("bonus")).forKey("total")).order(total.detached)
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player" ORDER BY "total"
    /// ```
    public var detached: SQLExpression { SQLExpression(node: DetachedColumn(name: name)) }

    /// Names the column in the result: `AS`.
    ///
    /// ```swift
    /// let score = TypedColumn<Int>("score")
    /// Player.select(score.forKey("points"))
    /// // SELECT "score" AS "points" FROM "player"
    /// ```
    public func forKey(_ key: String) -> SQLSelection { sqlExpression.forKey(key) }

    /// Names the column in the result after a coding key.
    public func forKey(_ key: some CodingKey) -> SQLSelection { sqlExpression.forKey(key) }

    /// The ascending order: `"score" ASC`. NULL comes first.
    public var asc: SQLOrdering { ordered.asc }

    /// The descending order: `"score" DESC`. NULL comes last.
    public var desc: SQLOrdering { ordered.desc }

    /// The ascending order, with NULL last: `"score" ASC NULLS LAST`.
    public var ascNullsLast: SQLOrdering { ordered.ascNullsLast }

    /// The descending order, with NULL first: `"score" DESC NULLS FIRST`.
    public var descNullsFirst: SQLOrdering { ordered.descNullsFirst }

    /// Returns the column with a built-in or registered collation for comparing and sorting: `COLLATE`.
    ///
    /// ```swift
    /// let name = TypedColumn<String>("name")
    /// Player.filter { _ in name.collating(.nocase) == "anna" }
    /// // SELECT * FROM "player" WHERE "name" = 'anna' COLLATE NOCASE
    /// ```
    ///
    /// The result is a column of the same type, which is compared with values of this type. Where only the name of a
    /// column counts, as in an assignment, the collation has no effect.
    public func collating(_ collation: Database.CollationName) -> TypedColumn {
        written(as: SQLExpression(node: node).collating(collation).node)
    }

    /// Returns the column with a collation written in Swift for comparing and sorting: `COLLATE`.
    public func collating(_ collation: DatabaseCollation) -> TypedColumn {
        written(as: SQLExpression(node: node).collating(collation).node)
    }
}
