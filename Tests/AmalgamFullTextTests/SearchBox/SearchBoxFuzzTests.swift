import Amalgam
import Testing
import TestSupport

/// Generates strings of tokens of the parser, of any characters, and of both.
struct RandomTexts: RandomNumberGenerator {
    static let pieces = [
        "\"", "“", "”", "-", "−", "--", "(", ")", "（", "*", "**", ":", "title:", "body:", "by:", "x:", "OR", "AND",
        "NOT",
        "NEAR", "NEAR(", ",", "|", "||", "&", "&&", "+", "^", "{", "}", "word", "té", "日本", "🎉", "a", "\0", "\u{1A}",
        "\u{301}", "\u{200D}", "'", "''", ";", "--", "/*", "\\", "%", "\n", "\u{FEFF}", "ﬁ", "1", ".5", "@", "#",
    ]

    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    mutating func text() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            switch Int.random(in: 0...9, using: &self) {
            case 0...5: text += Self.pieces.randomElement(using: &self)!
            case 6, 7: text += " "
            case 8: text.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: 0...127, using: &self)))
            default: text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: 0...0x1_FFFF, using: &self)) ?? "?")
            }
        }
        return text
    }
}

@Suite("SQLite accepts whatever people type")
struct SearchBoxFuzzTests {
    static let syntaxes = [
        SearchBoxSyntax(),
        SearchBoxSyntax(fields: ["title", "body"], matchesPrefixOfLastWord: true),
        SearchBoxSyntax(
            fields: ["by": ["author", "title"], "x": []], matchesPrefixOfLastWord: true, defaultOperator: .or),
    ]

    @Test("five thousand random texts, with each syntax", arguments: syntaxes)
    func randomTexts(syntax: SearchBoxSyntax) throws {
        var texts = RandomTexts(seed: 7)
        try withArticles { db in
            var (queries, matches) = (0, 0)
            for _ in 0..<5_000 {
                let text = texts.text()
                guard let query = FTS5Query(searchBox: text, syntax: syntax) else { continue }
                queries += 1
                do {
                    matches += try Article.matching(query).fetchCount(db)
                } catch {
                    Issue.record("\(text.debugDescription) → \(query): \(error)")
                }
            }
            // The test isn't empty.
            #expect(queries > 2_500)
            #expect(matches > 50)
        }
    }

    @Test("one piece, many times, with and without others around it", arguments: syntaxes)
    func repeatedPieces(syntax: SearchBoxSyntax) throws {
        let pairs = ["title:\"\" ", "by:\"\" ", "x:-", "-(", "title:(", "(a OR ", "(title:a -", "a OR -", ") -("]
        try withArticles { db in
            for piece in RandomTexts.pieces + pairs {
                let text = String(repeating: piece, count: 200)
                for text in [text, text + "x", "a " + text + "x b", "(" + text + " x"] {
                    guard let query = FTS5Query(searchBox: text, syntax: syntax) else { continue }
                    do {
                        _ = try Article.matching(query).fetchCount(db)
                    } catch {
                        Issue.record("\(piece.debugDescription) → \(query): \(error)")
                    }
                }
            }
        }
    }

    @Test("random queries: SQLite reads the syntax as it is meant")
    func randomQueries() throws {
        var random = RandomTexts(seed: 42)
        try withArticles { db in
            for _ in 0..<1_000 {
                let model = QueryModel.random(depth: 4, &random)
                let found = try Set(titles(db, matching: model.query.rawPattern()))
                let expected = try model.titles(db)
                #expect(found == expected, "\(model.query)")
            }
        }
    }
}

/// A query, and its results computed from the documents of its words.
private indirect enum QueryModel {
    case word(String)
    case column(String, QueryModel)
    case and(QueryModel, QueryModel)
    case or(QueryModel, QueryModel)
    case not(QueryModel, QueryModel)
    case all([QueryModel])

    static let words = ["sqlite", "swift", "java", "text", "full", "database", "a", "once", "missing"]

    static func random(depth: Int, _ random: inout RandomTexts) -> QueryModel {
        if depth == 0 { return .word(words.randomElement(using: &random)!) }
        func part() -> QueryModel { .random(depth: Int.random(in: 0..<depth, using: &random), &random) }
        switch Int.random(in: 0...5, using: &random) {
        case 0: return .word(words.randomElement(using: &random)!)
        case 1: return .column(["title", "body"].randomElement(using: &random)!, part())
        case 2: return .and(part(), part())
        case 3: return .or(part(), part())
        case 4: return .not(part(), part())
        default: return .all([part(), part(), part()])
        }
    }

    var query: FTS5Query {
        switch self {
        case .word(let word): FTS5Query(word)
        case .column(let column, let model): model.query.inColumns(column)
        case .and(let left, let right): left.query && right.query
        case .or(let left, let right): left.query || right.query
        case .not(let left, let right): left.query.not(right.query)
        case .all(let models): FTS5Query.all(models.map(\.query))!
        }
    }

    func titles(_ db: Database, in columns: Set<String> = ["title", "body"]) throws -> Set<String> {
        switch self {
        case .word(let word):
            return try columns.reduce(into: []) { found, column in
                found.formUnion(try AmalgamFullTextTests.titles(db, matching: "\(column) : \(word)"))
            }
        case .column(let column, let model): return try model.titles(db, in: columns.intersection([column]))
        case .and(let left, let right):
            return try left.titles(db, in: columns).intersection(right.titles(db, in: columns))
        case .or(let left, let right): return try left.titles(db, in: columns).union(right.titles(db, in: columns))
        case .not(let left, let right):
            return try left.titles(db, in: columns).subtracting(right.titles(db, in: columns))
        case .all(let models):
            return try models.dropFirst().reduce(models[0].titles(db, in: columns)) { found, model in
                found.intersection(try model.titles(db, in: columns))
            }
        }
    }
}
