import Amalgam
import Foundation
import Testing

@Suite("Guide: Full text")
struct FullText {
    // guide: records
    struct Note: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var title: String
        var body: String

        static let text = hasOne(NoteText.self, using: ForeignKey(["rowid"]))
    }

    struct NoteText: TableRecord {}
    // end

    let dbQueue: DatabaseQueue

    init() throws {
        // guide: tables
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.create(table: "note") { t in
                t.primaryKey("id", .integer)
                t.column("title", .text).notNull()
                t.column("body", .text).notNull()
            }
            try db.create(virtualTable: "noteText", using: FTS5()) { t in
                t.synchronize(withTable: "note")  // triggers index each change of a note
                t.tokenizer = .porter()  // "database" finds "databases", in English
                t.column("title")
                t.column("body")
            }
            try Note(id: 1, title: "Query plans", body: "How SQLite reads its indexes.").insert(db)
            try Note(id: 2, title: "Indexes", body: "An index makes queries fast, and writes slower.").insert(db)
            try Note(id: 3, title: "Bread", body: "Flour, water, salt, time.").insert(db)
        }
        // end
        self.dbQueue = dbQueue
    }

    @Test("A search box")
    func searchBox() throws {
        // guide: search
        let typed = "index quer"
        let found = try dbQueue.read { db in
            let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true)
            let matches = Note.text.matching(searchBox: typed, syntax: syntax)
            return try Note.joining(required: matches).fetchAll(db)
        }
        print(found.map(\.title).sorted())  // ["Indexes", "Query plans"]
        // end
        #expect(found.map(\.title).sorted() == ["Indexes", "Query plans"])
    }

    @Test("Typos")
    func typos() throws {
        // guide: typos
        let tolerant = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
        let similar = try dbQueue.read { db in
            let alias = TableAlias<NoteText>()
            let matches = Note.text.matching(searchBox: "inedx qureis", syntax: tolerant).aliased(alias)
            return try Note.joining(required: matches).order(alias[Column.rank]).fetchAll(db)
        }
        print(similar.map(\.title).sorted())  // ["Indexes", "Query plans"]
        // end
        #expect(similar.map(\.title).sorted() == ["Indexes", "Query plans"])
    }

    @Test("The best first")
    func ranked() throws {
        // guide: rank
        let best = try dbQueue.read { db in
            let alias = TableAlias<NoteText>()
            let matches = Note.text.matching(FTS5Pattern(matchingAllTokensIn: "indexes")).aliased(alias)
            return try Note.joining(required: matches).order(alias[Column.rank]).limit(20).fetchAll(db)
        }
        // end
        #expect(best.first?.id == 2)
        #expect(best.count == 2)
    }

    @Test("The options of an index")
    func options() throws {
        try dbQueue.write { db in
            // guide: options
            try db.create(virtualTable: "code", using: FTS5()) { t in
                t.tokenizer = .trigram()  // finds any part of three characters or more
                t.detail = "none"  // a smaller index, without phrases and column filters
                t.column("path").notIndexed()
                t.column("source")
            }
            // CREATE VIRTUAL TABLE "code" USING fts5("path" UNINDEXED, "source", tokenize='trigram', detail=none)
            try db.create(virtualTable: "word", using: FTS5()) { t in
                t.tokenizer = .unicode61()
                t.prefixes = [2, 3]  // indexes for "sq*" and "sql*"
                t.column("text")
            }
            // end
            try db.execute(sql: "INSERT INTO code VALUES ('a.c', 'sqlite3_open')")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM code WHERE code MATCH 'ite'") == 1)
        }
    }

    @Test("Documents in several languages")
    func languages() throws {
        try dbQueue.write { db in
            // guide: languages
            try db.create(table: "article") { t in
                t.primaryKey("id", .integer)
                t.column("language", .text)  // "fr", "de_AT"
                t.column("text", .text).notNull()
            }
            try db.create(virtualTable: "articleText", using: FTS5()) { t in
                t.tokenizer = .snowball(languages: [.english, .french, .german], stopWords: true)
                t.synchronize(withTable: "article", localeColumn: "language")
                t.column("text")
            }
            try db.execute(sql: "INSERT INTO article VALUES (1, 'fr', 'Les nationalités')")
            let rowIDs = try Int.fetchAll(db, sql: "SELECT rowid FROM articleText('nationalité')")
            print(rowIDs)  // [1]
            // end
            #expect(rowIDs == [1])
            #expect(try Int.fetchAll(db, sql: "SELECT rowid FROM articleText('les')") == [])
        }
    }
}
