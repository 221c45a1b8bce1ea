import Amalgam
import Foundation
import Testing

@Suite("Guide: Functions, tables and tokenizers")
struct Functions {
    @Test("A function")
    func function() throws {
        // guide: function
        let reverse = DatabaseFunction("reverse", pure: true) { (string: String) in
            String(string.reversed())
        }
        var config = Configuration()
        config.prepareDatabase { db in db.add(function: reverse) }
        let dbQueue = try DatabaseQueue(configuration: config)
        let reversed = try dbQueue.read { db in
            try String.fetchOne(db, sql: "SELECT reverse('abc')")
        }
        print(reversed!)  // cba
        // end
        #expect(reversed == "cba")
    }

    // guide: aggregate
    struct Longest: DatabaseAggregate {
        var longest: String?

        mutating func step(_ dbValues: [DatabaseValue]) {
            guard let string = String.fromDatabaseValue(dbValues[0]) else { return }
            if string.count > longest?.count ?? 0 { longest = string }
        }

        func finalize() -> (any DatabaseValueConvertible)? { longest }
    }
    // end

    @Test("An aggregate, and a collation")
    func aggregate() throws {
        try DatabaseQueue().write { db in
            // guide: add
            db.add(function: DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self))
            db.add(collation: DatabaseCollation("numeric") { $0.compare($1, options: .numeric) })
            // end
            try db.execute(sql: "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('a10'), ('a9'), ('abcd')")
            #expect(try String.fetchOne(db, sql: "SELECT longest(a) FROM t") == "abcd")
            #expect(
                try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a COLLATE numeric") == ["a9", "a10", "abcd"])
        }
    }

    @Test("A table-valued function")
    func table() throws {
        try DatabaseQueue().write { db in
            // guide: table
            let words = DatabaseTableFunction("words", arguments: ["sentence"], columns: ["word"]) { arguments in
                let sentence: String = try arguments[0]
                return sentence.split(separator: " ").map(String.init)
            }
            try db.add(tableFunction: words)
            let found = try String.fetchAll(db, sql: "SELECT word FROM words('a search engine') WHERE length(word) > 1")
            print(found)  // ["search", "engine"]
            // end
            #expect(found == ["search", "engine"])
        }
    }

    @Test("A tokenizer that ships with Amalgam")
    func tokenizer() throws {
        // guide: tokenizer
        let stopWords = FTS5TokenizerModule.stopWords(FTS5TokenizerModule.englishStopWords)
        var searchConfig = Configuration()
        searchConfig.prepareDatabase { db in db.add(tokenizer: stopWords) }
        let searchQueue = try DatabaseQueue(configuration: searchConfig)
        try searchQueue.write { db in
            try db.create(virtualTable: "note", using: FTS5()) { t in
                t.tokenizer = stopWords.descriptor(wrapping: .porter())
                t.column("body")
            }
        }
        // end
        #expect(try searchQueue.read { try $0.tableExists("note") })
    }
}
