public import AmalgamCore
public import AmalgamQuery

/// A ranking of the rows of a full-text query, by an auxiliary function with constant arguments.
///
/// ```swift
/// Document.matching("sqlite").ranked(by: .bm25([10, 1]))
/// // SELECT * FROM "document" WHERE ("document" MATCH 'sqlite') AND ("rank" MATCH 'bm25(10.0, 1.0)')
/// // ORDER BY "rank"
/// ```
///
/// Ordering by the `rank` column is faster than ordering by a call of the function, especially with a LIMIT: see
/// <https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results>.
///
/// In a query with typos, rows with fewer typos come first, and ``bm25(_:)`` orders rows with as many typos:
///
/// ```swift
/// Document.matching(.fuzzy("databse")).ranked(by: .bm25([10, 1]))
/// // SELECT * FROM "document" WHERE ("document" MATCH 'databse OR database')
/// // AND ("rank" MATCH 'amalgam_typos(''0:0 0:1'')') AND ("rank" MATCH 'bm25(10.0, 1.0)') ORDER BY "rank"
/// ```
public struct FTS5Rank: Sendable {
    /// The call in SQL, such as `bm25(10.0, 1.0)`.
    let text: String

    /// Returns the BM25 ranking. The weights apply to the columns in the order of the table. Columns without a weight
    /// in the array have the weight 1.
    ///
    /// ```swift
    /// Document.matching("sqlite").ranked(by: .bm25([10, 1]))   // ("rank" MATCH 'bm25(10.0, 1.0)')
    /// ```
    ///
    /// In a query with typos, rows with fewer typos come first.
    public static func bm25(_ weights: [Double] = []) -> FTS5Rank {
        FTS5Rank("bm25", weights.map(\.databaseValue))
    }

    /// Returns a ranking by a Swift function. Rows with smaller results come first. Typos in a query don't count.
    ///
    /// ```swift
    /// let length = FTS5Function("length") { match, arguments in try match.size() }
    /// Document.matching("sqlite").ranked(by: .function(length))   // ("rank" MATCH 'length()')
    /// ```
    public static func function(
        _ function: FTS5Function, _ arguments: any DatabaseValueConvertible...
    ) -> FTS5Rank {
        FTS5Rank(function.name, arguments.map(\.databaseValue))
    }

    private init(_ name: String, _ arguments: [DatabaseValue]) {
        text = "\(name)(\(arguments.map(\.rankLiteral).joined(separator: ", ")))"
    }
}

extension DatabaseValue {
    /// The SQL literal of an argument. FTS5 doesn't parse exponents in rank arguments.
    fileprivate var rankLiteral: String {
        if case .double = storage { sqlLiteral.withoutExponent } else { sqlLiteral }
    }
}

extension String {
    /// The number without an exponent: `0.000001` for `1e-06`, `120.0` for `1.2e+02`.
    fileprivate var withoutExponent: String {
        guard let e = firstIndex(of: "e"), let exponent = Int(self[index(after: e)...].drop { $0 == "+" }) else {
            return self
        }
        let sign = hasPrefix("-") ? "-" : ""
        let parts = self[..<e].drop { $0 == "-" }.split(separator: ".")
        let (whole, fraction) = (parts[0], parts.count > 1 ? parts[1] : "")
        let point = whole.count + exponent
        let digits = String(repeating: "0", count: max(0, 1 - point)) + whole + fraction
        let padded = digits + String(repeating: "0", count: max(0, point + 1 - digits.count))
        let split = padded.index(padded.startIndex, offsetBy: max(1, point))
        return sign + padded[..<split] + "." + padded[split...]
    }
}

extension TableRequest where Self: FilteredRequest & OrderedRequest {
    /// Returns this request with its rows ordered by a ranking, best match first: see ``FTS5Rank``.
    ///
    /// ```swift
    /// Document.matching("sqlite").ranked(by: .bm25([10, 1]))
    /// // SELECT * FROM "document" WHERE ("document" MATCH 'sqlite') AND ("rank" MATCH 'bm25(10.0, 1.0)')
    /// // ORDER BY "rank"
    /// ```
    ///
    /// In a query with typos, `.bm25` orders rows with as many typos. Of several rankings, the last one counts.
    public func ranked(by rank: FTS5Rank) -> Self {
        _filter(Column.rank.matches(rank)).order(Column.rank)
    }
}

extension FilteredRequest where Self: OrderedRequest {
    /// Returns this request, which is joined with a full-text table, with its rows ordered by a ranking.
    ///
    /// ```swift
    /// let index = TableAlias<DocumentSearch>()
    /// Document.joining(required: Document.search.matching(.fuzzy("databse")).aliased(index))
    ///     .ranked(by: .bm25([10, 1]), in: index)
    /// // … WHERE "documentSearch"."rank" MATCH 'bm25(10.0, 1.0)' ORDER BY "documentSearch"."rank"
    /// ```
    ///
    /// In a query with typos, rows with fewer typos come first, and `.bm25` orders rows with as many typos.
    ///
    /// - Parameters:
    ///   - rank: The ranking.
    ///   - alias: The alias of the full-text table.
    public func ranked(by rank: FTS5Rank, in alias: TableAlias<some Any>) -> Self {
        _filter(alias[Column.rank.matches(rank)]).order(alias[Column.rank])
    }
}

extension Column {
    /// The condition `"rank" MATCH 'bm25(10.0, 1.0)'`, which sets the ranking of a search.
    func matches(_ rank: FTS5Rank) -> SQLExpression {
        let function = rank.text.hasPrefix("\(TypoRank.function)(") ? TypoRank.function : nil
        return SQLExpression(
            node: MatchNode(target: sqlExpression.node, pattern: rank.text.databaseValue, function: function))
    }
}
