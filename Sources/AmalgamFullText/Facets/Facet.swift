public import AmalgamCore
public import AmalgamQuery

/// An expression whose values are counted by a ``FacetRequest``, and the values that a user has chosen.
///
/// ```swift
/// let author = Facet(Column("author")).choosing("Anna")
/// let length = Facet("length", SQLFunction("length", pure: true)(Column("title")))
/// let facets = try Document.matching("sqlite").facets([author, length]).fetch(db)
/// ```
public struct Facet: Sendable {
    /// The name of the facet, which is the key of its counts.
    public let name: String

    /// The chosen values. If there are none, rows with any value are results.
    public var chosenValues: [DatabaseValue] = []

    let expression: SQLExpression

    /// Creates a named facet of an expression:
    /// `Facet("year", SQLFunction("json_extract")(Column("metadata"), "$.year"))`.
    public init(_ name: String, _ expression: some SQLOperand) {
        self.name = name
        self.expression = expression.sqlExpression
    }

    /// Creates a facet of a column, named after the column.
    public init(_ column: some NamedColumn & SQLOperand) { self.init(column.name, column) }

    /// Returns the facet with chosen values, in addition to those that are already chosen. Nil stands for NULL.
    ///
    /// ```swift
    /// let author = Facet(Column("author")).choosing("Anna", "Bob")
    /// Document.matching("sqlite").filtered(by: [author])
    /// // SELECT * FROM "document" WHERE ("document" MATCH 'sqlite') AND ("author" IN ('Anna', 'Bob'))
    /// ```
    public func choosing(_ values: (any DatabaseValueConvertible)?...) -> Facet {
        var facet = self
        for value in values.map({ $0?.databaseValue ?? .null }) where !facet.chosenValues.contains(value) {
            facet.chosenValues.append(value)
        }
        return facet
    }

    /// The condition that an expression has a chosen value; nil if none is chosen.
    func condition(on expression: SQLExpression) -> SQLExpression? {
        if chosenValues.isEmpty { return nil }
        let values = chosenValues.filter { !$0.isNull }
        let isNull = expression == DatabaseValue.null
        if values.isEmpty { return isNull }
        return values.count < chosenValues.count ? values.contains(expression) || isNull : values.contains(expression)
    }
}
