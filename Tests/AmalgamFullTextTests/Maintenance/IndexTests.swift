import Amalgam
import Dispatch
import TestSupport
import Testing

@Suite("Maintenance of indexes")
struct IndexTests {
    private let index = FTS5Index(Document.self)

    @Test("the commands of FTS5")
    func commands() throws {
        try withDocuments(["a", "b"]) { db in
            let statements = try db.tracing {
                try index.optimize(db)
                _ = try index.merge(db, pageCount: 100, startsOver: true)
                try index.rebuild(db)
                try index.checkIntegrity(db)
                try index.flush(db)
                try index.set(db, .automerge(8))
            }
            let commands = statements.filter { $0.hasPrefix("INSERT INTO \"document\"") }
            #expect(
                commands == [
                    #"INSERT INTO "document"("document") VALUES ('optimize')"#,
                    #"INSERT INTO "document"("document", rank) VALUES ('merge', -100)"#,
                    #"INSERT INTO "document"("document") VALUES ('rebuild')"#,
                    #"INSERT INTO "document"("document", rank) VALUES ('integrity-check', 1)"#,
                    #"INSERT INTO "document"("document") VALUES ('flush')"#,
                    #"INSERT INTO "document"("document", rank) VALUES ('automerge', 8)"#,
                ])
        }
    }

    @Test("merging ends")
    func merge() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.settings = [.automerge(0)]
                t.column("title")
                t.column("body")
            }
        }
        for number in 0..<8 {
            try queue.write { db in try Document(title: "\(number)", body: "word \(number)").insert(db) }
        }
        try queue.write { db in
            expectEqual(try index.merge(db, pageCount: 10, startsOver: true), true)
            var calls = 0
            while try index.merge(db, pageCount: 10) { calls += 1 }
            #expect(calls < 20)
            expectEqual(try db.rowIDs(matching: "word").count, 8)
        }
    }

    @Test("merging writes a page at least", arguments: [0, -1, Int.min])
    func wrongPageCounts(pageCount: Int) throws {
        try withDocuments([]) { db in
            expectError(.SQLITE_MISUSE, "merging writes one page at least, and not \(pageCount)") {
                _ = try index.merge(db, pageCount: pageCount, startsOver: true)
            }
        }
    }

    @Test("an index that is not that of the texts is found out, and rebuilt")
    func integrity() throws {
        try withLibrary { db in
            let index = FTS5Index("bookSearch")
            try index.checkIntegrity(db)
            try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
            try db.execute(sql: "UPDATE book SET title = 'changed'")
            let error = #expect(throws: DatabaseError.self) { try index.checkIntegrity(db) }
            #expect(error?.extendedResultCode == .SQLITE_CORRUPT_VTAB)
            // SQLite's own message sounds as if the file were damaged.
            #expect(
                error?.message == """
                    database disk image is malformed (a virtual table: the index doesn't match the content. The method \
                    rebuild(_:) of FTS5Index and FTS4Index repairs a full-text index)
                    """)
            try index.checkIntegrity(db, comparesContent: false)
            // Neither does reading find the content of a row that was deleted.
            try db.execute(sql: "INSERT INTO book (id, title) VALUES (100, 'gone')")
            try index.rebuild(db)
            try db.execute(sql: "DELETE FROM book WHERE id = 100")
            let readingError = #expect(throws: DatabaseError.self) {
                try Row.fetchAll(db, sql: "SELECT * FROM bookSearch('gone')")
            }
            #expect(readingError?.extendedResultCode == .SQLITE_CORRUPT_VTAB)
            #expect(readingError?.message?.hasSuffix("FTS5Index and FTS4Index repairs a full-text index)") == true)
            #expect(try db.integrityCheck() == [])
            try index.rebuild(db)
            try index.checkIntegrity(db)
            expectEqual(try db.rowIDs(matching: "changed", in: "bookSearch"), [1, 2, 3])
            try index.deleteAll(db)
            expectEqual(try db.rowIDs(matching: "changed", in: "bookSearch"), [])
        }
    }

    @Test("an observation is notified of changed settings")
    func observedSettings() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body); CREATE TABLE other (a)")
        }
        let index = FTS5Index("note")
        let values = Log<[String: DatabaseValue]>()
        let cancellable = ValueObservation.tracking { db in try index.settings(db) }.start(
            in: queue, scheduling: .async(onQueue: .global()), onError: { Issue.record("\($0)") },
            onChange: { values.append($0) })
        try waitUntil("the first value") { values.count == 1 }
        for (number, count) in [8, 3].enumerated() {
            try queue.write { db in try index.set(db, .automerge(count)) }
            try waitUntil("value \(number)") { values.count == number + 2 }
        }
        #expect(values.elements == [[:], ["automerge": 8.databaseValue], ["automerge": 3.databaseValue]])
        cancellable.cancel()
    }

    @Test("settings are stored with the index, and nonsense is refused")
    func settings() throws {
        try withDocuments([]) { db in
            expectEqual(try index.settings(db), [:])
            try index.set(db, .automerge(8))
            try index.set(db, .crisismerge(10))
            try index.set(db, .usermerge(3))
            try index.set(db, .pageSize(1000))
            try index.set(db, .hashSize(4096))
            try index.set(db, .deletemerge(20))
            try index.set(db, .secureDelete(true))
            try index.set(db, .rank(.bm25([10, 1])))
            expectEqual(
                try index.settings(db),
                [
                    "automerge": 8.databaseValue, "crisismerge": 10.databaseValue, "usermerge": 3.databaseValue,
                    "pgsz": 1000.databaseValue, "hashsize": 4096.databaseValue, "deletemerge": 20.databaseValue,
                    "secure-delete": 1.databaseValue,
                    "rank": "bm25(10.0, 1.0)".databaseValue,
                ])
            #expect(throws: DatabaseError.self) { try index.set(db, .usermerge(99)) }
            #expect(throws: DatabaseError.self) { try index.set(db, .pageSize(1)) }
            #expect(throws: DatabaseError.self) { try FTS5Index("missing").optimize(db) }
        }
    }

    @Test("secure deletion leaves nothing of a text in the index")
    func secureDelete() throws {
        func entries(_ isSecure: Bool) throws -> Int {
            try DatabaseQueue().write { db in
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.settings = [.secureDelete(isSecure)]
                    t.column("title")
                    t.column("body")
                }
                try Document(title: "1", body: "confidential").insert(db)
                try index.flush(db)
                try db.execute(sql: "DELETE FROM document")
                try index.flush(db)
                return try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM document_data WHERE INSTR(block, CAST('confidential' AS BLOB)) > 0")!
            }
        }
        expectEqual(try entries(true), 0)
        expectEqual(try entries(false) > 0, true)
    }

    @Test("rows of a contentless table are deleted, and replaced")
    func contentlessDelete() throws {
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.content = ""
                t.contentlessDelete = true
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document(rowid, body) VALUES (1, 'one'), (2, 'two')")
            try db.execute(sql: "DELETE FROM document WHERE rowid = 1")
            try db.execute(sql: "INSERT OR REPLACE INTO document(rowid, body) VALUES (2, 'deux')")
            expectEqual(try db.rowIDs(matching: "one OR two"), [])
            expectEqual(try db.rowIDs(matching: "deux"), [2])
        }
    }

    @Test("the space that a table takes")
    func size() throws {
        try withDocuments((0..<200).map { "document number \($0)" }) { db in
            try index.flush(db)
            let size = try index.size(db)
            #expect(Set(size.parts.map(\.name)) == ["data", "idx", "content", "docsize", "config"])
            #expect(size.byteCount == size.parts.reduce(0) { $0 + $1.byteCount })
            #expect(size["content"] > size["config"])
            #expect(size.parts.allSatisfy { $0.byteCount == $0.pageCount * 4096 && $0.unusedByteCount < $0.byteCount })
            #expect(size["missing"] == 0)
            expectError(.SQLITE_ERROR, "no such table: missing") { _ = try FTS5Index("missing").size(db) }
        }
    }

    @Test("the index of FTS4")
    func fts4() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE doc (a TEXT)")
            try db.create(virtualTable: "document", using: FTS4()) { t in
                t.synchronize(withTable: "doc")
                t.column("a")
            }
            let index = FTS4Index(Document.self)
            try index.setAutomerge(db, 4)
            for number in 0..<20 { try db.execute(sql: "INSERT INTO doc VALUES (?)", arguments: ["word \(number)"]) }
            let statements = try db.tracing {
                try index.optimize(db)
                expectEqual(try index.merge(db, pageCount: 100, partCount: 2), false)
            }
            #expect(statements.contains(#"INSERT INTO "document"("document") VALUES ('optimize')"#))
            #expect(statements.contains(#"INSERT INTO "document"("document") VALUES ('merge=100,2')"#))
            try index.checkIntegrity(db)
            try db.dropFTS4SynchronizationTriggers(forTable: "document")
            try db.execute(sql: "UPDATE doc SET a = 'changed' WHERE rowid = 1")
            let error = #expect(throws: DatabaseError.self) { try index.checkIntegrity(db) }
            #expect(error?.extendedResultCode == .SQLITE_CORRUPT_VTAB)
            try index.rebuild(db)
            try index.checkIntegrity(db)
            expectEqual(try db.rowIDs(matching: "changed"), [1])
        }
    }
}
