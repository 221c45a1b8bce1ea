import Amalgam
import AmalgamCore
import ChildProcesses
import Foundation
import TestSupport
import Testing

@testable import AmalgamFullText

/// The terms of a table, which belong to one state of the table.
@Suite("Terms in memory")
struct TermsInMemoryTests {
    /// A table with the terms `heron` and `herons`.
    private func create(_ db: Database) throws {
        try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES ('heron'), ('herons')")
    }

    private func insert(_ db: Database, _ text: String) throws {
        try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text])
    }

    /// The list that queries with typos use.
    private func list(_ db: Database, table: String = "note") throws -> IndexTerms {
        try FullTextIndex(db: db, table: table).terms()
    }

    /// The terms that such queries find for `heron`.
    private func terms(_ db: Database, like word: String = "heron", table: String = "note") throws -> Set<String> {
        let query = FTS5Query.fuzzy(word, tolerance: TypoTolerance(joinsAndSplitsWords: false))
        let expansions = try query.expansions(db, forTable: table)
        return Set(expansions.flatMap(\.alternatives).filter { $0.documentCount > 0 }.map(\.text))
    }

    @Test("connections to a file in WAL mode share the list of a state")
    func sharing() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            let list = try pool.read { db in try self.list(db) }
            #expect(list.count == 2)
            #expect(try pool.read { db in try self.list(db) } === list)
            #expect(try pool.writeWithoutTransaction { db in try self.list(db) } === list)
            // A write of another table leaves the state unchanged.
            try pool.write { db in try db.execute(sql: "CREATE TABLE other (a); INSERT INTO other VALUES (1)") }
            #expect(try pool.read { db in try self.list(db) } === list)
            let other = try DatabasePool(path: pool.path)
            #expect(try other.read { db in try self.list(db) } === list)
            try other.write { db in try insert(db, "heroin") }
            let changed = try pool.read { db in try self.list(db) }
            #expect(changed !== list)
            #expect(changed.count == 3)
            #expect(try other.read { db in try self.list(db) } === changed)
            try other.close()
        }
    }

    @Test("a new WAL file that the process begins leaves the list unchanged")
    func newWALFile() throws {
        try DatabaseKind.pool.open { writer in
            try writer.write(create)
            let list = try writer.read { db in try self.list(db) }
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE other (a)")
            }
            #expect(try writer.read { db in try self.list(db) } === list)
        }
    }

    @Test("each write gives a new list, and a rollback the previous one", arguments: DatabaseKind.allCases)
    func writes(kind: DatabaseKind) throws {
        try kind.run { db in
            try create(db)
            let before = try list(db)
            #expect(try list(db) === before)
            try db.inTransaction {
                #expect(try list(db) === before)
                try insert(db, "heroin")
                expectEqual(try terms(db), ["heron", "herons", "heroin"])
                let inside = try list(db)
                #expect(try list(db) === inside)
                try db.inSavepoint {
                    try insert(db, "hero")
                    try db.execute(sql: "DELETE FROM note WHERE body = 'herons'")
                    expectEqual(try terms(db), ["heron", "hero", "heroin"])
                    return .rollback
                }
                expectEqual(try terms(db), ["heron", "herons", "heroin"])
                try db.inSavepoint {
                    try insert(db, "haron")
                    return .commit
                }
                expectEqual(try terms(db), ["heron", "herons", "heroin", "haron"])
                return .rollback
            }
            expectEqual(try terms(db), ["heron", "herons"])
            expectEqual(try list(db).count, 2)
            try insert(db, "heroin")
            expectEqual(try terms(db), ["heron", "herons", "heroin"])
            try db.execute(sql: "UPDATE note SET body = 'hero' WHERE body = 'heroin'")
            expectEqual(try terms(db), ["heron", "herons", "hero"])
            try db.execute(sql: "DELETE FROM note WHERE body = 'hero'")
            expectEqual(try terms(db), ["heron", "herons"])
            try FTS5Index("note").optimize(db)
            expectEqual(try list(db).count, 2)
            // A statement that fails has no effect.
            expectCode(.SQLITE_CONSTRAINT) {
                try db.execute(sql: "INSERT INTO note(rowid, body) VALUES (9, 'heroin'), (1, 'hero')")
            }
            expectEqual(try terms(db), ["heron", "herons"])
        }
    }

    /// Reading all terms again takes 0.1 s for a million documents.
    @Test("a commit adds its terms to those that are known", arguments: DatabaseKind.allCases)
    func addedTerms(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE note USING fts5(body);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
                    INSERT INTO note SELECT 'word' || i FROM n;
                    """)
            func readCount() throws -> Int {
                try #require(try Int.fetchOne(db, sql: "SELECT note FROM note WHERE note MATCH '*reads'"))
            }
            func readsOfList() throws -> Int {
                let before = try readCount()
                _ = try list(db)
                return try readCount() - before
            }
            expectEqual(try readsOfList() > 5, true)
            expectEqual(try list(db).count, 2000)
            try insert(db, "heron and herons")
            expectEqual(try readsOfList() < 5, true)
            expectEqual(try list(db).count, 2003)
            expectEqual(try terms(db), ["heron", "herons"])
            // The same terms have the same list.
            let before = try list(db)
            try insert(db, "word7 heron")
            #expect(try list(db) === before)
            // Deleted terms are left, until the index is read again.
            try db.execute(sql: "DELETE FROM note WHERE rowid > 2000")
            expectEqual(try terms(db), [])
            expectEqual(try list(db).count, 2003)
            try FTS5Index("note").optimize(db)
            expectEqual(try list(db).count, 2000)
            // So many terms are read again.
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500)
                    INSERT INTO note SELECT 'other' || i FROM n;
                    """)
            expectEqual(try readsOfList() > 5, true)
            expectEqual(try list(db).count, 3500)
        }
    }

    @Test(
        "random writes leave no term out", arguments: DatabaseKind.allCases,
        ["", ", content=''", ", content='', contentless_delete=1", ", prefix='1 2'"])
    func randomWrites(kind: DatabaseKind, options: String) throws {
        // Each round of scripts/proof/random has another first seed.
        var random = SeededGenerator(seed: 30 + seeds(1).lowerBound)
        try kind.run { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE note USING fts5(body\(options));
                    CREATE VIRTUAL TABLE term USING fts5vocab(note, row);
                    INSERT INTO note(note, rank) VALUES ('hashsize', 300), ('pgsz', 64), ('automerge', 2);
                    """)
            var texts: [Int: String] = [:]
            func text() -> String {
                (0..<Int.random(in: 1...40, using: &random))
                    .map { _ in String(Int.random(in: 0...20_000, using: &random), radix: 36) }
                    .joined(separator: " ")
            }
            func remove(_ id: Int, _ text: String) throws {
                if options == ", content=''" {
                    try db.execute(
                        sql: "INSERT INTO note(note, rowid, body) VALUES ('delete', ?, ?)", arguments: [id, text])
                } else {
                    try db.execute(sql: "DELETE FROM note WHERE rowid = ?", arguments: [id])
                }
                texts[id] = nil
            }
            func write() throws {
                let id = Int.random(in: -100...100, using: &random)
                if let known = texts[id] {
                    if Bool.random(using: &random) { return try remove(id, known) }
                    if options.contains("content=''") { return }
                    let other = Bool.random(using: &random) ? id : Int.random(in: 101...200, using: &random)
                    if other != id, texts[other] != nil { return }
                    let text = text()
                    try db.execute(
                        sql: "UPDATE note SET rowid = ?, body = ? WHERE rowid = ?", arguments: [other, text, id])
                    texts[id] = nil
                    texts[other] = text
                } else {
                    texts[id] = text()
                    try db.execute(sql: "INSERT INTO note(rowid, body) VALUES (?, ?)", arguments: [id, texts[id]])
                }
            }
            func check() throws {
                let list = try list(db)
                for term in try String.fetchAll(db, sql: "SELECT term FROM term") {
                    if list.frequencyClass(of: term) == nil { Issue.record("\(term) is missing") }
                }
            }
            for _ in 0..<30 {
                try db.inTransaction {
                    for _ in 0..<Int.random(in: 1...12, using: &random) {
                        let before = texts
                        if Int.random(in: 0..<5, using: &random) == 0 {
                            let isCommitted = Bool.random(using: &random)
                            try db.inSavepoint {
                                for _ in 0..<3 { try write() }
                                return isCommitted ? .commit : .rollback
                            }
                            if !isCommitted { texts = before }
                        } else {
                            try write()
                        }
                        if Int.random(in: 0..<8, using: &random) == 0 { try check() }
                    }
                    return .commit
                }
                if Int.random(in: 0..<10, using: &random) == 0 {
                    try db.execute(sql: "INSERT INTO note(note, rank) VALUES ('merge', 100)")
                }
                try check()
            }
        }
    }

    /// The pages of the index have the same number and the same sizes as before, and the table has the same sizes.
    @Test("a rebuild that replaces one term by another of the same length", arguments: DatabaseKind.allCases)
    func rebuild(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE source (id INTEGER PRIMARY KEY, body TEXT);
                    CREATE VIRTUAL TABLE note USING fts5(body, content='source', content_rowid='id');
                    INSERT INTO note(note, rank) VALUES ('pgsz', 64);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
                    INSERT INTO source SELECT i, char(119, 97 + i % 13, 97 + i / 13 % 13, 97 + i / 169 % 13, 97 + i / 2197) FROM n;
                    INSERT INTO note(note) VALUES ('rebuild');
                    """)
            // Each of these words is on a different page of the index.
            for id in stride(from: 1, through: 3000, by: 29) {
                let word = try #require(
                    try String.fetchOne(db, sql: "SELECT body FROM source WHERE id = ?", arguments: [id]))
                let changed = String(word.dropLast()) + "z"
                expectEqual(try list(db).frequencyClass(of: word) != nil, true)
                let pages = "SELECT id, length(block) FROM note_data WHERE id > 1000"
                let sizes = try Row.fetchAll(db, sql: pages)
                #expect(sizes.count > 400)
                try db.execute(sql: "UPDATE source SET body = ? WHERE id = ?", arguments: [changed, id])
                try FTS5Index("note").rebuild(db)
                expectEqual(try Row.fetchAll(db, sql: pages).count, sizes.count)
                expectEqual(try list(db).count, 3000)
                expectEqual(try list(db).frequencyClass(of: changed) != nil, true, "\(changed)")
                expectEqual(try list(db).frequencyClass(of: word) != nil, false, "\(word)")
            }
        }
    }

    @Test("commits of another connection", arguments: ["WAL", "DELETE", "PERSIST"])
    func otherConnections(mode: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "notes.sqlite").path
            let (first, second) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
            try first.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                try create(db)
            }
            for number in 1...8 {
                let (writer, reader) = number % 2 == 0 ? (first, second) : (second, first)
                let word = "hero" + String(UnicodeScalar(UInt8(96 + number)))
                try writer.write { db in
                    try insert(db, word)
                    expectEqual(try terms(db).contains(word), true, "\(word)")
                }
                expectEqual(try reader.read { db in try terms(db) }.contains(word), true, "\(word)")
                try writer.write { db in try db.execute(sql: "DELETE FROM note WHERE body = ?", arguments: [word]) }
                expectEqual(try reader.read { db in try terms(db) }, ["heron", "herons"])
                if number % 3 > 0 { continue }
                try writer.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                    if number == 6 { try db.execute(sql: "VACUUM") }
                }
                expectEqual(try reader.read { db in try terms(db) }, ["heron", "herons"])
            }
            try second.close()
            try first.close()
        }
    }

    @Test("commits of another process")
    func otherProcess() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            let process = try ChildProcess("amalgam-external-writer", [pool.path])
            for word in ["heroin", "hero", "haron"] {
                let list = try pool.read { db in try self.list(db) }
                try process.say("INSERT INTO note VALUES ('\(word)')")
                #expect(process.readLine() == "ok")
                #expect(try pool.read { db in try self.list(db) } !== list)
                expectEqual(try pool.read { db in try terms(db) }.contains(word), true, "\(word)")
                expectEqual(try pool.writeWithoutTransaction { db in try terms(db) }.contains(word), true, "\(word)")
            }
            process.kill()
            _ = process.wait()
        }
    }

    @Test("a snapshot has the terms of its state")
    func snapshots() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(create)
            let list = try pool.read { db in try self.list(db) }
            let snapshot = try pool.makeSnapshot()
            #expect(try snapshot.read { db in try self.list(db) } === list)
            try pool.write { db in try insert(db, "heroin") }
            #expect(try snapshot.read { db in try self.list(db) } === list)
            expectEqual(try pool.read { db in try self.list(db) }.count, 3)
            #expect(try snapshot.read { db in try self.list(db) } === list)
            // More states than are in memory.
            for number in 1...9 {
                try pool.write { db in try insert(db, "heron heros\(number)") }
                expectEqual(try pool.read { db in try self.list(db) }.count, 3 + number)
                expectEqual(try snapshot.read { db in try self.list(db) }.count, 2)
                expectEqual(try snapshot.read { db in try terms(db) }, ["heron", "herons"])
            }
            try snapshot.close()
        }
    }

    @Test("attached databases, in memory and in files that others write", arguments: ["WAL", "DELETE"])
    func attachedDatabases(mode: String) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "notes.sqlite").path
            let owner = try DatabaseQueue(path: path)
            try owner.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                try create(db)
            }
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS file; ATTACH ':memory:' AS memory", arguments: [path])
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE memory.memo USING fts5(body); INSERT INTO memo VALUES ('herons')")
                expectEqual(try terms(db), ["heron", "herons"])
                expectEqual(try terms(db, table: "memo"), ["herons"])
                try owner.write { db in try insert(db, "heroin") }
                expectEqual(try terms(db), ["heron", "herons", "heroin"])
                try db.execute(sql: "INSERT INTO memo VALUES ('hero')")
                expectEqual(try terms(db, table: "memo"), ["herons", "hero"])
                expectEqual(try terms(db), ["heron", "herons", "heroin"])
                try insert(db, "hero")
                try db.execute(sql: "DETACH memory; ATTACH ':memory:' AS memory")
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE memory.memo USING fts5(body); INSERT INTO memo VALUES ('haron')")
                expectEqual(try terms(db, table: "memo"), ["haron"])
                expectEqual(try terms(db), ["heron", "herons", "heroin", "hero"])
            }
            expectEqual(try owner.read { db in try terms(db) }, ["heron", "herons", "heroin", "hero"])
            try owner.close()
        }
    }

    /// Neither table has a page in the WAL file when the names change.
    @Test("two tables that exchange their names", arguments: DatabaseKind.allCases)
    func renamedTables(kind: DatabaseKind) throws {
        try kind.run { db in
            try create(db)
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE memo USING fts5(body);
                    INSERT INTO memo VALUES ('x y hero'), ('heros'), ('x hero');
                    CREATE TABLE other (a);
                    PRAGMA wal_checkpoint(TRUNCATE);
                    INSERT INTO other VALUES (1);
                    """)
            let ranked = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank"
            func rowIDs(_ pattern: String) throws -> [Int] {
                try Int.fetchAll(db, sql: ranked, arguments: [pattern])
            }
            expectEqual(try terms(db), ["heron", "herons"])
            expectEqual(try rowIDs("hero OR heron"), [1])
            _ = try FTS5Index("note").warmUp(db)
            try db.execute(
                sql: """
                    ALTER TABLE note RENAME TO swap; ALTER TABLE memo RENAME TO note; ALTER TABLE swap RENAME TO memo;
                    """)
            expectEqual(try terms(db), ["hero", "heros"])
            expectEqual(try terms(db, table: "memo"), ["heron", "herons"])
            expectEqual(try rowIDs("hero OR heron"), [3, 1])
        }
    }

    /// Both files have been written by the same transactions, and have no WAL file.
    @Test("a file that takes the place of another one, which is still open")
    func replacedFile() throws {
        try withTemporaryDirectory { directory in
            func make(_ name: String, _ texts: String) throws -> String {
                let path = directory.appending(path: name).path
                let queue = try DatabaseQueue(path: path)
                try queue.writeWithoutTransaction { db in
                    try db.execute(
                        sql: """
                            CREATE VIRTUAL TABLE note USING fts5(body); INSERT INTO note VALUES \(texts);
                            PRAGMA journal_mode = WAL
                            """)
                }
                try queue.close()
                return path
            }
            func rowIDs(_ db: Database) throws -> [Int] {
                try Int.fetchAll(db, sql: "SELECT rowid FROM note WHERE note MATCH 'hero OR heron' ORDER BY rank")
            }
            let path = try make("notes.sqlite", "('heron'), ('herons'), ('x heron')")
            let update = try make("update.sqlite", "('x hero'), ('hero'), ('heros')")
            let old = try DatabaseQueue(path: path)
            expectEqual(try old.read { db in try terms(db) }, ["heron", "herons"])
            expectEqual(try old.read(rowIDs), [1, 3])
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
            try FileManager.default.moveItem(atPath: update, toPath: path)
            let new = try DatabaseQueue(path: path)
            expectEqual(try new.read { db in try terms(db) }, ["hero", "heros"])
            expectEqual(try new.read(rowIDs), [2, 1])
            expectEqual(try old.read { db in try terms(db) }, ["heron", "herons"])
            expectEqual(try old.read(rowIDs), [1, 3])
            try new.close()
            try old.close()
        }
    }

    /// The test runs in a separate process because `Database.logError` is global.
    @Test("parts of long texts don't look like damage to SQLite's log")
    func longTexts() async {
        await #expect(processExitsWith: .success) {
            let log = Log<String>()
            Database.logError = { _, message in log.append(message) }
            let tests = TermsInMemoryTests()
            try DatabaseKind.pool.open { writer in
                let pool = try #require(writer as? DatabasePool)
                try pool.write(tests.create)
                _ = try pool.read { db in try tests.list(db) }
                try pool.write { db in try tests.insert(db, "heroin " + String(repeating: "long ", count: 4_000)) }
                expectEqual(try pool.read { db in try tests.terms(db) }, ["heron", "herons", "heroin"])
            }
            expectEqual(log.elements.filter { $0.contains("corruption") }, [])
        }
    }

    @Test("a table that is dropped and created again", arguments: DatabaseKind.allCases)
    func droppedTables(kind: DatabaseKind) throws {
        try kind.run { db in
            for word in ["herons", "haron", "heroin", "hero"] {
                try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body)")
                try insert(db, word)
                expectEqual(try terms(db), [word])
                try db.execute(sql: "DROP TABLE note")
            }
            expectEqual(try list(db).count, 0)
        }
    }

    @Test("the weights that another connection has set")
    func weights() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write { db in
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE note USING fts5(title, body);
                        INSERT INTO note VALUES ('heron', 'x'), ('x', 'heron'), ('herons', 'x');
                        """)
            }
            let request = Table("note").matching(.fuzzy("heron")).order(Column.rank).select(Column.rowID, as: Int.self)
            expectEqual(try pool.read { db in try request.fetchAll(db) }, [1, 2, 3])
            for (weights, rowIDs) in [("1.0, 5.0", [2, 1, 3]), ("5.0, 1.0", [1, 2, 3]), ("0.0, 1.0", [2, 1, 3])] {
                try pool.write { db in
                    try db.execute(
                        sql: "INSERT INTO note(note, rank) VALUES ('rank', ?)", arguments: ["bm25(\(weights))"])
                    // The terms of this state are in memory.
                    expectEqual(try request.fetchAll(db), rowIDs, "\(weights)")
                }
                _ = try pool.writeWithoutTransaction { db in try request.fetchAll(db) }
                expectEqual(try pool.read { db in try request.fetchAll(db) }, rowIDs, "\(weights), a reader")
            }
        }
    }
}
