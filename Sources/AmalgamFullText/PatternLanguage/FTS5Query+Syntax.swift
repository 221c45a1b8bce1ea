extension FTS5Query {
    /// Returns the query in the FTS5 query syntax.
    ///
    /// ```swift
    /// try (FTS5Query("sqlite") && "full text").rawPattern()   // sqlite "full text"
    /// ```
    ///
    /// A pattern such as `(swift OR rust) AND "😀"` matches nothing if the phrase `"😀"` has no tokens.
    /// ``pattern(_:forTable:)`` uses the tokenizer of a table to remove such phrases.
    ///
    /// - Throws: ``FTS5QueryError/nestedTooDeeply`` if the query is nested too deeply.
    public func rawPattern() throws -> String {
        if node == .tooDeep { throw FTS5QueryError.nestedTooDeeply }
        return syntax
    }

    /// The precedence of operators, in ascending order: OR binds least tightly. An atom is an expression that needs no
    /// parentheses. <https://www.sqlite.org/fts5.html#fts5_boolean_operators>
    private enum Precedence: Int, Comparable {
        case or, and, not, sequence, atom

        static func < (lhs: Precedence, rhs: Precedence) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private var precedence: Precedence {
        switch node {
        case .or(let queries): queries.isEmpty ? .atom : .or
        case .and: .and
        case .not: .not
        case .sequence: .sequence
        case .word(let word): word.alternatives.count > 1 ? .or : .atom
        case .phrase, .initial, .near, .filter, .tooDeep: .atom
        }
    }

    private func syntax(atLeast precedence: Precedence) -> String {
        self.precedence < precedence ? "(\(syntax))" : syntax
    }

    private var syntax: String {
        switch node {
        case .phrase(let phrase): phrase.syntax
        case .word(let word): word.queries.map { $0.syntax(atLeast: .and) }.joined(separator: " OR ")
        case .initial(let phrase): "^ " + phrase.syntax
        case .near(let phrases, let distance): Self.nearSyntax(phrases, distance)
        case .filter(let filter, let query):
            "\(filter.syntax) : " + (query.isBarePhrase ? query.syntax : "(\(query.syntax))")
        case .sequence(let queries): queries.map(\.syntax).joined(separator: " ")
        case .and(let queries): queries.map { $0.syntax(atLeast: .not) }.joined(separator: " AND ")
        case .or([]): "".fts5String
        case .or(let queries):
            queries.filter { $0 != .nothing }.map { $0.syntax(atLeast: .and) }.joined(separator: " OR ")
        case .not(let query, let excluded):
            query.syntax(atLeast: .sequence) + " NOT " + excluded.syntax(atLeast: .sequence)
        case .tooDeep: "…"
        }
    }

    private static func nearSyntax(_ phrases: [FTS5Phrase], _ distance: Int) -> String {
        let list = phrases.map(\.syntax).joined(separator: " ")
        return distance == 10 ? "NEAR(\(list))" : "NEAR(\(list), \(distance))"
    }
}

extension FTS5Query: CustomStringConvertible {
    /// The query in the FTS5 query syntax.
    public var description: String { syntax }
}

extension FTS5Phrase {
    /// The phrase in the FTS5 query syntax, such as `one + "two three"*`.
    var syntax: String {
        parts.map { $0.text.fts5String + ($0.isPrefix ? "*" : "") }.joined(separator: " + ")
    }
}

extension FTS5Query.ColumnFilter {
    /// The column filter in the FTS5 query syntax: `title`, `- {title author}`.
    fileprivate var syntax: String {
        let names = columns.map(\.fts5String).joined(separator: " ")
        return (isExcluding ? "- " : "") + (columns.count == 1 ? names : "{\(names)}")
    }
}

extension String {
    /// A string of the FTS5 query syntax: a bareword if possible, otherwise quoted. NUL characters are replaced by
    /// spaces, because FTS5 would end the string at a NUL character.
    ///
    /// <https://www.sqlite.org/fts5.html#fts5_strings>
    fileprivate var fts5String: String { isFTS5BareWord ? self : fts5QuotedString }

    /// The string in double quotes, with its own quotes doubled. Unicode scalars are compared, as in SQLite, and not
    /// characters: a quote followed by a combining accent is one `Character`, which isn't equal to a quote.
    private var fts5QuotedString: String {
        var string = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": string += "\"\""
            case "\0": string += " "
            default: string.unicodeScalars.append(scalar)
            }
        }
        return string + "\""
    }

    private var isFTS5BareWord: Bool {
        if isEmpty || ["AND", "OR", "NOT", "NEAR"].contains(self) { return false }
        return unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "0"..."9", "A"..."Z", "a"..."z", "_": true
            default: !scalar.isASCII
            }
        }
    }
}
