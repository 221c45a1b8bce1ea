public import AmalgamCore
public import AmalgamQuery

/// The names in the statement of a facet.
struct FacetNames: Sendable {
    /// The common table expression of the matches.
    let matches: String

    /// The common table expression of the counts.
    let counts: String

    private let prefix: String

    /// - Parameter keepsSelection: Whether the matches also have the columns that the request selects.
    init(_ request: QueryInterfaceRequest<some Any>, keepsSelection: Bool) {
        // In a search of a table with this name, the name would refer to the common table expression itself.
        matches = request.tableName(like: "amalgam_matches")
        counts = request.tableName(like: "amalgam_facet")
        prefix = keepsSelection ? "amalgam_" : ""
    }

    /// The column of the value, if there is one facet.
    var singleValue: String { prefix + "value" }

    /// The column of the value of a facet.
    func value(_ index: Int) -> String { "\(prefix)facet\(index)" }
}

extension QueryInterfaceRequest {
    /// Returns a request that counts, for each value of an expression, the rows of `self` that have this value. The
    /// most frequent value comes first.
    ///
    /// ```swift
    /// let authors = Document.matching("sqlite").facet(by: Document.Columns.author, as: String.self)
    /// // WITH "amalgam_matches" AS (SELECT "author" AS "value" FROM "document" WHERE "document" MATCH 'sqlite'),
    /// // "amalgam_facet" AS (SELECT "value", COUNT(*) AS "count" FROM "amalgam_matches" GROUP BY "value")
    /// // SELECT * FROM "amalgam_facet" ORDER BY "count" DESC, "value"
    ///
    /// let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
    /// let years = Document.matching("sqlite").facet(by: year, as: Int.self)
    /// ```
    ///
    /// The joins, the groups and the limit of `self` apply before the rows are counted. If `self` is a DISTINCT request, its
    /// distinct rows are counted: a row that stands for rows of the table with different values counts once for each value.
    /// The returned request has the columns `value` and `count`: filter it, order it, or limit it.
    ///
    /// ```swift
    /// let authors = Document.matching("sqlite").facet(by: Document.Columns.author, as: String.self)
    /// let frequent = authors.filter(Column("count") >= 2).order(Column("value")).limit(10)
    /// ```
    ///
    /// To count several facets of one search, call ``facets(_:limit:minimumCount:)``, which searches once.
    public func facet<Value>(
        by expression: some SQLOperand, as type: Value.Type = Value.self
    ) -> QueryInterfaceRequest<FacetCount<Value>> {
        let names = FacetNames(self, keepsSelection: keepsSelection)
        let matches = CommonTableExpression<Row>(
            named: names.matches, request: selecting([expression.sqlExpression.forKey(names.singleValue)]))
        let value: any SQLSelectable =
            keepsSelection ? Column(names.singleValue).forKey("value") : Column(names.singleValue)
        let counts = matches.all()
            .select(value, count().forKey("count"))
            .group(Column(names.singleValue))
        let facet = CommonTableExpression<FacetCount<Value>>(named: names.counts, request: counts)
        return facet.all().with(matches).with(facet).order(Column("count").desc, Column("value"))
    }

    /// Returns a request that counts, for each value of each facet, the rows of `self` that have this value. One
    /// statement fetches all facets, and searches once.
    ///
    /// ```swift
    /// let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
    /// let facets = try Document.matching("sqlite").facets([Facet(Column("author")), Facet("year", year)]).fetch(db)
    /// facets["year"]   // [FacetCount(value: 2024, count: 12), …]
    /// ```
    ///
    /// The values that are chosen in a facet restrict the counts of all other facets, but not those of this facet: its
    /// other values stay, with the number of results that each of them would add. Pass the search without its choices,
    /// and show the results of `filtered(by:)`.
    ///
    /// ```swift
    /// let choices = [Facet(Column("author")).choosing("Anna"), Facet(Column("language"))]
    /// let search = Document.matching("sqlite")
    /// let facets = try search.facets(choices).fetch(db)
    /// let documents = try search.filtered(by: choices).fetchAll(db)
    /// ```
    ///
    /// Values that are chosen are always in the result, with the count 0 if no row has them.
    ///
    /// - Parameters:
    ///   - facets: The facets.
    ///   - limit: The maximum number of values of each facet. It is raised to the number of the facet's chosen values.
    ///   - minimumCount: The minimum number of rows that have a value. It doesn't apply to chosen values.
    public func facets(_ facets: [Facet], limit: Int? = nil, minimumCount: Int = 1) -> FacetRequest {
        let names = FacetNames(self, keepsSelection: keepsSelection)
        let selection = facets.indices.map { facets[$0].expression.forKey(names.value($0)) }
        return FacetRequest(
            facets: facets, matches: selecting(selection).sqlExpression, names: names, isDistinct: isDistinct,
            limit: limit, minimumCount: minimumCount)
    }

    /// Whether the rows of the request depend on its selection: on DISTINCT, aggregates, and names in ORDER BY and HAVING.
    private var keepsSelection: Bool { combinesRows || hasLimit }

    /// The request with the values of facets, in addition to its selection if its rows depend on it.
    private func selecting(_ values: [SQLSelection]) -> QueryInterfaceRequest<Row> {
        (keepsSelection ? annotated(with: values) : select(values)).asRequest(of: Row.self)
    }
}

extension FilteredRequest where Self: TableRequest {
    /// Returns this request, restricted to the rows that have one of the chosen values of each facet. A facet without
    /// chosen values doesn't restrict it.
    ///
    /// ```swift
    /// let facets = [Facet(Column("author")).choosing("Anna", "Bob"), Facet(Column("language"))]
    /// Document.matching("sqlite").filtered(by: facets)
    /// // SELECT * FROM "document" WHERE ("document" MATCH 'sqlite') AND ("author" IN ('Anna', 'Bob'))
    /// ```
    public func filtered(by facets: [Facet]) -> Self {
        facets.reduce(self) { request, facet in
            facet.condition(on: facet.expression).map { request._filter($0) } ?? request
        }
    }
}
