public import AmalgamCore
public import AmalgamQuery

/// The name of what a search has found: no table has it, or the search would find itself.
private let matchesName = "amalgam_matches"

extension QueryInterfaceRequest {
    /// The values of an expression in the rows of the request, the most frequent ones first, with their numbers of rows.
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
    /// The result is a request as any other: limit it, or order it by value. The rows are those of the request, whatever it
    /// joins; with a limit, those up to the limit.
    ///
    /// For several facets of one search, ``facets(_:limit:)`` searches once.
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

/// An expression whose values are counted.
public struct Facet: Sendable {
    /// The name, by which the counts are found.
    public let name: String

    let expression: SQLExpression

    /// A facet with a name: `Facet("year", SQLFunction("json_extract")(Column("metadata"), "$.year"))`.
    public init(_ name: String, _ expression: some SQLSpecificExpressible) {
        self.name = name
        self.expression = expression.sqlExpression
    }

    /// The facet of a column, with its name.
    public init(_ column: some ColumnExpression) { self.init(column.name, column) }
}

extension QueryInterfaceRequest {
    /// The values of several expressions in the rows of the request, with their numbers of rows: one statement, which
    /// searches once.
    ///
    /// ```swift
    /// let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
    /// let facets = try Document.matching("sqlite").facets([Facet(Column("author")), Facet("year", year)]).fetch(db)
    /// facets["year"]   // [FacetCount(value: 2024, count: 12), …]
    /// ```
    ///
    /// - Parameter limit: how many values of each facet, at most.
    public func facets(_ facets: [Facet], limit: Int? = nil) -> FacetRequest {
        let selection = facets.indices.map { facets[$0].expression.forKey("facet\($0)") }
        return FacetRequest(
            names: facets.map(\.name), matches: select(selection, as: Row.self).sqlExpression, limit: limit)
    }
}

/// The counts of several facets.
public struct FacetRequest: Sendable {
    fileprivate let names: [String]

    /// `(SELECT "author" AS "facet0", "year" AS "facet1" FROM …)`
    fileprivate let matches: SQLExpression
    fileprivate let limit: Int?

    /// The counts of each facet, by its name, the most frequent values first.
    ///
    /// - throws: a ``DatabaseError``; `SQLITE_MISUSE` when two facets have one name.
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

    /// SQLite would search once for each facet, if it was not told to keep the matches.
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
