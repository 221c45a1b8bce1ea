import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Backups from one connection to another: all pages at once, or several pages per step.
struct BackupTests {
    let folder: Folder
    let source: DatabaseQueue
    let destination: DatabaseQueue

    init() throws {
        folder = Folder()
        source = try DatabaseQueue(path: folder.path("source.sqlite"))
        destination = try DatabaseQueue(path: folder.path("destination.sqlite"))
        try source.inDatabase { db in
            try db.execute(sql: "CREATE TABLE page (id INTEGER PRIMARY KEY, content BLOB)")
            try db.execute(sql: "PRAGMA user_version = 7")
            for _ in 1...8 { try db.execute(sql: "INSERT INTO page (content) VALUES (randomblob(4000))") }
        }
        try destination.inDatabase { db in
            try db.execute(sql: "CREATE TABLE previous (a); INSERT INTO previous VALUES (1)")
        }
    }

    /// Backs up from inside an access of both.
    func onBoth<T>(_ body: (Database, Database) throws -> T) throws -> T {
        try source.inDatabase { source in try destination.inDatabase { try body(source, $0) } }
    }

    func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let values = try destination.read { try Int.fetchAll($0, sql: "SELECT a FROM previous") }
        #expect(values == [1], sourceLocation: sourceLocation)
    }

    func expectCopied(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let sql = "SELECT id, content FROM page"
        let expected = try source.read { try Row.fetchAll($0, sql: sql) }
        let copied = try destination.read { try Row.fetchAll($0, sql: sql) }
        #expect(copied == expected, sourceLocation: sourceLocation)
        let facts = try destination.read { db in
            (
                try db.integer("PRAGMA user_version"),
                try db.integer("SELECT COUNT(*) FROM sqlite_master WHERE name = 'previous'"),
                try String.fetchOne(db, sql: "PRAGMA integrity_check")
            )
        }
        #expect(facts.0 == 7, sourceLocation: sourceLocation)
        #expect(facts.1 == 0, sourceLocation: sourceLocation)
        #expect(facts.2 == "ok", sourceLocation: sourceLocation)
    }

    // MARK: Progress

    @Test func everythingIsReplaced() throws {
        try onBoth { try $0.backup(to: $1) }
        try expectCopied()
    }

    @Test func progressIsToldAfterEachStep() throws {
        let pageCount = try #require(try source.read { try $0.integer("PRAGMA page_count") })
        var completed: [Int] = []
        var isCompleted: [Bool] = []
        try onBoth { source, destination in
            try source.backup(to: destination, pagesPerStep: 1) { progress in
                #expect(progress.totalPageCount == pageCount)
                #expect(progress.remainingPageCount == pageCount - progress.completedPageCount)
                completed.append(progress.completedPageCount)
                isCompleted.append(progress.isCompleted)
            }
        }
        #expect(completed == Array(1...pageCount))
        #expect(isCompleted == (1...pageCount).map { $0 == pageCount })
        try expectCopied()
    }

    @Test(arguments: [true, false])
    func allPagesAreOneStep(isInTransaction: Bool) throws {
        // More pages than are copied between two checks for cancellation.
        try source.inDatabase { try $0.execute(sql: "INSERT INTO page (content) VALUES (zeroblob(3000000))") }
        var calls: [Bool] = []
        try onBoth { source, destination in
            if isInTransaction { try source.beginTransaction(.deferred) }
            try source.backup(to: destination) { calls.append($0.isCompleted) }
            try source.rollback()
        }
        #expect(calls == [true])
        try expectCopied()
    }

    @Test func anErrorOfProgressEndsTheBackup() throws {
        #expect(throws: Refusal()) {
            try onBoth { source, destination in
                try source.backup(to: destination, pagesPerStep: 1) { _ in throw Refusal() }
            }
        }
        try expectUntouched()
    }

    @Test func anErrorOfTheLastProgressIsTooLate() throws {
        try onBoth { source, destination in
            try source.backup(to: destination, pagesPerStep: 1) { if $0.isCompleted { throw Refusal() } }
        }
        try expectCopied()
    }

    @Test func noPagePerStepIsRefused() throws {
        expectError(.SQLITE_MISUSE, "pagesPerStep must not be 0: the backup would never end.") {
            try onBoth { try $0.backup(to: $1, pagesPerStep: 0) }
        }
    }

    // MARK: Steps

    @Test func steps() throws {
        try onBoth { source, destination in
            try source.withBackup(to: destination) { backup in
                #expect(backup.progress.totalPageCount == 0)
                let first = try backup.step(pages: 2)
                #expect(first.completedPageCount == 2)
                #expect(try backup.step(pages: 0).completedPageCount == 2)
                let last = try backup.step(pages: .max)
                #expect(last.isCompleted)
                #expect(last.remainingPageCount == 0)
                // The backup is complete.
                #expect(try backup.step().isCompleted)
            }
        }
        try expectCopied()
    }

    @Test func aBackupThatIsNotCompletedIsUndone() throws {
        let backup = try onBoth { source, destination in
            try source.withBackup(to: destination) { backup in
                try backup.step(pages: 3)
                return backup
            }
        }
        expectError(.SQLITE_MISUSE, "The backup has ended.") { try backup.step() }
        try expectUntouched()
    }

    @Test func otherSchemas() throws {
        try onBoth { source, destination in
            try source.execute(sql: "ATTACH DATABASE ':memory:' AS extra; CREATE TABLE extra.t AS SELECT 5 AS a")
            try destination.execute(sql: "ATTACH DATABASE ':memory:' AS received")
            try source.withBackup(to: destination, schema: "extra", intoSchema: "received") { try $0.step() }
            #expect(try destination.integer("SELECT a FROM received.t") == 5)
            expectError(.SQLITE_ERROR, "unknown database nope") {
                try source.withBackup(to: destination, schema: "nope") { _ in }
            }
            expectError(.SQLITE_ERROR, "unknown database nope") {
                try source.withBackup(to: destination, intoSchema: "nope") { _ in }
            }
            expectError(.SQLITE_MISUSE, "A name must not contain a NUL character.") {
                try source.withBackup(to: destination, schema: "main\0") { _ in }
            }
        }
        try expectUntouched()
    }

    // MARK: The source

    @Test func writesOfTheSourceConnectionAreCopied() throws {
        try onBoth { source, destination in
            try source.withBackup(to: destination) { backup in
                try backup.step(pages: 3)
                try source.execute(sql: "UPDATE page SET content = zeroblob(4000) WHERE id = 1")
                let progress = try backup.step(pages: 1)
                #expect(progress.completedPageCount == 4)
                try backup.step()
            }
        }
        try expectCopied()
    }

    @Test func writesOfOthersBeginAgain() throws {
        let other = try DatabaseQueue(path: folder.path("source.sqlite"))
        try onBoth { source, destination in
            try source.withBackup(to: destination) { backup in
                try backup.step(pages: 3)
                try other.inDatabase { try $0.execute(sql: "DELETE FROM page WHERE id = 1") }
                let progress = try backup.step(pages: 1)
                #expect(progress.completedPageCount == 1)
                try backup.step()
            }
        }
        try expectCopied()
    }

    @Test func aTransactionHoldsTheSource() throws {
        let path = folder.path("pool.sqlite")
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (randomblob(9000))") }
        try pool.read { source in
            try destination.inDatabase { destination in
                try source.withBackup(to: destination) { backup in
                    try pool.write { try $0.execute(sql: "DELETE FROM t") }
                    try backup.step(pages: 1)
                    try pool.write { try $0.execute(sql: "DROP TABLE t") }
                    try backup.step()
                }
            }
        }
        let count = try destination.read { try $0.integer("SELECT COUNT(*) FROM t") }
        #expect(count == 2)
    }

    @Test func aWriteTransactionOfTheSourceIsRefused() throws {
        expectError(
            .SQLITE_MISUSE, "The source of a backup must not be in a write transaction: commit it before."
        ) {
            try source.write { source in try destination.inDatabase { try source.backup(to: $0) } }
        }
        try expectUntouched()
    }

    @Test func aLockedSource() throws {
        let other = try DatabaseQueue(path: folder.path("source.sqlite"))
        try other.inTransaction(.exclusive) { _ in
            let error = expectFailure(.SQLITE_BUSY) { try onBoth { try $0.backup(to: $1) } }
            #expect(error != nil)
            return .rollback
        }
        try expectUntouched()
        try onBoth { try $0.backup(to: $1) }
        try expectCopied()
    }

    @Test func aStepThatFoundALockMayBeTriedAgain() throws {
        let other = try DatabaseQueue(path: folder.path("source.sqlite"))
        try onBoth { source, destination in
            try source.withBackup(to: destination) { backup in
                try other.inDatabase { db in
                    try db.beginTransaction(.exclusive)
                    _ = expectFailure(.SQLITE_BUSY) { try backup.step() }
                    try db.rollback()
                }
                try backup.step()
            }
        }
        try expectCopied()
    }

    @Test func theBusyModeOfTheSourceIsAsked() throws {
        let tries = Counting()
        var configuration = Configuration()
        configuration.busyMode = .callback { _ in tries.increment() < 3 }
        let waiting = try DatabaseQueue(path: folder.path("source.sqlite"), configuration: configuration)
        try source.inTransaction(.exclusive) { _ in
            _ = expectFailure(.SQLITE_BUSY) {
                try waiting.inDatabase { source in try destination.inDatabase { try source.backup(to: $0) } }
            }
            return .rollback
        }
        #expect(tries.value == 3)
    }

    @Test func anEmptySource() throws {
        let empty = try DatabaseQueue()
        try empty.inDatabase { source in try destination.inDatabase { try source.backup(to: $0) } }
        let count = try destination.read { try $0.integer("SELECT COUNT(*) FROM sqlite_master") }
        #expect(count == 0)
    }

    @Test func aSourceThatIsCut() throws {
        let path = folder.path("cut.sqlite")
        try source.inDatabase { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
        let cut = try DatabaseQueue(path: path)
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.truncate(atOffset: 3 * 4096)
        try handle.close()
        _ = expectFailure(.SQLITE_CORRUPT) {
            try cut.inDatabase { source in try destination.inDatabase { try source.backup(to: $0) } }
        }
        try expectUntouched()
    }
}

/// A counter that closures share.
final class Counting: @unchecked Sendable {
    // Sendable: used on one thread at a time.
    private(set) var value = 0

    func increment() -> Int {
        value += 1
        return value
    }
}
