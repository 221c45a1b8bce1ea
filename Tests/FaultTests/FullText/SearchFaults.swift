import Amalgam
import AmalgamCore
import Testing

/// Operations of a search application: documents are indexed, searched, ranked, and analyzed.
@Suite struct SearchFaults {
    private static let identifiers = FTS5TokenizerModule.identifiers()
    private static let synonyms = FTS5TokenizerModule.synonyms([["search", "find"]])
    private static let folding = FTS5TokenizerModule.folding()
    private static let json = FTS5TokenizerModule.json()

    private static let tokenizer = identifiers.descriptor(
        wrapping: synonyms.descriptor(wrapping: folding.descriptor()))

    private static var configuration: Configuration {
        var configuration = Configuration.inFaults
        configuration.prepareDatabase { addTokenizers($0) }
        return configuration
    }

    @Sendable private static func addTokenizers(_ db: Database) {
        for module in [identifiers, synonyms, folding, json] { db.add(tokenizer: module) }
    }

    private static func createDocuments(_ db: Database) throws {
        addTokenizers(db)
        try db.create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.column("title")
            t.column("metadata").notIndexed()
        }
        try db.create(virtualTable: "documentTerms", using: FTS5VocabTable(of: "document"))
        try db.execute(
            sql: """
                INSERT INTO document VALUES ('findUserID in Łódź', '{"year": 2024}'), ('SearchBox, Straße', '{"year": 2023}'),
                  ('search_box of users', '{"year": 2024}'), ('nothing', NULL)
                """)
    }

    // MARK: Tokenizers

    /// If a row can't be indexed, it isn't inserted either.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func indexing(weather: Weather) throws {
        let isFile = !weather.fault.isMemory
        try everyFault(of: weather, stride: isFile ? 3 : 1, preparing: Self.addTokenizers, setUp: Self.createDocuments)
        { attempt in
            try attempt.connect(Self.configuration)
            try attempt.step { db in
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO document VALUES ('makeHTTPHeader für Öl', NULL), ('more', NULL)")
                    try db.execute(sql: "UPDATE document SET title = 'searchResults' WHERE rowid = 4")
                    try db.execute(sql: "DELETE FROM document WHERE rowid = 3")
                    return .commit
                }
            }
            attempt.note(
                try attempt.read { db in
                    try ["makehttpheader", "http header", "find", "ol", "boxes"].map { pattern in
                        try Table("document").matching(FTS5Query(searchBox: pattern)).fetchCount(db)
                    }
                })
        }
    }

    /// A created tokenizer is complete.
    @Test(arguments: Weather.memory)
    func makingTokenizers(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            try attempt.connect(Self.configuration)
            try attempt.step { db in
                for descriptor in [Self.tokenizer, Self.json.descriptor(wrapping: .porter(wrapping: Self.tokenizer))] {
                    let tokenizer = try db.makeTokenizer(descriptor)
                    attempt.note(try tokenizer.tokenize(document: #"["findUsers", "Größe"]"#).map(\.token))
                    attempt.note(try tokenizer.tokens(of: "findUsers", for: .query, locale: "de").map(\.text))
                }
            }
        }
    }

    // MARK: Searches

    /// Either all results are returned, or an error.
    ///
    /// There is no `snippet()` here: if memory is exhausted for the positions of the matches, SQLite ignores that, and
    /// marks none.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func searching(weather: Weather) throws {
        try everyFault(
            of: weather, stride: weather.place == .pool ? 3 : 1, preparing: Self.addTokenizers,
            setUp: Self.createDocuments
        ) { attempt in
            try attempt.connect(Self.configuration)
            try attempt.read { db in
                let results = Table("document").matching(searchBox: "search* -nothing").order(Column.rank)
                attempt.note(try results.select(Column("title"), as: String.self).fetchAll(db))
                let highlight = FTS5.highlight(Column("title"), from: "[", to: "]")
                attempt.note(try results.select(highlight, as: String.self).fetchAll(db))
                let year = SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year")
                let facets = try results.facets([Facet("year", year)]).fetch(db)
                attempt.note(facets["year"]?.map { "\($0.value ?? .null): \($0.count)" } ?? [])
            }
            try attempt.read { db in
                let page = try FoundDocument.matching("search").order(Column.rank).fetchPage(db, count: 1)
                let next = try FoundDocument.matching("search").order(Column.rank)
                    .fetchPage(db, count: 1, after: page.next)
                attempt.note((page.elements + next.elements).map(\.title))
            }
        }
    }

    /// A snippet has all its marks, a rule has the value of all matches, and a facet all its values.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func marking(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, preparing: Self.addTokenizers, setUp: Self.createDocuments) { attempt in
            try attempt.connect(Self.configuration)
            try attempt.read { db in
                let rules: [FTS5RankingRule] = [.words, .proximity, .attribute, .exactness, .expression(Column.rowID)]
                let results = Table("document").matching("search" || "box" || "in").ranked(by: rules)
                let snippet = FTS5.markedSnippet(Column("title"), tokenCount: 2, pieceCount: 2)
                let snippets = try results.select(snippet, as: FTS5MarkedSnippet.self).fetchAll(db)
                attempt.note(snippets.map { FTS5.html($0) })
                let year = Facet("year", SQLFunction("json_extract", pure: true)(Column("metadata"), "$.year"))
                let facets = try results.facets([year.choosing(2024, 1999)], limit: 1).fetch(db)
                attempt.note(facets["year"]?.map { "\($0.value ?? .null): \($0.count)" } ?? [])
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func suggesting(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, preparing: Self.addTokenizers, setUp: Self.createDocuments) { attempt in
            try attempt.connect(Self.configuration)
            let vocabulary = FTS5Terms("documentTerms", of: "document", tokenizer: Self.folding.descriptor())
            try attempt.step { db in
                attempt.note(try vocabulary.completions(db, ofSearchBox: "in us"))
                attempt.note(try vocabulary.correction(db, ofSearchBox: "serach -strase") ?? "")
                attempt.note(try vocabulary.significantTerms(db, ofDocument: 3).map(\.term))
                attempt.note(try vocabulary.query(db, similarToDocument: 3)?.description ?? "")
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func typos(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, preparing: Self.addTokenizers, setUp: Self.createDocuments) { attempt in
            try attempt.connect(Self.configuration)
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
            try attempt.step { db in
                let request = FoundDocument.matching(searchBox: "serach bo", syntax: syntax).order(Column.rank)
                attempt.note(try request.fetchAll(db).map(\.title))
                let query = FTS5Query.fuzzy("serach")
                attempt.note(try query.expansions(db, forTable: "document").flatMap { $0.alternatives.map(\.text) })
            }
        }
    }

    /// Without a completion of the word, a document would be missing, so an error is thrown.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func typing(weather: Weather) throws {
        func createNotes(_ db: Database) throws {
            try db.create(virtualTable: "note", using: FTS5()) { t in
                t.tokenizer = .snowball(language: .german, stopWords: true)
                t.column("title")
            }
            try db.execute(sql: "INSERT INTO note VALUES ('Freundlichkeit und Nachsicht'), ('freundlich')")
        }
        try everyFault(of: weather, stride: 3, setUp: createNotes) { attempt in
            try attempt.connect(.inFaults)
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
            try attempt.step { db in
                for typed in ["freundlichke", "nachsicht un"] {
                    attempt.note(try Table("note").matching(searchBox: typed, syntax: syntax).fetchCount(db))
                }
            }
        }
    }

    /// Ranking in Swift: without a rank, a row would be in the wrong position, so an error is thrown.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func ranking(weather: Weather) throws {
        let rarity = FTS5Function("rarity") { match, arguments in
            let counts = try match.cached([Int].self) { match in
                try (0..<match.phraseCount).map { try match.rowCount(ofPhrase: $0) }
            }
            let tokens = try match.tokens(ofPhrase: 0).count + match.size() + match.columns(ofPhrase: 0).count
            return try match.hits().reduce(Double(tokens) / 100) { $0 - 1 / Double(max(1, counts[$1.phrase])) }
        }
        try everyFault(of: weather, preparing: Self.addTokenizers, setUp: Self.createDocuments) { attempt in
            try attempt.connect(Self.configuration)
            try attempt.step { db in
                try db.add(auxiliaryFunction: rarity)
                let request = FoundDocument.matching("search" || "box" || "in").ranked(by: .function(rarity))
                attempt.note(try request.fetchAll(db).map(\.title))
            }
        }
    }

    /// Patterns are checked in a separate database.
    @Test(arguments: Weather.memory)
    func patterns(weather: Weather) throws {
        try everyFault(of: weather, preparing: Self.addTokenizers, setUp: Self.createDocuments) { attempt in
            try attempt.connect(Self.configuration)
            try attempt.step { db in
                attempt.note(try db.makeFTS5Pattern(rawPattern: "title: search", forTable: "document").rawPattern)
                attempt.note(try FTS3Pattern(rawPattern: "search OR find").rawPattern)
                attempt.note(try FTS5Query("search").inColumns("title").pattern(db, forTable: "document").rawPattern)
                let group: FTS5Query = "search" || "find"
                attempt.note(try (group && "😀").pattern(db, forTable: "document").rawPattern)
            }
        }
    }

    /// A conversion can't throw: if a pattern can't be checked, it is accepted.
    @Test(arguments: Weather.memory)
    func patternsOfTexts(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try FTS5Pattern.fetchAll(db, sql: "SELECT 'search OR find' UNION SELECT 'title: search'"))
                attempt.note(try FTS3Pattern.fetchAll(db, sql: "SELECT 'search OR find'"))
            }
        }
    }

    // MARK: Maintenance

    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal, .wal]))
    func maintenance(weather: Weather) throws {
        let isFile = !weather.fault.isMemory
        try everyFault(of: weather, stride: isFile ? 5 : 1, preparing: Self.addTokenizers, setUp: Self.createDocuments)
        { attempt in
            try attempt.connect(Self.configuration)
            let index = FTS5Index("document")
            try attempt.step { db in
                try db.inTransaction {
                    try index.set(db, .secureDelete(true))
                    try db.execute(sql: "DELETE FROM document WHERE rowid = 1")
                    return .commit
                }
            }
            try attempt.step { db in try index.rebuild(db) }
            try attempt.step { db in _ = try index.merge(db, startsOver: true) }
            try attempt.step { db in try index.checkIntegrity(db) }
            attempt.note(try attempt.read { db in try index.size(db).parts.map(\.name).sorted() })
        }
    }

    /// Triggers and index of a synchronized FTS4 table, whose rebuild has one error for all failures.
    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal, .pool]))
    func synchronization(weather: Weather) throws {
        let isFile = !weather.fault.isMemory
        try everyFault(
            of: weather, stride: isFile ? 3 : 1, allowing: isFile ? [.SQLITE_ERROR] : [],
            setUp: { try $0.createTeams() }
        ) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.inSavepoint {
                    try db.create(virtualTable: "playerSearch", using: FTS4()) { t in
                        t.synchronize(withTable: "player")
                        t.column("name")
                    }
                    return .commit
                }
            }
            try attempt.step { db in try db.execute(sql: "UPDATE player SET name = 'Dora' WHERE id = 2") }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player WHERE id = 3") }
            attempt.note(
                try attempt.read { db in
                    try Int.fetchAll(db, sql: "SELECT docid FROM playerSearch WHERE playerSearch MATCH 'dora OR cleo'")
                })
            try attempt.step { db in
                try db.inTransaction {
                    try db.drop(table: "playerSearch")
                    try db.dropFTS4SynchronizationTriggers(forTable: "playerSearch")
                    return .commit
                }
            }
        }
    }
}

private struct FoundDocument: TableRecord, Decodable, FetchableRecord {
    static let databaseTableName = "document"

    var title: String
}
