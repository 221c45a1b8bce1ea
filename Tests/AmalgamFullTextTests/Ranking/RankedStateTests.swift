import Amalgam
import AmalgamCore
import CAmalgam
import ChildProcesses
import Foundation
import TestSupport
import Testing

@testable import AmalgamFullText

/// The lengths and terms in memory are those of the table that a search sees, whoever has written it and whatever its name
/// was before.
@Suite("The state of ranked searches")
struct RankedStateTests {
    /// Documents with the word `a`, the first one last in the order of ranks.
    private static let first = "(1, 'a b c d e f g h i j k'), (2, 'a'), (3, 'a b'), (4, 'a b c')"

    /// The same rowids, in another order of ranks.
    private static let second = "(1, 'a'), (2, 'a b c d e f g h i j k'), (3, 'a b c d'), (4, 'a b elephant')"

    private func fill(_ db: Database, _ name: String, _ rows: String) throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE \(name) USING fts5(x); INSERT INTO \(name)(rowid, x) VALUES \(rows)
                """)
    }

    private func insert(_ db: Database, _ name: String, _ text: String = "z") throws {
        try db.execute(sql: "INSERT INTO \(name)(x) VALUES (?)", arguments: [text])
    }

    /// Searches by rank, and compares with FTS5's own search. Compares the terms, too.
    private func check(_ db: Database, _ name: String = "t", _ comment: Comment? = nil) throws {
        try checkRanks(db, name, "a OR b", comment)
        let index = FullTextIndex(db: db, table: name)
        let terms = try index.terms()
        try db.execute(
            sql: "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\(name)_term USING fts5vocab(main, '\(name)', 'row')")
        for term in try String.fetchAll(db, sql: "SELECT term FROM temp.\(name)_term") {
            if terms.frequencyClass(of: term) == nil { Issue.record("\(term) is missing: \(comment ?? "")") }
        }
    }

    // MARK: One connection

    @Test("a table that is dropped, created and filled in one transaction", arguments: DatabaseKind.allCases)
    func dropAndCreate(kind: DatabaseKind) throws {
        try kind.run { db in
            try fill(db, "t", Self.first)
            try check(db)
            try insert(db, "t")
            try check(db)
            try db.inTransaction {
                try db.execute(sql: "DROP TABLE t")
                try fill(db, "t", Self.second)
                return .commit
            }
            try insert(db, "t")
            try check(db)
            expectEqual(try Int.fetchAll(db, sql: "SELECT rowid FROM t WHERE t MATCH 'a' ORDER BY rank"), [1, 4, 3, 2])
        }
    }

    /// The usual way to build an index without a pause.
    @Test(
        "a new table takes the name of another one", arguments: DatabaseKind.allCases,
        [(true, true), (true, false), (false, true), (false, false)])
    func swap(kind: DatabaseKind, way: (isInTransaction: Bool, drops: Bool)) throws {
        try kind.run { db in
            for searchesBetween in [true, false] {
                try fill(db, "t", Self.first)
                try check(db)
                try insert(db, "t")
                try check(db)
                if way.isInTransaction { try db.beginTransaction() }
                try fill(db, "n", Self.second)
                if way.drops {
                    try db.execute(sql: "DROP TABLE t; ALTER TABLE n RENAME TO t")
                } else {
                    try db.execute(sql: "ALTER TABLE t RENAME TO o; ALTER TABLE n RENAME TO t")
                }
                if searchesBetween { try check(db) }
                if way.isInTransaction { try db.commit() }
                if searchesBetween { try check(db) }
                try insert(db, "t")
                try check(db)
                try db.execute(sql: "DROP TABLE t; DROP TABLE IF EXISTS o")
            }
        }
    }

    @Test("two tables that one transaction has written exchange their names", arguments: DatabaseKind.allCases)
    func exchange(kind: DatabaseKind) throws {
        try kind.run { db in
            try fill(db, "t0", Self.first)
            try fill(db, "t1", Self.second)
            for name in ["t0", "t1"] { try check(db, name) }
            for rollsBack in [false, true, false] {
                try db.inTransaction {
                    for name in ["t0", "t1"] { try insert(db, name) }
                    return .commit
                }
                for name in ["t0", "t1"] { try check(db, name) }
                try db.inTransaction {
                    for name in ["t0", "t1"] { try insert(db, name, "a b") }
                    try check(db, "t0")
                    try db.execute(
                        sql:
                            "ALTER TABLE t0 RENAME TO other; ALTER TABLE t1 RENAME TO t0; ALTER TABLE other RENAME TO t1"
                    )
                    for name in ["t0", "t1"] { try check(db, name, "in the transaction") }
                    try insert(db, "t1", "a a a")
                    for name in ["t0", "t1"] { try check(db, name, "after a write") }
                    return rollsBack ? .rollback : .commit
                }
                for name in ["t0", "t1"] { try check(db, name, "after the transaction") }
            }
        }
    }

    @Test("a backup is restored into an open database", arguments: DatabaseKind.allCases)
    func restore(kind: DatabaseKind) throws {
        let backup = try DatabaseQueue()
        try backup.write { db in
            try fill(db, "t", Self.second)
            try insert(db, "t")
        }
        try kind.open { writer in
            try writer.write { db in
                try fill(db, "t", Self.first)
                try insert(db, "t")
            }
            for searchesBetween in [true, false] {
                try writer.writeWithoutTransaction { db in try check(db) }
                try writer.write { db in try insert(db, "t", "y a") }
                try writer.writeWithoutTransaction { db in try check(db) }
                try backup.backup(to: writer)
                if searchesBetween { try writer.writeWithoutTransaction { db in try check(db) } }
                try writer.write { db in try insert(db, "t", "a zz") }
                try writer.writeWithoutTransaction { db in try check(db) }
                try writer.read { db in try checkRanks(db, "t", "a OR b") }
            }
        }
    }

    /// The first searches of a transaction read what it has written before.
    @Test("a connection that searches first in a transaction that writes", arguments: DatabaseKind.allCases)
    func firstSearchInTransaction(kind: DatabaseKind) throws {
        try kind.run { db in
            for isRolledBack in [true, false, true, false] {
                try db.execute(sql: "DROP TABLE IF EXISTS t")
                try fill(db, "t", Self.first)
                try db.inTransaction {
                    try db.execute(sql: "UPDATE t SET x = 'a a b' WHERE rowid = 1")
                    try check(db)
                    try db.execute(sql: "UPDATE t SET x = 'a a b heron' WHERE rowid = 2")
                    try check(db)
                    return isRolledBack ? .rollback : .commit
                }
                try check(db)
                try insert(db, "t", "a")
                try check(db)
            }
        }
    }

    @Test("savepoints, each of which may be rolled back", arguments: DatabaseKind.allCases)
    func savepoints(kind: DatabaseKind) throws {
        try kind.run { db in
            try fill(db, "t", Self.first)
            _ = try FTS5Index("t").warmUp(db)
            try db.inTransaction {
                for number in 1...30 {
                    try db.execute(sql: "SAVEPOINT s\(number)")
                    try db.execute(sql: "UPDATE t SET x = x || ' a b' WHERE rowid = 1 + \(number) % 4")
                    try check(db)
                    if number % 3 == 0 && number > 6 {
                        try db.execute(sql: "ROLLBACK TO s\(number - number % 7)")
                        try check(db, "t", "after a rollback to \(number - number % 7)")
                        for lost in (number - number % 7 + 1)..<(number + 1) {
                            try db.execute(sql: "SAVEPOINT s\(lost)")
                        }
                    }
                }
                return .commit
            }
            try check(db)
        }
    }

    @Test("the journal mode changes, and the file is written without a WAL file")
    func journalModes() throws {
        try DatabaseKind.file.run { db in
            try fill(db, "t", Self.first)
            for mode in ["WAL", "DELETE", "WAL", "TRUNCATE", "WAL"] {
                try check(db)
                try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                try check(db)
                try db.execute(sql: "UPDATE t SET x = x || ' a b' WHERE rowid = abs(random() % 4) + 1")
                try db.execute(sql: "UPDATE t SET x = 'a' WHERE rowid = abs(random() % 4) + 1")
            }
            try check(db)
        }
    }

    @Test("automatic vacuum moves the root pages of tables")
    func automaticVacuum() throws {
        try DatabaseKind.pool.run { db in
            try db.execute(
                sql: "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = FULL; VACUUM; PRAGMA journal_mode = WAL")
            for number in 0..<6 { try fill(db, "t\(number)", number % 2 == 0 ? Self.first : Self.second) }
            for number in 0..<6 { try check(db, "t\(number)") }
            for dropped in [1, 2] {
                try db.inTransaction {
                    for number in 3..<6 { try insert(db, "t\(number)") }
                    try db.execute(sql: "DROP TABLE t\(dropped)")
                    for number in 3..<6 { try check(db, "t\(number)") }
                    try insert(db, "t5", "a")
                    try check(db, "t5")
                    return .commit
                }
                for number in 3..<6 { try check(db, "t\(number)") }
            }
        }
    }

    // MARK: Others

    @Test("another process writes between two writes of this one", arguments: ["WAL", "DELETE"], [true, false])
    func otherProcess(mode: String, searchesBetween: Bool) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "t.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = \(mode)")
                try fill(db, "t", Self.first)
                try check(db)
                try insert(db, "t")
                try check(db)
            }
            let process = try ChildProcess("amalgam-external-writer", [path])
            for sql in [
                "UPDATE t SET x = 'a' WHERE rowid = 1", "UPDATE t SET x = 'a b c d e f g elephant' WHERE rowid = 2",
                "INSERT INTO t(t) VALUES ('optimize')", "DELETE FROM t WHERE rowid = 3",
            ] {
                try process.say(sql)
                #expect(process.readLine() == "ok")
                if searchesBetween { try queue.writeWithoutTransaction { db in try check(db) } }
                try queue.write { db in try insert(db, "t", "a zz") }
                try queue.writeWithoutTransaction { db in try check(db, "t", "\(sql)") }
            }
            process.kill()
            _ = process.wait()
            try queue.close()
        }
    }

    /// Parts of the index are written before the pages that each write of FTS5 replaces.
    @Test("a transaction that is written to the WAL file in parts")
    func spilledTransaction() throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA cache_size = 10; PRAGMA cache_spill = 10")
                try fill(db, "t", Self.first)
                try db.execute(sql: "INSERT INTO t(t, rank) VALUES ('pgsz', 64), ('hashsize', 400)")
            }
            for round in 0..<8 {
                try pool.write { db in
                    for number in 0..<200 {
                        try insert(db, "t", "a word\(round)x\(number) " + String(repeating: "b ", count: number % 20))
                    }
                }
                try pool.writeWithoutTransaction { db in try check(db) }
            }
        }
    }

    @Test("several connections write at the same time, and others search")
    func severalWriters() async throws {
        let folder = Folder()
        let path = folder.url.appending(path: "t.sqlite").path
        let configuration = {
            var configuration = Configuration()
            configuration.busyMode = .timeout(60)
            return configuration
        }()
        let owner = try DatabasePool(path: path, configuration: configuration)
        try await owner.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING fts5(x)")
            for number in 1...400 {
                try db.execute(
                    sql: "INSERT INTO t VALUES ('a' || replace(hex(zeroblob(?)), '00', ' b'))", arguments: [number % 40]
                )
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    let queue = try DatabaseQueue(path: path, configuration: configuration)
                    for number in 1...150 {
                        try await queue.write { db in
                            try db.execute(
                                sql: "UPDATE t SET x = 'a' || replace(hex(zeroblob(?)), '00', ' b') WHERE rowid = ?",
                                arguments: [(number * 7 + writer) % 40, (number * 13 + writer * 200) % 400 + 1])
                        }
                    }
                    try queue.close()
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 1...150 { try await owner.read { db in try checkRanks(db, "t", "a OR b", limit: 20) } }
                }
            }
            try await group.waitForAll()
        }
        try owner.close()
    }

    /// The sizes of these columns fill a page, so that the page with the structure of the index is a different one. An update
    /// with as many words writes the same sizes.
    @Test("a table with very many columns, and small pages")
    func manyColumns() throws {
        let folder = Folder()
        let (writer, reader) = try (DatabaseQueue(path: folder.path("t")), DatabaseQueue(path: folder.path("t")))
        let text = Array(repeating: "z", count: 130).joined(separator: " ")
        try writer.writeWithoutTransaction { db in
            let columns = (0..<234).map { "c\($0)" }.joined(separator: ", ")
            let values = Array(repeating: "'\(text)'", count: 234).joined(separator: ", ")
            try db.execute(
                sql: """
                    PRAGMA page_size = 512;
                    PRAGMA journal_mode = WAL;
                    CREATE VIRTUAL TABLE t USING fts5(\(columns));
                    INSERT INTO t(t, rank) VALUES ('automerge', 0), ('crisismerge', 100);
                    INSERT INTO t VALUES (\(values));
                    """)
            for word in ["x", "x y", "x y z", "y z", "z z x", "y", "y y x", "z"] {
                try db.execute(sql: "INSERT INTO t(c0) VALUES (?)", arguments: [word])
            }
        }
        for number in 1...12 {
            let comment: Comment = "update \(number)"
            try reader.writeWithoutTransaction { db in
                try checkRanks(db, "t", "x", comment)
                try checkRanks(db, "t", "x OR y", comment)
            }
            try writer.writeWithoutTransaction { db in
                try db.execute(
                    sql:
                        "UPDATE t SET c0 = replace(replace(replace(c0, 'x', '-'), 'y', 'x'), '-', 'y') WHERE rowid = ?",
                    arguments: [2 + number % 3])
            }
        }
        try reader.writeWithoutTransaction { db in try checkRanks(db, "t", "x") }
        try reader.close()
        try writer.close()
    }

    // MARK: Memory

    @Test("detached databases, and dropped tables, leave nothing in memory")
    func released() throws {
        try withTemporaryDirectory { directory in
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { db in
                for mode in ["WAL", "DELETE"] {
                    for number in 0..<4 {
                        let path = directory.appending(path: "\(mode)\(number).sqlite").path
                        try db.execute(sql: "ATTACH ? AS other; PRAGMA other.journal_mode = \(mode)", arguments: [path])
                        try fill(db, "other.t", Self.first)
                        _ = try Int.fetchAll(db, sql: "SELECT rowid FROM other.t WHERE t MATCH 'a' ORDER BY rank")
                        expectEqual(amalgam_ranked_table_count(db.sqliteConnection), 1)
                        // SQLite disconnects a table of a detached database when it compiles the next statement.
                        try db.execute(sql: number % 2 == 0 ? "DETACH other; SELECT 1" : "DROP TABLE other.t")
                        expectEqual(amalgam_ranked_table_count(db.sqliteConnection), 0)
                        if number % 2 == 1 { try db.execute(sql: "DETACH other") }
                    }
                }
            }
        }
    }
}

/// Searches by rank, and compares rows, order and the bits of ranks with FTS5's own search.
func checkRanks(
    _ db: Database, _ name: String, _ query: String, _ comment: Comment? = nil, condition: String = "true",
    limit: Int = -1
) throws {
    let sql = """
        SELECT rowid, rank FROM \(name) WHERE \(name) MATCH ? AND \(condition) ORDER BY rank, rowid LIMIT \(limit)
        """
    let found = try RankedRow.fetchAll(db, sql: sql, arguments: [query])
    let expected = try db.withoutRankedSearches { try RankedRow.fetchAll(db, sql: sql, arguments: [query]) }
    #expect(found == expected, comment)
}
