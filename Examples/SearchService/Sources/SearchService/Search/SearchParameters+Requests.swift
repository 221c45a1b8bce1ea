import Amalgam
import ServiceInputs

extension SearchParameters {
    /// What users can type: `title:word`, `"a phrase"`, `-word`, `a OR b`, `beginning*`.
    var syntax: SearchBoxSyntax {
        SearchBoxSyntax(
            fields: ["title", "body"], matchesPrefixOfLastWord: isTyping, typoTolerance: .standard)
    }

    var ftsQuery: FTS5Query? { FTS5Query(searchBox: text, syntax: syntax) }

    var isSearch: Bool { !text.allSatisfy(\.isWhitespace) }

    /// The documents that match the text, without the facets.
    func matches(_ index: TableAlias<DocumentText> = TableAlias()) -> QueryInterfaceRequest<Document> {
        isSearch ? Document.joining(required: Document.text.matching(ftsQuery).aliased(index)) : Document.all()
    }

    /// The facets with these names, and their chosen values. Values inside JSON are compared as strings, as in a URL.
    func facets(named names: [String]) -> [Facet] {
        Set(names).union(choices.keys).sorted().map { name in
            var facet = Facet(name, cast(Document.Columns.metadata[[.key(name)]], as: .text))
            for value in choices[name, default: []].sorted() { facet = facet.choosing(value) }
            return facet
        }
    }

    /// All results.
    func results(_ index: TableAlias<DocumentText> = TableAlias()) -> QueryInterfaceRequest<Document> {
        matches(index).filtered(by: facets(named: []))
    }

    /// Whether the results are in the order of their rank.
    var isRanked: Bool { isSearch && sort == .relevance }

    /// The identifiers of all results, in order.
    var found: QueryInterfaceRequest<FoundDocument> {
        isRanked ? ranked.asRequest(of: FoundDocument.self) : foundByColumn
    }

    /// The results of a search with their marks, best first. Documents aren't joined: filters that few documents pass
    /// would make SQLite begin at the documents, and rank all matches.
    var ranked: QueryInterfaceRequest<Marks> {
        let index = TableAlias<DocumentText>()
        var matches = DocumentText.all().aliased(index).matching(ftsQuery)
        if !choices.isEmpty {
            let document = Document.filter { $0.id == index[Column.rowID] }.filtered(by: facets(named: []))
            matches = matches.filter(document.exists())
        }
        return matches.select(marks).order(Column.rank).asRequest(of: Marks.self)
    }

    private var foundByColumn: QueryInterfaceRequest<FoundDocument> {
        results().select(\.id).order(order).asRequest(of: FoundDocument.self)
    }

    /// Some results without marks, in any order.
    func hits(_ ids: [Int64]) -> QueryInterfaceRequest<Hit> {
        typealias Columns = Document.Columns
        let columns: [any SQLSelectable] = [
            Columns.id, Columns.path, Columns.language, Columns.modified, Columns.title,
        ]
        let beginning = SQL("substr(document.body, 1, 240)").sqlExpression.forKey("snippet")
        return Document.filter { ids.contains($0.id) }
            .select(isSearch ? columns : columns + [beginning])
            .asRequest(of: Hit.self)
    }

    /// The marks of some results.
    ///
    /// SQLite reads the matches once, in the order of their rowids. `+ 0` keeps it from looking up each rowid: for the
    /// beginning of a word, each of these would read all words with this beginning.
    func marks(of ids: [Int64]) -> QueryInterfaceRequest<Marks> {
        guard let first = ids.min(), let last = ids.max() else { return DocumentText.none().asRequest(of: Marks.self) }
        return DocumentText.matching(ftsQuery)
            .filter((first...last).contains(Column.rowID) && SQLArray(ids).contains(Column.rowID + 0))
            .select(marks)
            .asRequest(of: Marks.self)
    }

    private var marks: [any SQLSelectable] {
        [
            Column.rowID.forKey("id"), FTS5.markedText(DocumentText.Columns.title).forKey("title"),
            FTS5.markedSnippet(DocumentText.Columns.body, tokenCount: 32).forKey("snippet"),
        ]
    }

    private var order: any SQLOrderingTerm {
        switch sort {
        case .relevance, .newest: Document.Columns.modified.desc
        case .oldest: Document.Columns.modified
        case .title: Document.Columns.title
        }
    }
}
