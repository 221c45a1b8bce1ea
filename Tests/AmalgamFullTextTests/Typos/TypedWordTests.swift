import Amalgam
import TestSupport
import Testing

@Suite("Results while people type")
struct TypedWordTests {
    private static let typing = SearchBoxSyntax(matchesPrefixOfLastWord: true)

    /// Sentences of words whose stems differ from their beginnings, and of stop words.
    private static let words = """
        running runners runs flies flying happiness happily relational relations relatives generalization \
        generalizations generously nationality operators operational operates hopeful hopefulness hopping hoped databases organization \
        organizing organizers conditional conditionally vietnamization predication triplicate formative formalize \
        electricity electrical goodness revival allowance inference airliner gyroscopic adjustable defensible irritant \
        replacement adjustment dependent adoption homologous communism activate angularity effective bowdlerize \
        stopped stopping agreed plastered motoring sized tanned falling hissing fizzed failing filing sky cities \
        the and of war peace to in that with which there these theory tones andromeda office Internet wither notes
        """.split(separator: " ").map { String($0) }

    private static func withDocuments(
        _ tokenizer: FTS5TokenizerDescriptor, of words: [String] = words, _ test: (Database) throws -> Void
    ) throws {
        var configuration = Configuration()
        let stopWords = FTS5TokenizerModule.stopWords(FTS5TokenizerModule.englishStopWords)
        configuration.prepareDatabase { db in db.add(tokenizer: stopWords) }
        try DatabaseQueue(configuration: configuration).write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = tokenizer
                t.column("body")
            }
            var random = RandomDocuments(seed: 4)
            for _ in 0..<400 {
                let text = (0..<6).map { _ in random.element(of: words) }.joined(separator: " ")
                try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: [text])
            }
            try test(db)
        }
    }

    static let tokenizers: [FTS5TokenizerDescriptor] = {
        let stopWords = FTS5TokenizerModule.stopWords(FTS5TokenizerModule.englishStopWords)
        return [
            .unicode61(), .porter(), stopWords.descriptor(wrapping: .unicode61()),
            stopWords.descriptor(wrapping: .porter()),
        ]
    }()

    @Test("500 queries letter by letter: each beginning finds what the whole word finds", arguments: tokenizers.indices)
    func letterByLetter(tokenizer: Int) throws {
        try Self.withDocuments(Self.tokenizers[tokenizer]) { db in
            try Self.typeLetterByLetter(Self.words, db, seed: tokenizer)
        }
    }

    /// Types 125 pairs of words, and expects that each beginning finds what the first word, or both words, find.
    private static func typeLetterByLetter(_ words: [String], _ db: Database, seed: Int) throws {
        var random = RandomDocuments(seed: UInt64(seed))
        for _ in 0..<125 {
            let words = (0..<2).map { _ in random.element(of: words) }
            let text = words.joined(separator: " ")
            // The results of the first word alone, and of both words.
            for (whole, start) in [(words[0], 1), (text, words[0].count + 2)] {
                let expected = Set(try db.rowIDs(searchBox: whole + " "))
                for length in start...whole.count {
                    let typed = String(whole.prefix(length))
                    let found = Set(try db.rowIDs(searchBox: typed, syntax: typing))
                    #expect(found.isSuperset(of: expected), "\(typed) → \(whole)")
                }
            }
        }
    }

    @Test("500 queries letter by letter in other languages", arguments: TypedLanguage.all.indices)
    func letterByLetter(language: Int) throws {
        let (language, seed) = (TypedLanguage.all[language], language)
        let words = language.words + language.language.stopWords.prefix(20)
        let tokenizer = FTS5TokenizerDescriptor.snowball(language: language.language, stopWords: true)
        try Self.withDocuments(tokenizer, of: words) { db in
            try Self.typeLetterByLetter(words, db, seed: seed)
        }
    }

    @Test("a table of several languages finds the longer words of each")
    func severalLanguages() throws {
        let languages = TypedLanguage.all.filter { $0.language != .russian }
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = .snowball(languages: languages.map(\.language), stopWords: true)
                t.locale = true
                t.column("body")
            }
            for (language, word) in languages.flatMap({ it in it.words.map { (it.language, $0) } }) {
                let body = FTS5.localized(word, locale: language.rawValue)
                try db.execute(literal: "INSERT INTO document VALUES (\(body))")
            }
            var random = RandomDocuments(seed: 9)
            let words = languages.flatMap(\.words)
            for word in (0..<30).map({ _ in random.element(of: words) }) {
                let expected = Set(try db.rowIDs(searchBox: word))
                #expect(!expected.isEmpty, "\(word)")
                for length in 3...word.count {
                    let typed = String(word.prefix(length))
                    let found = Set(try db.rowIDs(searchBox: typed, syntax: Self.typing))
                    #expect(found.isSuperset(of: expected), "\(typed) → \(word)")
                }
            }
        }
    }

    @Test("a phrase is typed without holes, too")
    func phrases() throws {
        try Self.withDocuments(Self.tokenizers[3]) { db in
            try db.execute(sql: "INSERT INTO document VALUES ('the war and peace of runs')")
            let whole = #""war and peace of running"#
            for length in 5...whole.count {
                let typed = String(whole.prefix(length))
                #expect(try db.rowIDs(searchBox: typed, syntax: Self.typing).contains(401), "\(typed)")
            }
        }
    }

    @Test("the pattern has only what the prefix doesn't find")
    func patterns() throws {
        func pattern(_ text: String, _ tokenizer: Int) throws -> String? {
            var pattern: String?
            try Self.withDocuments(Self.tokenizers[tokenizer]) { db in
                pattern = try FTS5Query(searchBox: text, syntax: Self.typing)?.pattern(db, forTable: "document")
                    .rawPattern
            }
            return pattern
        }
        #expect(try pattern("war runnin", 0) == "war runnin*")
        #expect(try pattern("runnin", 1)?.split(separator: " ").contains("running") == true)
        #expect(try pattern("war and", 0) == "war and*")
        #expect(try pattern("war and", 2) == "war and* OR war")
        #expect(try pattern("and", 2) == "and*")
        #expect(try pattern("😀 runnin", 1) == pattern("runnin", 1))
    }

    /// The pattern of a typed string in an empty table of a language.
    private func pattern(
        _ text: String, _ language: SnowballLanguage, stopWords: Bool = false
    ) throws -> String? {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = .snowball(language: language, stopWords: stopWords)
                t.column("body")
            }
            return try FTS5Query(searchBox: text, syntax: Self.typing)?.pattern(db, forTable: "document").rawPattern
        }
    }

    @Test("the endings are those of the table's language")
    func endingsOfTheLanguage() throws {
        #expect(try pattern("freundlichk", .german) == #"freundlichk* OR freundlichkeit"#)
        #expect(try pattern("freundlichk", .swedish) == "freundlichk*")
        #expect(try pattern("conservaç", .portuguese) == "conservaç* OR conservação")
        #expect(try pattern("αγαπούσατ", .greek)?.hasPrefix("αγαπούσατ* OR ") == true)
        #expect(try pattern("лепот", .serbian) == "лепот*")
    }

    @Test("a beginning that the stemmer changes in longer words is searched for as it is changed")
    func changedBeginnings() throws {
        // "mengambil" has the stem "ambil", and "извјештај" the stem "izvestaj".
        #expect(try pattern("mengam", .indonesian)?.hasPrefix("mengam* OR am*") == true)
        #expect(try pattern("извје", .serbian) == "извје* OR izve*")
        // Of "meng", nothing is left.
        #expect(try pattern("meng", .indonesian) == "meng*")
    }

    @Test("porter changes a last y, except in longer words")
    func lastYWithPorter() throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = .porter()
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES ('the playground'), ('children play'), ('some text')")
            #expect(try db.rowIDs(searchBox: "play", syntax: Self.typing) == [1, 2])
            #expect(try db.rowIDs(searchBox: "playg", syntax: Self.typing) == [1])
        }
    }

    @Test("a beginning of a stop word of the table's language is optional")
    func stopWordsOfTheLanguage() throws {
        #expect(try pattern("krieg un", .german, stopWords: true) == "krieg un* OR krieg")
        #expect(try pattern("krieg un", .german) == "krieg un*")
        #expect(try pattern("guerre th", .french, stopWords: true) == "guerre th*")
        #expect(try pattern("война эт", .russian, stopWords: true) == "война эт* OR война")
    }

    @Test("a tokenizer without a stemmer may omit the stop words of any language")
    func stopWordsWithoutStemmer() throws {
        var configuration = Configuration()
        let stopWords = FTS5TokenizerModule.stopWords(SnowballLanguage.german.stopWords)
        configuration.prepareDatabase { db in db.add(tokenizer: stopWords) }
        try DatabaseQueue(configuration: configuration).write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = stopWords.descriptor(wrapping: .unicode61())
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES ('Krieg und Frieden')")
            #expect(try db.rowIDs(searchBox: "krieg un", syntax: Self.typing) == [1])
            #expect(try db.rowIDs(searchBox: "krieg uni", syntax: Self.typing) == [])
        }
    }

    @Test("a tokenizer that wraps a stemmer has its languages")
    func wrappedStemmers() throws {
        var configuration = Configuration()
        let html = FTS5TokenizerModule.html()
        configuration.prepareDatabase { db in db.add(tokenizer: html) }
        try DatabaseQueue(configuration: configuration).write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = html.descriptor(wrapping: .snowball(language: .german))
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES ('<b>Freundlichkeit</b>')")
            for typed in ["freundlichk", "freundlichke", "freundlichkei", "freundlichkeit", "freundlichkeite"] {
                #expect(try db.rowIDs(searchBox: typed, syntax: Self.typing) == [1], "\(typed)")
            }
        }
    }
}
