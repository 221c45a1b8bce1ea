public import AmalgamCore
public import AmalgamQuery
import AmalgamRecords

extension FTS5Terms {
    /// The terms that begin like the last word of a text, the most frequent ones first.
    ///
    /// ```swift
    /// let terms = try vocabulary.completions(of: "Dat").limit(5).fetchAll(db)
    /// // SELECT * FROM "documentTerms" WHERE "term" BETWEEN 'dat' AND 'dat…' ORDER BY "doc" DESC, "term" LIMIT 5
    /// ```
    ///
    /// It takes the time to read the index of these terms. No term completes a text without a word.
    public func completions(of text: String) -> QueryInterfaceRequest<Term> {
        terms()
            .filterWhenConnected { db in
                try terms(db, of: text).last.map { Term.Columns.term.hasPrefix($0) } ?? false.sqlExpression
            }
            .order { [$0.documentCount.desc, $0.term] }
    }

    /// What people may want to type, who have typed a text into a search box: the text, with the last word completed.
    ///
    /// ```swift
    /// try vocabulary.completions(db, ofSearchBox: "swift -java dat")
    /// // ["swift -java data", "swift -java database"]
    /// ```
    ///
    /// - Returns: the most frequent completions first; none when the text does not end with a word.
    public func completions(
        _ db: Database, ofSearchBox text: String, syntax: SearchBoxSyntax = SearchBoxSyntax(), limit: Int = 5
    ) throws -> [String] {
        var scanner = SearchBoxScanner(text, fields: syntax.fields)
        guard case .word(let word) = scanner.tokens().last, word.isLast && !word.hasStar else { return [] }
        let beginning = word.text.reversed().prefix { $0.isLetter || $0.isNumber }.count
        if beginning == 0 { return [] }
        let typed = text.suffix(beginning)
        return try completions(of: String(typed)).limit(max(0, limit)).fetchAll(db).map { term in
            text.dropLast(beginning) + term.term
        }
    }
}

extension ColumnExpression {
    /// `"term" BETWEEN 'dat' AND 'dat…'`: a range, which fts5vocab looks up. The last character of Unicode ends it: no
    /// text has it.
    func hasPrefix(_ prefix: String) -> SQLExpression { (prefix...prefix + "\u{10FFFF}").contains(self) }
}
