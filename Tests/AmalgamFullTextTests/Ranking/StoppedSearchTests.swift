import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Ranked searches and searches with typos stop like other statements, and the next search is right.
///
/// Each test stops a search from a progress handler. SQLite itself calls the handler every million instructions, which
/// is never, so the handler is called by a search in progress, or while the terms of the table are read.
@Suite("Searches that are stopped", .watchdog)
struct StoppedSearchTests {
    private struct Refusal: Error {}

    /// Runs a test with the documents. If `isWarm` is true, everything that a search needs is in memory.
    private func withDocuments(
        _ search: LongSearch, isWarm: Bool, _ test: (DatabaseQueue, Database) throws -> Void
    ) throws {
        let queue = try DatabaseQueue()
        try queue.write(LongSearch.createDocuments)
        try queue.writeWithoutTransaction { db in
            if isWarm {
                expectEqual(try search.rowIDs(db), search.expected)
                try FTS5Index("document").warmUp(db)
            }
            try test(queue, db)
        }
    }

    /// Calls a closure when a search is in progress, and counts its calls.
    private func whileSearching(_ db: Database, _ action: @escaping () -> Void, _ body: () throws -> Void) rethrows
        -> Int
    {
        var count = 0
        db.setProgressHandler(every: 1_000_000) {
            count += 1
            action()
            return true
        }
        defer { db.setProgressHandler(nil) }
        try body()
        return count
    }

    @Test("interrupt() in the middle of a search", arguments: LongSearch.allCases, [true, false])
    func interrupt(search: LongSearch, isWarm: Bool) throws {
        try withDocuments(search, isWarm: isWarm) { queue, db in
            let calls = whileSearching(db, { queue.interrupt() }) {
                expectCode(.SQLITE_INTERRUPT) { try search.rowIDs(db) }
            }
            // The search stopped at the first occasion.
            #expect(calls == 1)
            expectEqual(try search.rowIDs(db), search.expected)
            try db.execute(sql: "INSERT INTO document VALUES ('common')")
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM document"), 20_001)
        }
    }

    @Test("an interrupt when no statement runs has no effect on the next search", arguments: LongSearch.allCases)
    func interruptBefore(search: LongSearch) throws {
        try withDocuments(search, isWarm: false) { queue, db in
            _ = try Int.fetchOne(db, sql: "SELECT rowid FROM document")
            queue.interrupt()
            expectEqual(try search.rowIDs(db), search.expected)
        }
    }

