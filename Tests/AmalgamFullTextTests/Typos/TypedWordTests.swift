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

    private static func withDocuments(_ tokenizer: FTS5TokenizerDescriptor, _ test: (Database) throws -> Void) throws {
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
            var random = RandomDocuments(seed: UInt64(tokenizer))
            for _ in 0..<125 {
                let words = (0..<2).map { _ in random.element(of: Self.words) }
                let text = words.joined(separator: " ")
                // The results of the first word alone, and of both words.
                for (whole, start) in [(words[0], 1), (text, words[0].count + 2)] {
                    let expected = Set(try db.rowIDs(searchBox: whole + " "))
                    for length in start...whole.count {
                        let typed = String(whole.prefix(length))
                        let found = Set(try db.rowIDs(searchBox: typed, syntax: Self.typing))
                        #expect(found.isSuperset(of: expected), "\(typed) → \(whole)")
                    }
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
}
