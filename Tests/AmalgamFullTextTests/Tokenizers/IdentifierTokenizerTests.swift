import Amalgam
import TestSupport
import Testing

@Suite("Names in programs")
struct IdentifierTokenizerTests {
    private let module = FTS5TokenizerModule.identifiers()

    private func withTokenizer(
        _ base: FTS5TokenizerDescriptor = .unicode61(), modules: [FTS5TokenizerModule] = [],
        _ test: (any FTS5Tokenizer) throws -> Void
    ) throws {
        try DatabaseQueue().write { db in
            for each in [module] + modules { db.add(tokenizer: each) }
            try test(db.makeTokenizer(module.descriptor(wrapping: base)))
        }
    }

    /// Returns `text@place` for each token, with `|` before a synonym.
    private func tokens(_ tokenizer: any FTS5Tokenizer, _ text: String) throws -> [String] {
        try tokenizer.tokens(of: text, for: .document).map { token in
            (token.flags.contains(.colocated) ? "|" : "") + "\(token.text)@\(text[token.range])"
        }
    }

    @Test("places are those of the text, whatever was put between the parts")
    func places() throws {
        try withTokenizer { tokenizer in
            expectEqual(
                try tokens(tokenizer, "let userID = parse_HTTPHeader(x)"),
                [
                    "let@let", "user@user", "|userid@userID", "id@ID", "parse@parse",
                    "|parsehttpheader@parse_HTTPHeader", "http@HTTP", "header@Header", "x@x",
                ])
            expectEqual(
                try tokens(tokenizer, "__aB__c_ dE"),
                ["a@a", "|abc@aB__c", "b@B", "c@c", "d@d", "|de@dE", "e@E"])
            expectEqual(
                try tokens(tokenizer, "größeMax—Wort"),
                [
                    "große@größe", "|großemax@größeMax", "max@Max", "wort@Wort",
                ])
            expectEqual(
                try tokens(tokenizer, "_one ALL two_ Three 4"),
                [
                    "one@one", "all@ALL", "two@two", "three@Three", "4@4",
                ])
        }
    }

    @Test("a pattern has no whole names, and its last part may be a beginning")
    func patterns() throws {
        try withTokenizer { tokenizer in
            expectEqual(
                try tokenizer.tokens(of: "parseHTTPHea", for: [.query, .prefix]).map(\.text), ["parse", "http", "hea"])
        }
    }

    @Test("the endings of parts are removed, and synonyms of them stay beside them")
    func wrapping() throws {
        try withTokenizer(.porter()) { tokenizer in
            expectEqual(
                try tokens(tokenizer, "parsingHeaders"),
                [
                    "pars@parsing", "|parsheader@parsingHeaders", "header@Headers",
                ])
        }
        let synonyms = FTS5TokenizerModule.synonyms([["header", "head"]])
        try withTokenizer(synonyms.descriptor(), modules: [synonyms]) { tokenizer in
            expectEqual(
                try tokens(tokenizer, "headerSize"),
                [
                    "header@header", "|headersize@headerSize", "|head@header", "size@Size",
                ])
        }
    }

    @Test("a match of a whole name is the whole name")
    func marks() throws {
        let names = ["class URLSession2 {}", "the iOS of urls", "parse_HTTPHeader"]
        try withDocuments(names, tokenizer: module.descriptor(), modules: [module]) { db in
            let marks: [(FTS5Query, [String])] = [
                ("urlsession2", ["URLSession2"]), ("session2", ["Session2"]), ("URLSession2", ["URLSession2"]),
                ("ios", ["iOS"]), ("OS", ["OS"]), (.prefix("urlsess"), ["URLSession2"]), (.prefix("ur"), ["URL"]),
                ("class urlsession2", ["class URLSession2"]), ("parsehttpheader", ["parse_HTTPHeader"]),
                ("http", ["HTTP"]), ("the ios", ["the iOS"]),
            ]
            for (query, expected) in marks {
                let request = Document.matching(query)
                    .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
                let marked = try #require(try request.fetchOne(db))
                #expect(marked.marks.map { String(marked.text[$0.range]) } == expected, "\(query)")
            }
        }
    }

    @Test("capital letters of any script begin a part, if the table is made for it")
    func unicodeCapitals() throws {
        let unicode = FTS5TokenizerModule.identifiers(capitals: .unicode, named: "unicode")
        try DatabaseQueue().write { db in
            db.add(tokenizer: unicode)
            db.add(tokenizer: module)
            let cases: [(String, ascii: [String], unicode: [String])] = [
                ("größeÄnderung", ["größeänderung"], ["größe", "größeänderung", "änderung"]),
                ("HTTPÄnderung", ["httpänderung"], ["http", "httpänderung", "änderung"]),
                ("имяФайла2Б", ["имяфайла2б"], ["имя", "имяфайла2б", "файла2", "б"]),
                ("ÄÖÜ Änderung", ["äöü", "änderung"], ["äöü", "änderung"]),
                ("éA_Ö", ["é", "éaö", "a", "ö"], ["é", "éaö", "a", "ö"]),
                ("userID", ["user", "userid", "id"], ["user", "userid", "id"]),
                ("日本ABC", ["日本", "日本abc", "abc"], ["日本", "日本abc", "abc"]),
            ]
            for (text, ascii, expected) in cases {
                let base = FTS5TokenizerDescriptor.unicode61(diacritics: .keep)
                let tokens = try [module, unicode].map { module in
                    try db.makeTokenizer(module.descriptor(wrapping: base)).tokenize(document: text).map(\.token)
                }
                #expect(tokens == [ascii, expected], "\(text)")
            }
        }
        try withDocuments(["let größeÄnderung = 1"], tokenizer: unicode.descriptor(), modules: [unicode]) { db in
            for name in ["Änderung", "größe_änderung", "größeÄnderung", "größeänderung"] {
                expectEqual(try db.rowIDs(of: FTS5Query(name)), [1], "\(name)")
            }
        }
    }

    @Test("random names: the parts are the text, in order, and the whole is all of them")
    func randomNames() throws {
        var generator = SeededGenerator(seed: 7)
        let pieces = ["user", "ID", "HTTP", "Header", "_", "__", " ", "é", "X", "9", "—", "日", "-"]
        try withTokenizer(.unicode61(diacritics: .keep)) { tokenizer in
            for _ in 0..<2_000 {
                let text = (0..<Int.random(in: 0...12, using: &generator))
                    .map { _ in pieces.randomElement(using: &generator)! }.joined()
                let tokens = try tokenizer.tokens(of: text, for: .document)
                let parts = tokens.filter { !$0.flags.contains(.colocated) }
                for part in parts { #expect(text[part.range].lowercased() == part.text, "\(text)") }
                #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound })
                for whole in tokens where whole.flags.contains(.colocated) {
                    let inside = parts.filter { whole.range.contains($0.range.lowerBound) }
                    #expect(inside.count > 1 && inside.map(\.text).joined() == whole.text, "\(text)")
                }
                let query = try tokenizer.tokens(of: text, for: .query)
                #expect(query.map(\.text) == parts.map(\.text), "\(text)")
            }
        }
    }
}
