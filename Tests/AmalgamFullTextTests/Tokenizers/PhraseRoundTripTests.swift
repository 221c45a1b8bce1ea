import Amalgam
import AmalgamCore
import Testing

/// A tokenizer, and the format of its documents.
struct RoundTrip: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let modules: [FTS5TokenizerModule]
    let descriptor: FTS5TokenizerDescriptor
    var markup = Markup.none

    enum Markup {
        case none, html, json
    }

    /// The first module wraps the second one, and so on; the last one wraps a tokenizer of SQLite.
    init(_ modules: [FTS5TokenizerModule], _ base: FTS5TokenizerDescriptor = .unicode61(), _ markup: Markup = .none) {
        self.modules = modules
        self.markup = markup
        descriptor = modules.reversed().reduce(base) { $1.descriptor(wrapping: $0) }
        testDescription = descriptor.components.joined(separator: " ")
    }

    /// Returns a document that contains a string.
    func document(_ text: String) -> String {
        switch markup {
        case .none: text
        case .html:
            "<p class=\"the car\">" + text.replacing("é", with: "&eacute;").replacing("r", with: "<b>r</b>") + "</p>"
        case .json:
            "{\"the\": [\"" + text.replacing("é", with: "\\u00e9").replacing(" ", with: "\", \"") + "\"], \"n\": {}}"
        }
    }
}

@Suite("A phrase copied from a document finds the document")
struct PhraseRoundTripTests {
    static let roundTrips: [RoundTrip] = {
        let stopWords = FTS5TokenizerModule.stopWords(["the", "of", "の", "cars"])
        let synonyms = FTS5TokenizerModule.synonyms([["car", "auto"], ["the", "le"], ["firm", "of"]])
        let late = FTS5TokenizerModule.synonyms(
            [["car", "auto"], ["the", "le"], ["firm", "of"]], expanding: .queries, named: "late")
        let (folding, bigrams) = (FTS5TokenizerModule.folding(), FTS5TokenizerModule.cjkBigrams())
        let (identifiers, html) = (FTS5TokenizerModule.identifiers(), FTS5TokenizerModule.html())
        let unicode = FTS5TokenizerModule.identifiers(capitals: .unicode, named: "unicode_identifiers")
        let json = FTS5TokenizerModule.json()
        let plain = [[stopWords], [synonyms], [late], [folding], [bigrams], [identifiers], [unicode]]
        let pairs = [
            [stopWords, synonyms], [stopWords, late], [stopWords, bigrams], [stopWords, identifiers],
            [bigrams, stopWords], [identifiers, stopWords], [identifiers, synonyms], [identifiers, late],
            [identifiers, bigrams], [bigrams, identifiers], [unicode, bigrams], [folding, bigrams],
            [bigrams, folding], [late, bigrams], [bigrams, late], [synonyms, identifiers],
            [stopWords, late, folding, bigrams], [identifiers, stopWords, synonyms, bigrams],
        ]
        return (plain + pairs).map { RoundTrip($0) } + (plain + pairs).map { RoundTrip($0, .porter()) }
            + [[], [stopWords], [bigrams], [identifiers], [stopWords, late, identifiers, bigrams]].flatMap { inner in
                [RoundTrip([html] + inner, .porter(), .html), RoundTrip([json] + inner, .porter(), .json)]
            }
    }()

    private static let pieces = [
        "the ", "of ", "car ", "cars ", "auto ", "firm ", "userID ", "HTTPHeader ", "snake_case ", "größeÄnderung ",
        "iOS",
        "東京", "の", "都 ", "2020", "theory ", "café ", "ﬁne ", "Straße ", "- ", "databases ", "running",
    ]

    @Test("whatever the tokenizer, and those that it wraps", arguments: roundTrips)
    func phrases(of roundTrip: RoundTrip) throws {
        var random = RandomDocuments(seed: 5)
        let texts = (0..<60).map { _ in random.document(of: Self.pieces, count: 1...14) }
        let documents = texts.map(roundTrip.document)
        try withDocuments(documents, tokenizer: roundTrip.descriptor, modules: roundTrip.modules) { db in
            let tokenizer = try db.makeTokenizer(roundTrip.descriptor)
            var count = 0
            for (index, text) in texts.enumerated() {
                let tokens = try tokenizer.tokens(of: text, for: .aux).filter { $0.flags.isEmpty }
                if tokens.isEmpty { continue }
                for _ in 0..<8 {
                    let part = random.part(of: tokens.count)
                    let range = tokens[part.lowerBound].range.lowerBound..<tokens[part.upperBound].range.upperBound
                    try expect(String(text[range]), finds: Int64(index + 1), in: db, roundTrip, tokenizer)
                    count += 1
                }
            }
            #expect(count > 300)
        }
    }

    private func expect(
        _ phrase: String, finds rowID: Int64, in db: Database, _ roundTrip: RoundTrip, _ tokenizer: any FTS5Tokenizer
    ) throws {
        if try tokenizer.tokenize(query: phrase).isEmpty { return }
        let request = Document.matching(FTS5Query(phrase)).filter(Column.rowID == rowID)
            .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
        guard let marked = try request.fetchOne(db) else {
            Issue.record("\(phrase.debugDescription) doesn't find its document")
            return
        }
        if roundTrip.markup != .none { return }
        let marks = marked.marks.map { String(marked.text[$0.range]) }
        #expect(marks.contains(phrase), "\(marks) for \(phrase.debugDescription) in \(marked.text)")
    }
}
