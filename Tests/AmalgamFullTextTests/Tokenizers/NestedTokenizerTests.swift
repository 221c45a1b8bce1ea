import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Each tokenizer takes its part of the stack, and a schema may come from a hostile file.
@Suite("Tokenizers that wrap each other")
struct NestedTokenizerTests {
    private func create(_ db: Database, _ tokenizer: String) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(x, tokenize = \"\(tokenizer)\")")
    }

    @Test("snowball can't wrap itself, at any depth", arguments: [1, 2, 100_000])
    func snowball(count: Int) throws {
        let version = SnowballLanguage.snowballVersion ?? ""
        let tokenizer = "snowball en '\(version)' "
        try DatabaseQueue().write { db in
            if count == 1 { return try create(db, tokenizer) }
            expectFailure(.SQLITE_ERROR, "error in tokenizer constructor") {
                try create(db, String(repeating: tokenizer, count: count))
            }
            expectFailure(.SQLITE_ERROR, "error in tokenizer constructor") {
                try create(db, String(repeating: "porter \(tokenizer)", count: count))
            }
            // The connection still makes tokenizers.
            try create(db, "porter \(tokenizer)")
        }
    }

    @Test("porter is one tokenizer, however often it is named")
    func porter() throws {
        try DatabaseQueue().write { db in
            try create(db, String(repeating: "porter ", count: 100_000))
            try db.execute(sql: "INSERT INTO t VALUES ('running')")
            expectEqual(try Int.fetchOne(db, sql: "SELECT count(*) FROM t('run')"), 1)
        }
    }

    @Test("a tokenizer in Swift wraps itself a few times only")
    func swift() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: .html())
            db.add(tokenizer: .emoji())
            try create(db, "html emoji html")
            try db.execute(sql: "DROP TABLE t")
            for names in ["html ", "html emoji "] {
                expectFailure(.SQLITE_MISUSE, "a tokenizer wraps itself more than 8 times: wrap it once") {
                    try create(db, String(repeating: names, count: 1_000))
                }
            }
            expectCode(.SQLITE_MISUSE) { try create(db, String(repeating: "html porter ", count: 1_000)) }
            try create(db, "html porter")
        }
    }
}
