import Amalgam
import AmalgamCore
import Testing

/// Tokenizers and auxiliary functions in Swift: they exist after they were added, and the index contains what was
/// written.
@Suite struct FullTextFaults {
    private static let stopWords = FTS5TokenizerModule.stopWords(["the"])
    private static let bigrams = FTS5TokenizerModule.cjkBigrams()
    private static let html = FTS5TokenizerModule.html()
    private static let hitCount = FTS5Function("hitCount") { match, arguments in
        let counts = try match.cached([Int].self) { match in
            try (0..<match.phraseCount).map { try match.rowCount(ofPhrase: $0) }
        }
        return try "\(match.hits().count) of \(counts) in \(match.text(ofColumn: 0))"
    }

    private static func createPages(_ db: Database, _ tokenizer: FTS5TokenizerDescriptor) throws {
        try db.create(virtualTable: "page", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.column("text")
        }
        try db.execute(
            sql: "INSERT INTO page VALUES ('<p>The caf&eacute; of foxes'), ('<b>東京都</b> fox'), ('nothing')")
    }

    /// Adding a tokenizer doesn't throw. If memory is exhausted, the next use of the connection repeats it.
    @Test(arguments: Weather.memory)
    func tokenizers(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            try attempt.connect()
            try attempt.step { db in
                for module in [Self.stopWords, Self.bigrams, Self.html] { db.add(tokenizer: module) }
                try db.inTransaction {
                    let stopWords = Self.stopWords.descriptor(wrapping: Self.bigrams.descriptor(wrapping: .porter()))
                    try Self.createPages(db, Self.html.descriptor(wrapping: stopWords))
                    return .commit
                }
            }
            try attempt.step { db in
                attempt.note(try Int.fetchAll(db, sql: "SELECT rowid FROM page WHERE page MATCH 'the foxes'"))
                attempt.note(try Int.fetchAll(db, sql: "SELECT rowid FROM page WHERE page MATCH '京都'"))
                let tokenizer = try db.makeTokenizer(Self.html.descriptor(wrapping: .trigram()))
                attempt.note(try tokenizer.tokenize(document: "<p>abcd</p>").map(\.token))
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]))
    func functions(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try Self.createPages($0, .porter()) }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.add(auxiliaryFunction: Self.hitCount)
                let request = Table("page").matching(FTS5Pattern(matchingAllTokensIn: "fox")).order(Column.rowID)
                attempt.note(try request.select(Self.hitCount(), as: String.self).fetchAll(db))
                let marked = try request.select(FTS5.markedText(Column("text")), as: FTS5MarkedText.self).fetchAll(db)
                attempt.note(marked.map { text in text.ranges.map { String(text.text[$0]) } })
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal]))
    func synchronization(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.create(virtualTable: "playerSearch", using: FTS5()) { t in
                    t.synchronize(withTable: "player")
                    t.column("name")
                }
            }
            try attempt.step { db in try db.execute(sql: "UPDATE player SET name = 'Dora' WHERE id = 2") }
            try attempt.step { db in try FTS5Index("playerSearch").optimize(db) }
            attempt.note(
                try attempt.read { db in
                    try Int.fetchAll(db, sql: "SELECT rowid FROM playerSearch WHERE playerSearch MATCH 'anna OR dora'")
                })
        }
    }

    /// After a failure, another write on the same connection leads to the correct index and the correct ranks: no state
    /// of the failed row stays in memory. SQLite would store zeros as the sizes of the table: see `shims/fulltext.h`.
    @Test(arguments: Weather.allocations([.journal]) + Weather.files([.journal]))
    func writingAgain(weather: Weather) throws {
        try everyFault(of: weather, setUp: Self.createLetters) { attempt in
            try attempt.connect()
            try attempt.step { db in
                do {
                    try Self.changeLetters(db)
                } catch is DatabaseError {
                    try attempt.calmly { try Self.changeLetters(db) }
                }
            }
            attempt.note(
                try attempt.read { db in
                    try ["letterSearch", "word"].map { table in
                        try Int.fetchAll(
                            db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH 'd OR bc' ORDER BY rank")
                    }
                })
        }
    }

    /// Creates documents that triggers index, a table of words only, and the terms of both.
    private static func createLetters(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE letter (id INTEGER PRIMARY KEY, text TEXT)")
        try db.create(virtualTable: "letterSearch", using: FTS5()) { t in
            t.synchronize(withTable: "letter")
            t.prefixes = [1]
            t.column("text")
        }
        try db.create(virtualTable: "letterTerms", using: FTS5VocabTable(of: "letterSearch"))
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE word USING fts5(text, content = '', contentless_delete = 1);
                INSERT INTO letter VALUES (1, 'a bc'), (2, 'a d e'), (3, 'bc');
                INSERT INTO word (rowid, text) SELECT id, text FROM letter
                """)
    }

    private static func changeLetters(_ db: Database) throws {
        try db.inTransaction {
            try db.execute(sql: "INSERT INTO letter VALUES (4, 'bc d'), (5, 'f')")
            try db.execute(sql: "UPDATE letter SET text = 'd d' WHERE id = 1; DELETE FROM letter WHERE id = 3")
            try db.inSavepoint {
                try db.execute(sql: "INSERT OR REPLACE INTO word (rowid, text) VALUES (2, 'bc'), (6, 'd bc a')")
                try db.execute(sql: "DELETE FROM word WHERE rowid = 1")
                return .commit
            }
            return .commit
        }
    }
}
