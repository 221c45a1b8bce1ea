public import AmalgamCore
public import AmalgamQuery

/// The name of the common table expression that selects the matches. A table with this name can't be searched, because
/// in the search, the name would refer to the common table expression itself.
private let matchesName = "amalgam_matches"

extension QueryInterfaceRequest {
    /// Returns a request that counts, for each value of an expression, the rows of `self` that have this value. The
    /// most frequent value comes first.
    ///
    /// ```swift
    /// let authors = Document.matching("sqlite").facet(by: Document.Columns.author, as: String.self)
    /// // WITH "amalgam_matches" AS (SELECT "author" AS "value" FROM "document" WHERE "document" MATCH 'sqlite')
    /// // SELECT "value", COUNT(*) AS "count" FROM "amalgam_matches" GROUP BY "value" ORDER BY "count" DESC, "value"
    ///
    /// let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
    /// let years = Document.matching("sqlite").facet(by: year, as: Int.self)
    /// ```
    ///
    /// The joins and the limit of `self` apply before the rows are counted. You can also limit the returned request, or
    /// order it by value.
    ///
    /// To count several facets of one search, call ``facets(_:limit:)``, which searches once.
    public func facet<Value>(
        by expression: some SQLSpecificExpressible, as type: Value.Type = Value.self
    ) -> QueryInterfaceRequest<FacetCount<Value>> {
        let matches = CommonTableExpression<FacetCount<Value>>(
            named: matchesName, request: select(expression.forKey("value")))
        return matches.all()
            .with(matches)
            .select(Column("value"), count().forKey("count"))
            .group(Column("value"))
            .order(Column("count").detached.desc, Column("value"))
    }
}

// MARK: - Several facets

/// An expression whose values are counted by a ``FacetRequest``.
///
/// ```swift
/// let author = Facet(Column("author"))
/// let length = Facet("length", SQLFunction("length", pure: true)(Column("title")))
/// let facets = try Document.matching("sqlite").facets([author, length]).fetch(db)
/// ```
public struct Facet: Sendable {
    /// The name of the facet, which is the key of its counts.
    public let name: String

    let expression: SQLExpression

    /// Creates a named facet of an expression:
    /// `Facet("year", SQLFunction("json_extract")(Column("metadata"), "$.year"))`.
    public init(_ name: String, _ expression: some SQLSpecificExpressible) {
        self.name = name
        self.expression = expression.sqlExpression
    }

    /// Creates a facet of a column, named after the column.
    public init(_ column: some ColumnExpression) { self.init(column.name, column) }
}

extension QueryInterfaceRequest {
    /// Returns a request that counts, for each value of each facet, the rows of `self` that have this value. One
    /// statement fetches all facets, and searches once.
    ///
    /// ```swift
    /// let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
    /// let facets = try Document.matching("sqlite").facets([Facet(Column("author")), Facet("year", year)]).fetch(db)
    /// facets["year"]   // [FacetCount(value: 2024, count: 12), …]
    /// ```
    ///
    /// - Parameter limit: The maximum number of values of each facet.
    public func facets(_ facets: [Facet], limit: Int? = nil) -> FacetRequest {
        let selection = facets.indices.map { facets[$0].expression.forKey("facet\($0)") }
        return FacetRequest(
            names: facets.map(\.name), matches: select(selection, as: Row.self).sqlExpression, limit: limit)
    }
}

/// A request for the values of several facets, each with the number of rows that have the value.
///
/// ```swift
/// let request = Document.matching("sqlite").facets([Facet(Column("author"))], limit: 10)
/// let counts = try request.fetch(db)["author"]   // [FacetCount(value: "Anna", count: 12), …]
/// ```
public struct FacetRequest: Sendable {
    fileprivate let names: [String]

    /// The subquery of the matches, such as `(SELECT "author" AS "facet0", "year" AS "facet1" FROM …)`.
    fileprivate let matches: SQLExpression
    fileprivate let limit: Int?

    /// Returns a dictionary from the name of each facet to its values and their counts, most frequent value first.
    ///
    /// ```swift
    /// let facets = try Document.matching("sqlite").facets([Facet(Column("author"))]).fetch(db)
    /// for facet in facets["author"] ?? [] {
    ///     print(facet.value ?? .null, facet.count)
    /// }
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the statement fails; `SQLITE_MISUSE` if two facets have the same name.
    public func fetch(_ db: Database) throws -> [String: [FacetCount<DatabaseValue>]] {
        if Set(names).count < names.count {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "two facets have one name: \(names)")
        }
        var facets = Dictionary(uniqueKeysWithValues: names.map { ($0, [FacetCount<DatabaseValue>]()) })
        if names.isEmpty { return facets }
        let rows = try Row.fetchCursor(db, SQLRequest<Row>(literal: sql))
        while let row = try rows.next() {
            facets[names[row["facet"]]]?.append(try FacetCount(row: row))
        }
        return facets
    }

    /// `MATERIALIZED` makes SQLite search once, instead of once per facet.
    private var sql: SQL {
        """
        WITH \(identifier: matchesName) AS MATERIALIZED \(matches) \
        \(names.indices.map(counts).joined(separator: " UNION ALL "))
        """
    }

    private func counts(ofFacet index: Int) -> SQL {
        let value = "facet\(index)".quotedDatabaseIdentifier
        let limit = limit.map { " LIMIT \(max(0, $0))" } ?? ""
        return SQL(
            sql: """
                SELECT * FROM (SELECT \(index) AS "facet", \(value) AS "value", COUNT(*) AS "count" \
                FROM \(matchesName.quotedDatabaseIdentifier) \
                GROUP BY \(value) ORDER BY COUNT(*) DESC, \(value)\(limit))
                """)
    }
}
