public import AmalgamCore
import AmalgamQuery

/// A request for the values of several facets, each with the number of rows that have the value.
///
/// ```swift
/// let request = Document.matching("sqlite").facets([Facet(Column("author"))], limit: 10)
/// let counts = try request.fetch(db)["author"]   // [FacetCount(value: "Anna", count: 12), …]
/// ```
public struct FacetRequest: Sendable {
    let facets: [Facet]

    /// The subquery of the matches, such as `(SELECT "author" AS "facet0", "year" AS "facet1" FROM …)`.
    let matches: SQLExpression

    let names: FacetNames

    /// Whether the matches are distinct rows, which begin with the columns that the request selects.
    let isDistinct: Bool

    let limit: Int?
    let minimumCount: Int

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
        let names = facets.map(\.name)
        if Set(names).count < names.count {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "two facets have one name: \(names)")
        }
        var counts = Dictionary(uniqueKeysWithValues: names.map { ($0, [FacetCount<DatabaseValue>]()) })
        if names.isEmpty { return counts }
        let rows = try Row.fetchCursor(db, SQLRequest<Row>(literal: sql(selectedColumns(db))))
        while let row = try rows.next() {
            counts[names[row["facet"]]]?.append(try FacetCount(row: row))
        }
        return counts
    }
}

// MARK: - SQL

extension FacetRequest {
    /// `MATERIALIZED` makes SQLite search once, instead of once per facet.
    ///
    /// - Parameter selected: The columns by which rows are distinct; empty if each match is one row.
    private func sql(_ selected: [String]) -> SQL {
        let parts = facets.indices.flatMap { [counts(of: $0, selected)] + missingValues(of: $0) }
        let columns = selected.isEmpty ? [] : selected + facets.indices.map { names.value($0) }
        let list: SQL = columns.isEmpty ? "" : "(\(identifiers(columns)))"
        return """
            WITH \(identifier: names.matches)\(list) AS MATERIALIZED \(matches) \
            \(parts.joined(separator: " UNION ALL "))
            """
    }

    private func identifiers(_ names: [String]) -> SQL {
        names.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
    }

    /// The names of the columns that a DISTINCT request selects. With one facet, they aren't needed: each distinct row has
    /// one value. With several, rows may differ in the values of other facets.
    private func selectedColumns(_ db: Database) throws -> [String] {
        guard isDistinct, facets.count > 1 else { return [] }
        let statement = try db.makeStatement(literal: "SELECT * FROM \(matches)")
        return (0..<statement.columnCount - facets.count).map { "selected\($0)" }
    }

    private func value(_ index: Int) -> SQLExpression { Column(names.value(index)).detached.sqlExpression }

    /// The counts of a facet. With a limit, the chosen values are among the counts in any case. The limit also counts the
    /// chosen values that no row has.
    private func counts(of index: Int, _ selected: [String]) -> SQL {
        let (value, chosen) = (value(index), facets[index].condition(on: value(index)))
        var counts: SQL = """
            SELECT \(sql: "\(index)") AS "facet", \(value) AS "value", COUNT(*) AS "count" FROM \(rows(of: index, selected))
            """
        counts += " GROUP BY \(value)"
        if minimumCount > 1 {
            counts += " HAVING COUNT(*) >= \(sql: "\(minimumCount)")"
            if let chosen { counts += " OR \(chosen)" }
        }
        let order: SQL = "COUNT(*) DESC, \(value)"
        guard let limit else { return "SELECT * FROM (\(counts) ORDER BY \(order))" }
        guard let chosen else { return "SELECT * FROM (\(counts) ORDER BY \(order) LIMIT \(sql: "\(max(0, limit))"))" }
        var rest: SQL = "\(sql: "\(max(limit, facets[index].chosenValues.count))")"
        for choice in facets[index].chosenValues { rest += " - (\(isMissing(choice, index)))" }
        return """
            SELECT * FROM (SELECT * FROM (\(counts) ORDER BY (\(chosen)) IS TRUE DESC, \(order) \
            LIMIT \(rest)) ORDER BY "count" DESC, "value")
            """
    }

    /// The rows that have chosen values of all other facets.
    private func rows(of index: Int, _ selected: [String]) -> SQL {
        var rows: SQL = "\(identifier: names.matches)"
        if let condition = otherChoices(than: index) { rows += " WHERE \(condition)" }
        return selected.isEmpty
            ? rows : "(SELECT DISTINCT \(identifiers(selected + [names.value(index)])) FROM \(rows))"
    }

    /// The chosen values of a facet that no row has, with the count 0.
    private func missingValues(of index: Int) -> [SQL] {
        facets[index].chosenValues.map { chosen in
            "SELECT \(sql: "\(index)"), \(chosen), 0 WHERE \(isMissing(chosen, index))"
        }
    }

    /// The condition that no row has a value of a facet.
    private func isMissing(_ chosen: DatabaseValue, _ index: Int) -> SQL {
        var sql: SQL = """
            NOT EXISTS (SELECT 1 FROM \(identifier: names.matches) WHERE \(value(index)) IS \(chosen)
            """
        if let condition = otherChoices(than: index) { sql += " AND (\(condition))" }
        return sql + ")"
    }

    /// The condition that a row has chosen values of all other facets.
    private func otherChoices(than index: Int) -> SQLExpression? {
        let conditions = facets.indices.filter { $0 != index }.compactMap { facets[$0].condition(on: value($0)) }
        return conditions.isEmpty ? nil : conditions.joined(operator: .and)
    }
}
