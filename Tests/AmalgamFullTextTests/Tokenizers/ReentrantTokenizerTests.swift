import Amalgam
import AmalgamCore
import Synchronization
import TestSupport
import Testing

/// Runs an action on the connection at its next token.
private final class BusyTokenizer: FTS5WrapperTokenizer {
    typealias Action = @Sendable (Database) throws -> Void

    static let name = "busy"
    static let action = Mutex<Action?>(nil)

    let wrappedTokenizer: any FTS5Tokenizer
    private unowned let db: Database

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.ascii())
        self.db = db
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        let action = Self.action.withLock { action in
            defer { action = nil }
            return action
        }
        try action?(db)
        try tokenCallback(token, flags)
    }
}

@Suite("Tokenizers and functions that use the connection", .serialized)
struct ReentrantTokenizerTests {
    /// Runs a statement on a table of two documents, whose tokenizer runs an action.
    private func run(
        _ sql: String, inTransaction: Bool, tokenizing action: @escaping BusyTokenizer.Action,
        _ check: (Database, Result<Void, any Error>) throws -> Void
    ) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            db.add(tokenizer: BusyTokenizer.self)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = BusyTokenizer.tokenizerDescriptor()
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES ('one two'), ('two three')")
            if inTransaction { try db.beginTransaction() }
            BusyTokenizer.action.withLock { $0 = action }
            let result = Result { try db.execute(sql: sql) }
            try check(db, result)
            if db.isInsideTransaction { try db.commit() }
            try FTS5Index("document").checkIntegrity(db)
        }
    }

    @Test(
        "a tokenizer that writes while a text is indexed fails, and the index is right",
        arguments: [
            "INSERT INTO document VALUES ('three four')", "UPDATE document SET body = 'five' WHERE rowid = 1",
            "DELETE FROM document WHERE rowid = 1", "INSERT INTO document(document) VALUES ('rebuild')",
        ],
        [
            "INSERT INTO document VALUES ('nested')", "DELETE FROM document",
            "INSERT INTO document(document) VALUES ('rebuild')", "DELETE FROM document_data", "CREATE TABLE t(a)",
        ])
    func writing(sql: String, nested: String) throws {
        for inTransaction in [true, false] {
            try run(sql, inTransaction: inTransaction, tokenizing: { try $0.execute(sql: nested) }) { db, result in
                let error = #expect(throws: DatabaseError.self) { try result.get() }
                #expect(error?.resultCode == .SQLITE_READONLY)
                if inTransaction { try db.rollback() }
                expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document"), 2)
            }
        }
    }

    @Test("a tokenizer that ends the transaction fails, and the index is right")
    func rollback() throws {
        let sql = "INSERT INTO document VALUES ('three four')"
        try run(sql, inTransaction: true, tokenizing: { try $0.execute(sql: "ROLLBACK") }) { db, result in
            let error = #expect(throws: DatabaseError.self) { try result.get() }
            #expect(error?.resultCode == .SQLITE_ABORT)
            #expect(!db.isInsideTransaction)
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document"), 2)
        }
    }

    @Test("a tokenizer may read, also from its table")
    func reading() throws {
        let select = "SELECT COUNT(*) FROM document WHERE document MATCH 'two'"
        let sql = "INSERT INTO document VALUES ('two four')"
        try run(sql, inTransaction: false, tokenizing: { _ = try Int.fetchOne($0, sql: select) }) { db, result in
            try result.get()
            expectEqual(try Int.fetchOne(db, sql: select), 3)
        }
    }

    @Test("the connection writes again afterwards, unless it is read-only anyway")
    func afterwards() throws {
        try run("INSERT INTO document VALUES ('a')", inTransaction: false, tokenizing: { _ in }) { db, result in
            try result.get()
            try db.execute(sql: "CREATE TABLE t(a)")
            try db.readOnly {
                expectEqual(try db.makeTokenizer(BusyTokenizer.tokenizerDescriptor()).tokenize(document: "a").count, 1)
                #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE TABLE u(a)") }
            }
        }
    }
}
