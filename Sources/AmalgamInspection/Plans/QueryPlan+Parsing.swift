extension QueryPlan.Kind {
    /// Parses SQLite's description of a step.
    init(_ detail: String) {
        if let rest = detail.after("SCAN "), let access = QueryPlan.Access(scanning: rest) {
            self = .scan(access)
        } else if let rest = detail.after("SEARCH ") {
            self = .search(QueryPlan.Access(rest))
        } else if let purpose = detail.after("USE TEMP B-TREE FOR ") {
            self = .temporaryBTree(purpose: purpose)
        } else if let name = detail.after("CO-ROUTINE ") {
            self = .coroutine(name)
        } else if let name = detail.after("MATERIALIZE ") {
            self = .materialization(name)
        } else if Self.isSubquery(detail) {
            self = .subquery
        } else if detail == "MULTI-INDEX OR" {
            self = .multiIndexOr
        } else if detail.hasPrefix("BLOOM FILTER ") || detail == "CREATE BLOOM FILTER" {
            self = .bloomFilter
        } else {
            self = Self.isCompound(detail) ? .compound : .other
        }
    }

    private static func isSubquery(_ detail: String) -> Bool {
        let words = detail.split(separator: " ")
        return words.contains("SUBQUERY") && words.first != "LEFT-MOST"
    }

    /// Whether a step of a query plan belongs to a compound SELECT. Examples are `UNION ALL`, `LEFT-MOST SUBQUERY`,
    /// `UNION USING TEMP B-TREE`, and `MERGE (UNION)`.
    private static func isCompound(_ detail: String) -> Bool {
        ["COMPOUND QUERY", "LEFT-MOST SUBQUERY", "UNION", "INTERSECT", "EXCEPT", "MERGE ("].contains {
            detail.hasPrefix($0)
        }
    }
}

extension QueryPlan.Access {
    /// Parses `player USING COVERING INDEX player_on_name`; nil for rows that don't come from a table: `CONSTANT ROW`.
    fileprivate init?(scanning text: String) {
        if text == "CONSTANT ROW" || text.wholeMatch(of: /\d+ CONSTANT ROWS?/) != nil { return nil }
        self.init(text)
    }

    /// Parses `player USING INDEX player_on_name (name=? AND score>?) LEFT-JOIN (~10 rows)`.
    fileprivate init(_ text: String) {
        var text = text[...]
        let rows = text.firstMatch(of: /\ \(~(\d+) rows?\)$/)
        if let rows { text = text[..<rows.range.lowerBound] }
        if text.hasSuffix(" LEFT-JOIN") { text = text.dropLast(" LEFT-JOIN".count) }
        let (table, using) = Self.split(text, at: " USING ")
        let (name, virtual) = Self.split(table, at: " VIRTUAL TABLE INDEX ")
        tableName = String(name.hasSuffix(" EXISTS") ? name.dropLast(" EXISTS".count) : name)
        virtualTablePlan = virtual.map(String.init)
        estimatedRowCount = rows.flatMap { Int($0.1) }
        if let using { read(using) }
    }

    /// Splits at the last separator, because the name of a table may contain one.
    private static func split(_ text: Substring, at separator: String) -> (Substring, Substring?) {
        guard let range = text.ranges(of: separator).last else { return (text, nil) }
        return (text[..<range.lowerBound], text[range.upperBound...])
    }

    private mutating func read(_ using: Substring) {
        var index = using
        if using.hasSuffix(")"), let range = using.ranges(of: " (").last {
            constraint = String(using[range.upperBound...].dropLast())
            index = using[..<range.lowerBound]
        }
        isCovering = index.hasPrefix("COVERING INDEX ") || index.hasSuffix("COVERING INDEX")
        isAutomatic = index.hasPrefix("AUTOMATIC ")
        usesPrimaryKey = index == "INTEGER PRIMARY KEY" || index == "PRIMARY KEY"
        indexName = String(index).after("COVERING INDEX ") ?? String(index).after("INDEX ")
    }
}

extension String {
    /// Returns the string after a prefix; nil if the string doesn't have the prefix.
    fileprivate func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
