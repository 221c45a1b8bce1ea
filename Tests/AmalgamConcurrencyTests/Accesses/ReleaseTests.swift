import Amalgam
import Foundation
import TestSupport
import Testing

/// Statements and cursors belong to their connection, and may be released on any thread, at any time.
@Suite(.watchdog)
struct ReleaseTests {
    /// A container that transfers a value to another thread.
    final class Parcel<Value>: @unchecked Sendable {
        // Sendable: one thread sets the value, and a second one reads it after a signal.
        var value: Value?

        init(_ value: Value) {
            self.value = value
        }
    }

    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool])
    func statementsAreReleasedWhileTheirConnectionWorks(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in for _ in 0..<10 { try db.addPlayer() } }
            for _ in 0..<20 {
                let statements = Parcel(
                    try writer.writeWithoutTransaction { db in
                        try (0..<50).map { try db.makeStatement(sql: "SELECT *, \($0) FROM player") }
                    })
                let started = Signal()
                let worker = Worker {
                    try writer.write { db in
                        started.fire()
                        for number in 0..<50 { _ = try Row.fetchAll(db, sql: "SELECT id, \(number) FROM player") }
                    }
                }
                try started.wait()
                statements.value = nil
                try worker.join()
            }
            #expect(try writer.read { try $0.playerCount() } == 10)
        }
    }

    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool])
    func cursorsAreReleasedWhileTheirConnectionWorks(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in for _ in 0..<10 { try db.addPlayer() } }
            for _ in 0..<50 {
                let cursor = Parcel(
                    try writer.writeWithoutTransaction { db in
                        let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                        _ = try cursor.next()
                        return cursor
                    })
                let (started, goOn) = (Signal(), Signal())
                let worker = Worker {
                    try writer.write { db in
                        started.fire()
                        for _ in 0..<20 { _ = try db.playerCount() }
                        try goOn.wait()
                    }
                }
                try started.wait()
                cursor.value = nil
                goOn.fire()
                try worker.join()
                // No statement reads any more.
                #expect(writer.unsafeReentrantWrite { $0.isBusy } == false)
            }
        }
    }

    @Test func aCursorIsReleasedBeforeItsStatementIsFinalized() throws {
        let queue = try DatabaseQueue(configuration: .tested)
        try queue.write { db in
            try db.createPlayers()
            for _ in 0..<10 { try db.addPlayer() }
        }
        // The fillers take the small buffers of the connection, so a sanitizer can observe what comes next.
        let fillers = try queue.inDatabase { db in try (0..<300).map { try db.makeStatement(sql: "SELECT \($0)") } }
        for _ in 0..<20 {
            let cursor = Parcel(
                try queue.inDatabase { db in
                    let cursor = try Row.fetchCursor(db.cachedStatement(sql: "SELECT * FROM player"))
                    _ = try cursor.next()
                    return cursor
                })
            let (started, released) = (Signal(), Signal())
            let worker = Worker {
                try queue.inDatabase { db in
                    started.fire()
                    try released.wait()
                    db.releaseMemory()
                }
            }
            try started.wait()
            cursor.value = nil
            released.fire()
            try worker.join()
            #expect(try queue.read { try $0.playerCount() } == 10)
        }
        withExtendedLifetime(fillers) {}
    }

    @Test func statementsOutliveTheirConnection() throws {
        var statements: [Statement] = []
        for _ in 0..<3 {
            let folder = Folder()
            let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
            try queue.write { try $0.createPlayers() }
            statements += try queue.inDatabase { db in
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                _ = try cursor.next()
                return [try db.makeStatement(sql: "SELECT 1"), try db.makeStatement(sql: "DELETE FROM player")]
            }
        }
        for statement in statements {
            try databaseError(.SQLITE_MISUSE) { try statement.execute() }
            #expect(statement.columnCount >= 0)
        }
        let parcel = Parcel(statements)
        statements = []
        let worker = Worker { parcel.value = nil }
        try worker.join()
    }
}