    @Test("a transaction goes on after a search was interrupted", arguments: [LongSearch.groups, .typos])
    func transaction(search: LongSearch) throws {
        try withDocuments(search, isWarm: false) { queue, db in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM document WHERE rowid = 3")
                _ = whileSearching(db, { queue.interrupt() }) {
                    expectCode(.SQLITE_INTERRUPT) { try search.rowIDs(db) }
                }
                #expect(db.isInsideTransaction)
                let next = search == .groups ? 15 : 18
                expectEqual(try search.rowIDs(db), search.expected.filter { $0 != 3 } + [next])
                return .rollback
            }
            expectEqual(try search.rowIDs(db), search.expected)
        }
    }

    @Test("a handler that throws an error", arguments: LongSearch.allCases, [true, false])
    func handler(search: LongSearch, isWarm: Bool) throws {
        try withDocuments(search, isWarm: isWarm) { _, db in
            db.setProgressHandler(every: 1_000_000) { throw Refusal() }
            #expect(throws: Refusal.self) { _ = try search.rowIDs(db) }
            db.setProgressHandler(every: 1_000_000) { false }
            expectCode(.SQLITE_INTERRUPT) { try search.rowIDs(db) }
            db.setProgressHandler(nil)
            expectEqual(try search.rowIDs(db), search.expected)
        }
    }

    @Test("a limit of time", arguments: LongSearch.allCases, [true, false])
    func timeLimit(search: LongSearch, isWarm: Bool) throws {
        try withDocuments(search, isWarm: isWarm) { _, db in
            var count = 0
            db.setProgressHandler(every: 1000) {
                count += 1
                Thread.sleep(forTimeInterval: 0.25)
                return true
            }
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.time(.milliseconds(200))) { try search.rowIDs(db) }
            }
            #expect(error?.exceededLimit == .time)
            // On a slow machine, the limit is exceeded before the first call.
            #expect(count <= 1)
            db.setProgressHandler(nil)
            expectEqual(try search.rowIDs(db), search.expected)
            expectEqual(try db.withLimits(.time(.seconds(60))) { try search.rowIDs(db) }, search.expected)
        }
    }

    @Test("a cancelled task", arguments: LongSearch.allCases, [true, false])
    func cancellation(search: LongSearch, isWarm: Bool) async throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("documents.sqlite"))
        try await pool.write { db in try LongSearch.createDocuments(db) }
        if isWarm { #expect(try await pool.read { db in try search.rowIDs(db) } == search.expected) }
        let (task, isReady) = (Box<Task<[Int], any Error>?>(nil), Signal("the task is known"))
        let calls = Box(0)
        task.value = Task {
            try await isReady.value()
            return try await pool.read { db in
                db.setProgressHandler(every: 1_000_000) {
                    calls.increment()
                    task.value?.cancel()
                    return true
                }
                defer { db.setProgressHandler(nil) }
                return try search.rowIDs(db)
            }
        }
        isReady.fire()
        await #expect(throws: CancellationError.self) { _ = try await task.value?.value }
        #expect(calls.value == 1)
        #expect(try await pool.read { db in try search.rowIDs(db) } == search.expected)
        #expect(try await pool.write { db in try search.rowIDs(db) } == search.expected)
        try pool.close()
    }

    /// The pattern of a query with typos needs the terms, and no search.
    @Test("reading the terms of a table is stopped in the same ways")
    func terms() async throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("documents.sqlite"))
        try await pool.write { db in try LongSearch.createDocuments(db) }
        @Sendable func pattern(_ db: Database) throws -> String {
            try FTS5Query.fuzzy("comon").pattern(db, forTable: "document").rawPattern
        }
        try await pool.writeWithoutTransaction { db in
            let calls = whileSearching(db, { pool.interrupt() }) {
                expectCode(.SQLITE_INTERRUPT) { try pattern(db) }
            }
            #expect(calls == 1)
            db.setProgressHandler(every: 1000) {
                Thread.sleep(forTimeInterval: 0.25)
                return true
            }
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.withLimits(.time(.milliseconds(200))) { try pattern(db) }
            }
            #expect(error?.exceededLimit == .time)
            db.setProgressHandler(every: 1000) { throw Refusal() }
            #expect(throws: Refusal.self) { _ = try pattern(db) }
            db.setProgressHandler(nil)
        }
        let (task, isReady) = (Box<Task<String, any Error>?>(nil), Signal("the task is known"))
        task.value = Task {
            try await isReady.value()
            return try await pool.read { db in
                db.setProgressHandler(every: 1_000_000) {
                    task.value?.cancel()
                    return true
                }
                defer { db.setProgressHandler(nil) }
                return try pattern(db)
            }
        }
        isReady.fire()
        await #expect(throws: CancellationError.self) { _ = try await task.value?.value }
        #expect(try await pool.read(pattern) == "comon OR common")
        try pool.close()
    }

    @Test("suspend() in the middle of a search", arguments: LongSearch.allCases, [true, false])
    func suspension(search: LongSearch, isWarm: Bool) throws {
        try withDocuments(search, isWarm: isWarm) { queue, db in
            let calls = whileSearching(db, { queue.suspend() }) {
                expectCode(.SQLITE_INTERRUPT) { try search.rowIDs(db) }
            }
            #expect(calls == 1)
            expectFailure(.SQLITE_ABORT, "Database is suspended") { _ = try search.rowIDs(db) }
            queue.resume()
            expectEqual(try search.rowIDs(db), search.expected)
        }
    }

    /// If the search asked for a lock, it would fail with SQLITE_BUSY.
    @Test("a suspended search locks no file", arguments: [LongSearch.groups, .typos])
    func suspendedFile(search: LongSearch) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "documents.sqlite").path
            let (queue, other) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
            try queue.write(LongSearch.createDocuments)
            try queue.writeWithoutTransaction { db in
                _ = try Int.fetchOne(db, sql: "SELECT rowid FROM document")
                try other.writeWithoutTransaction { other in
                    try other.inTransaction(.exclusive) {
                        queue.suspend()
                        expectFailure(.SQLITE_ABORT, "Database is suspended") { _ = try search.rowIDs(db) }
                        queue.resume()
                        return .rollback
                    }
                }
                expectEqual(try search.rowIDs(db), search.expected)
            }
            try other.close()
            try queue.close()
        }
    }

    @Test("in WAL mode, a suspended database still searches", arguments: [LongSearch.groups, .typos])
    func suspendedPool(search: LongSearch) throws {
        try DatabaseKind.pool.open { writer in
            let pool = try #require(writer as? DatabasePool)
            try pool.write(LongSearch.createDocuments)
            pool.suspend()
            expectEqual(try pool.read { db in try search.rowIDs(db) }, search.expected)
            pool.resume()
        }
    }
}
