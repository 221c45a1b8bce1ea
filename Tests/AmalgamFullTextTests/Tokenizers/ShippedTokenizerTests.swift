import Amalgam
import AmalgamCore
@testable import AmalgamFullText
import TestSupport
import Testing

@Suite("Tokenizers that come with the package")
struct ShippedTokenizerTests {
    /// Returns the tokens of a string, with synonyms after a bar.
    private func tokens(
        _ text: String, _ module: FTS5TokenizerModule, wrapping base: FTS5TokenizerDescriptor? = nil,
        for tokenization: FTS5Tokenization = .document, locale: String? = nil
    ) throws -> String {
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            let descriptor = base.map { module.descriptor(wrapping: $0) } ?? module.descriptor()
            let tokens = try db.makeTokenizer(descriptor).tokens(of: text, for: tokenization, locale: locale)
            return tokens.reduce("") { $0 + ($1.flags == .colocated ? "|" : $0.isEmpty ? "" : " ") + $1.text }
        }
    }

    /// Returns the parts of a string that are tokens.
    private func places(_ text: String, _ module: FTS5TokenizerModule) throws -> [String] {
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            let tokens = try db.makeTokenizer(module.descriptor()).tokens(of: text, for: .document)
            return tokens.filter { $0.flags.isEmpty }.map { String(text[$0.range]) }
        }
    }

    @Test("stop words")
    func stopWords() throws {
        let module = FTS5TokenizerModule.stopWords(["the", "OF"])
        expectEqual(try tokens("The theory of the firm", module), "theory firm")
        expectEqual(try tokens("The theory of the", module, for: .query), "theory")
        expectEqual(try tokens("of the", module, for: [.query, .prefix]), "the")
        expectEqual(
            try tokens("the theories", .stopWords(FTS5TokenizerModule.englishStopWords), wrapping: .porter()), "theori")
        let texts = ["the theory of the firm", "a theory firm"]
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
            expectEqual(try db.rowIDs(matching: "\"theory of firm\""), [1, 2])
            expectEqual(try db.rowIDs(matching: "the*"), [1, 2])
            expectEqual(try db.rowIDs(matching: "the"), [])
        }
    }

    @Test("folding keeps apart what has other bytes, even where strings are equal")
    func foldingOfEqualStrings() throws {
        let module = FTS5TokenizerModule.folding(.letterCase)
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            let tokenizer = try db.makeTokenizer(module.descriptor(wrapping: .ascii()))
            let tokens = try tokenizer.tokenize(document: "\u{C9} E\u{301}").map { Array($0.token.utf8) }
            #expect(tokens == [Array("\u{E9}".utf8), Array("e\u{301}".utf8)])
        }
    }

    @Test("a name of several parts does not make its parts longer in a text with a locale")
    func identifiersWithLocale() throws {
        let module = FTS5TokenizerModule.identifiers()
        try DatabaseQueue().write { db in
            db.add(tokenizer: module)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = module.descriptor()
                t.locale = true
                t.column("title")
                t.column("body")
            }
            try db.execute(
                literal: "INSERT INTO document VALUES ('', \(FTS5.localized("fooBarBaz", locale: "en")))")
            let request = Document.matching(FTS5Pattern(matchingPhrase: "bar"))
                .select(FTS5.highlight(Column("body"), from: "<", to: ">"), as: String.self)
            expectEqual(try request.fetchOne(db), "foo<Bar>Baz")
        }
    }

    @Test("stop words by locale")
    func stopWordsByLocale() throws {
        let module = FTS5TokenizerModule.stopWords(byLocale: ["en": ["the"], "de": ["die"], "de_CH": ["dä"], "": ["x"]])
        expectEqual(try tokens("the die dä x", module, locale: "en_GB"), "die da x")
        expectEqual(try tokens("the die dä x", module, locale: "de-AT"), "the da x")
        expectEqual(try tokens("the die dä x", module, locale: "de_CH"), "the die x")
        expectEqual(try tokens("the die dä x", module, locale: "fr"), "the die da")
        expectEqual(try tokens("the die dä x", module), "the die da")
    }

    @Test("synonyms in the index, or in searches")
    func synonyms() throws {
        let groups = [["car", "Automobile"], ["fast", "quick", "rapid"]]
        let documents = FTS5TokenizerModule.synonyms(groups)
        expectEqual(try tokens("a fast car", documents), "a fast|quick|rapid car|automobile")
        expectEqual(try tokens("a fast car", documents, for: .query), "a fast car")
        let queries = FTS5TokenizerModule.synonyms(groups, expanding: .queries)
        expectEqual(try tokens("a fast car", queries), "a fast car")
        expectEqual(try tokens("a fast car", queries, for: .query), "a fast|quick|rapid car|automobile")
        expectEqual(try tokens("fast car", queries, for: [.query, .prefix]), "fast|quick|rapid car")
        for module in [documents, queries] {
            let texts = ["a fast car", "a rapid automobile", "a carton"]
            try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
                expectEqual(try db.rowIDs(matching: "\"quick automobile\""), [1, 2])
                expectEqual(try db.rowIDs(matching: "rapid NOT quick"), [])
                expectEqual(
                    try Document.matching(FTS5Pattern(matchingPhrase: "quick car"))
                        .select(FTS5.highlight(Column("body"), from: "<", to: ">"), as: String.self).fetchAll(db),
                    ["a <fast car>", "a <rapid automobile>"])
            }
        }
    }

    @Test("a pattern that begins with a stop word finds its document, also if the stop word has synonyms")
    func synonymsOfStopWords() throws {
        let stopWords = FTS5TokenizerModule.stopWords(["the"])
        let groups = [["the", "le"], ["car", "auto"]]
        for expansion in [FTS5SynonymExpansion.documents, .queries] {
            let synonyms = FTS5TokenizerModule.synonyms(groups, expanding: expansion)
            let tokenizer = stopWords.descriptor(wrapping: synonyms.descriptor())
            try withDocuments(["the car", "a car"], tokenizer: tokenizer, modules: [stopWords, synonyms]) { db in
                expectEqual(try db.rowIDs(of: FTS5Query("the car")), [1, 2])
                expectEqual(try db.rowIDs(of: FTS5Query("the auto")), [1, 2])
                let highlight = FTS5.highlight(Column("body"), from: "<", to: ">")
                let request = Document.matching(FTS5Query("car")).select(highlight, as: String.self)
                expectEqual(try request.fetchAll(db), ["the <car>", "a <car>"])
            }
        }
    }

    @Test("a synonym is one word")
    func wrongSynonym() throws {
        expectError(.SQLITE_MISUSE, "the synonym \"New York\" has 2 tokens: a synonym is one word") {
            _ = try tokens("", .synonyms([["nyc", "New York"]]))
        }
    }

    @Test("rankings count synonyms and not stop words")
    func rankings() throws {
        let stopWords = FTS5TokenizerModule.stopWords(["the"])
        let synonyms = FTS5TokenizerModule.synonyms([["car", "automobile"]])
        let tokenizer = synonyms.descriptor(wrapping: stopWords.descriptor())
        // All documents have the same number of tokens: two matches rank higher than one, and "the" doesn't make a
        // document longer.
        let texts = ["car x", "the automobile the car", "y z"]
        try withDocuments(texts, tokenizer: tokenizer, modules: [stopWords, synonyms]) { db in
            let request = Document.matching(FTS5Pattern(matchingPhrase: "car")).order(Column.rank)
            expectEqual(try request.fetchAll(db).map(\.title), ["1", "0"])
            let sizes = FTS5Function("tokenCount") { match, _ in try match.size(ofColumn: 1) }
            try db.add(auxiliaryFunction: sizes)
            expectEqual(try request.select(sizes(), as: Int.self).fetchAll(db), [2, 2])
        }
    }

    @Test("folding")
    func folding() throws {
        let text = "Ｆｕｌｌ ﬁne Straße in Łódź"
        expectEqual(try tokens(text, .folding()), "full fine strasse in lodz")
        let ascii = FTS5TokenizerDescriptor.ascii()
        expectEqual(try tokens("ﬁ É", .folding(.compatibility), wrapping: ascii), "fi É")
        expectEqual(try tokens("ﬁ Éệ", .folding(.diacritics), wrapping: ascii), "ﬁ Ee")
        expectEqual(try tokens("Æ ß", .folding(.letters), wrapping: ascii), "AE ss")
        expectEqual(try tokens("É", .folding(.letterCase), wrapping: ascii), "é")
        // Voiced sounds of Japanese, and vowels of Hindi, are separate letters.
        expectEqual(try tokens("ｶﾞ が हिन्दी", .folding(), wrapping: ascii), "ガ が हिन्दी")
        expectEqual(try places(text, .folding()), ["Ｆｕｌｌ", "ﬁne", "Straße", "in", "Łódź"])
    }

    @Test("bigrams of Chinese, Japanese and Korean")
    func bigrams() throws {
        let module = FTS5TokenizerModule.cjkBigrams()
        expectEqual(try tokens("東京都 Tower", module), "東京|東 京都|京 都 tower")
        // The last character takes a position if the pattern continues, as it does in documents.
        expectEqual(try tokens("東京都Tower", module, for: .query), "東京 京都 都 tower")
        expectEqual(try tokens("東京都!", module, for: .query), "東京 京都")
        expectEqual(try tokens("東京都 2", module, for: [.query, .prefix]), "東京 京都 都 2")
        expectEqual(try tokens("都", module, for: .query), "都")
        expectEqual(try tokens("か\u{3099}く", module, for: .query), "か\u{3099}く")
        expectEqual(try tokens("한국어, ok", module, for: .query), "한국 국어 어 ok")
        expectEqual(try places("x東京都y", module), ["x", "東京", "京都", "都", "y"])
        let texts = ["東京都は大きい", "京都の寺", "Kyoto 京都タワー"]
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
            expectEqual(try db.rowIDs(matching: "京都"), [1, 2, 3])
            expectEqual(try db.rowIDs(matching: "東京都"), [1])
            expectEqual(try db.rowIDs(matching: "寺"), [2])
            expectEqual(try db.rowIDs(matching: "都*"), [1, 2, 3])
            expectEqual(try db.rowIDs(matching: "京都タ*"), [3])
            expectEqual(try db.rowIDs(matching: "kyoto 京都"), [3])
            expectEqual(try db.rowIDs(matching: "都京"), [])
        }
    }

    @Test("identifiers")
    func identifiers() throws {
        let module = FTS5TokenizerModule.identifiers()
        expectEqual(
            try tokens("let userID = parse_HTTPHeader()", module),
            "let user|userid id parse|parsehttpheader http header")
        expectEqual(try tokens("parseHTTP", module, for: .query), "parse http")
        expectEqual(
            try tokens("utf8String _private __init__ A größeMax", module),
            "utf8|utf8string string private init a große|großemax max")
        expectEqual(try places("getUserID(x)", module), ["get", "User", "ID", "x"])
        let texts = ["func parseHTTPHeader()", "parse_http_header", "PARSE HTTP header", "parsehttpheader"]
        try withDocuments(texts, tokenizer: module.descriptor(), modules: [module]) { db in
            expectEqual(try db.rowIDs(matching: "parseHttpHeader"), [1, 2, 3])
            expectEqual(try db.rowIDs(matching: "parsehttpheader"), [1, 2, 4])
            expectEqual(try db.rowIDs(matching: "httpHea*"), [1, 2, 3])
        }
    }

    @Test("HTML")
    func html() throws {
        let module = FTS5TokenizerModule.html()
        let page = "<p title=\"a>b\">Un caf&eacute; <b>no</b>ir</p><script>x()</script>"
        expectEqual(try tokens(page, module), "un cafe noir")
        expectEqual(try places(page, module), ["Un", "caf&eacute;", "no</b>ir"])
        let cases = [
            "a<br>b": "a b", "a<!-- no <p> -->b": "ab", "<style>p{}</style>x": "x", "3 < 4 &amp; 5": "3 4 5",
            "&#233;t&#xE9;": "ete", "data&shy;base": "database", "&nosuch; &lt;b&gt;": "nosuch b", "a &": "a",
            "un<wbr>broken": "unbroken", "<p": "", "text<": "text", "<a href='x": "", "&Omega; &omega;": "ω ω",
            "<script>never ends": "", "&#0;&#xD800;&#x110000;": "\u{FFFD}\u{FFFD}\u{FFFD}",
        ]
        for (text, expected) in cases {
            let actual = try tokens(text, module)
            #expect(actual == expected || expected.contains("\u{FFFD}"), "\(text)")
        }
        // A pattern isn't parsed as HTML.
        expectEqual(try tokens("<p>x</p>", module, for: .query), "p x p")
        try withDocuments([page], tokenizer: module.descriptor(), modules: [module]) { db in
            expectEqual(
                try Document.matching(FTS5Pattern(matchingAllTokensIn: "cafe noir"))
                    .select(FTS5.highlight(Column("body"), from: "[", to: "]"), as: String.self).fetchAll(db),
                ["<p title=\"a>b\">Un [caf&eacute;] <b>[no</b>ir]</p><script>x()</script>"])
        }
    }

    @Test("JSON")
    func json() throws {
        let module = FTS5TokenizerModule.json()
        let text = #"{"title": "Caf\u00e9 noir", "year": 1967, "tags": ["a\"b", "new\nline"], "ok": true}"#
        expectEqual(try tokens(text, module), "cafe noir 1967 a b new line")
        expectEqual(
            try tokens(text, .json(includesKeys: true)), "title cafe noir year 1967 tags a b new line ok")
        expectEqual(try places(text, module).prefix(3), [#"Caf\u00e9"#, "noir", "1967"])
        let cases = [
            "plain \"text\" here": "plain text here", #"["x"#: "x", #"["x\"#: "x", #"{"k" : "v"}"#: "v",
            #"["\ud840\udc00"]"#: "𠀀", #""\u00zz é""#: "00zz e", "": "", "[-1.5e3]": "1 5e3", #"["\é"]"#: "e",
        ]
        for (text, expected) in cases {
            let actual = try tokens(text, module)
            #expect(actual == expected, "\(text)")
        }
        expectEqual(try tokens(#"{"k": "v"}"#, module, for: .query), "k v")
    }

    @Test("tokenizers compose")
    func composition() throws {
        let html = FTS5TokenizerModule.html()
        let stopWords = FTS5TokenizerModule.stopWords(["der"])
        let folding = FTS5TokenizerModule.folding()
        let bigrams = FTS5TokenizerModule.cjkBigrams()
        let tokenizer = html.descriptor(
            wrapping: stopWords.descriptor(wrapping: folding.descriptor(wrapping: bigrams.descriptor())))
        #expect(tokenizer.components == ["html", "stop_words", "folding", "cjk_bigrams"])
        let texts = ["<p>Der Stra&szlig;enverkehr</p> in 東京&#x90fd;"]
        try withDocuments(texts, tokenizer: tokenizer, modules: [html, stopWords, folding, bigrams]) { db in
            expectEqual(try db.rowIDs(matching: "STRASSENVERKEHR"), [1])
            expectEqual(try db.rowIDs(matching: "京都"), [1])
            expectEqual(try db.rowIDs(matching: "der"), [])
            expectEqual(
                try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'document'")?
                    .contains("tokenize='''html'' ''stop_words'' ''folding'' ''cjk_bigrams'''"), true)
        }
    }

    @Test("offsets are at borders of characters, whatever the text")
    func fuzz() throws {
        let modules: [FTS5TokenizerModule] = [
            .stopWords(["a", "the"]), .synonyms([["a", "b"], ["tag", "京"]], named: "synonyms"), .folding(),
            .cjkBigrams(), .identifiers(), .html(), .json(includesKeys: true), .southEastAsianPairs(), .emoji(),
            .multilingual(),
        ]
        let pieces = [
            "a", "the", "B", "_", "Camel", "HTTP", "9", " ", "\t", "\n", "é", "e\u{301}", "ß", "ﬁ", "東", "京",
            "か\u{3099}",
            "한", "ｶﾞ", "🤝", "👩‍👩‍👧", "\u{FE0F}", "\u{E0100}", "<", ">", "<b>", "</p>", "<!--", "-->", "<script>",
            "</script>", "&", "&amp;", "&eacute;", "&#x1F600;", "&#", ";", "\"", "\\", "\\u00e9", "\\ud83d\\ude00",
            "\\ud83d",
            "{", "}", "[", "]", ":", ",", "'", "\0", "𠀀", "\u{200D}", "\u{AD}", "กิ",
            "น", "\u{0E34}", "\u{17D2}", "ខ", "\u{200B}", "👍🏽", "🇫", "1\u{FE0F}\u{20E3}",
        ]
        var generator = SeededGenerator(seed: 20_26)
        try DatabaseQueue().write { db in
            for module in modules { db.add(tokenizer: module) }
            var tokenizers = try modules.map { try db.makeTokenizer($0.descriptor()) }
            let all = modules.reversed().reduce(FTS5TokenizerDescriptor.porter()) { $1.descriptor(wrapping: $0) }
            tokenizers.append(try db.makeTokenizer(all))
            for _ in 0..<400 {
                let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    pieces.randomElement(using: &generator)!
                }.joined()
                for tokenizer in tokenizers {
                    for tokenization: FTS5Tokenization in [.document, .query, [.query, .prefix], .aux] {
                        try check(tokenizer, tokenization, text)
                    }
                }
            }
        }
    }

    /// Checks the positions in bytes that SQLite receives, and those in Swift, which are never inside a character.
    private func check(_ tokenizer: any FTS5Tokenizer, _ tokenization: FTS5Tokenization, _ text: String) throws {
        let borders = text.unicodeScalars.reduce(into: [0]) { $0.append($0.last! + String($1).utf8.count) }
        var copy = text
        var lastStart = 0
        try copy.withUTF8 { bytes in
            let tokenized = TokenizedText(bytes: UnsafeRawBufferPointer(bytes), tokenization: tokenization)
            try tokenizer.forEachToken(in: tokenized) { token in
                let isPlaced = borders.contains(token.start) && borders.contains(token.end) && token.start <= token.end
                if !isPlaced || token.start < lastStart || token.bytes.isEmpty {
                    Issue.record("\(token.start)..<\(token.end) of \(text.debugDescription)")
                }
                lastStart = token.start
            }
        }
        let characterBorders = Set(text.indices).union([text.endIndex])
        for token in try tokenizer.tokens(of: text, for: tokenization) {
            if !characterBorders.isSuperset(of: [token.range.lowerBound, token.range.upperBound]) {
                Issue.record("\(token.text) of \(text.debugDescription)")
            }
        }
    }
}
