import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Sessions and their connection are released in any order, on any thread.
@Suite struct SessionLifetimeTests {
    private static let closed = "The session is closed."
    private static let wrongThread =
        "Database was not used on the correct thread. Use it inside the closure that receives it, only."

    @Test(arguments: DatabaseKind.allCases)
    func sessionOutlivesItsConnection(_ kind: DatabaseKind) throws {
        var session: Session?
        try kind.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createPeople()
                session = try db.makeSession()
                try db.execute(sql: "DELETE FROM person")
            }
        }
        expectError(.SQLITE_MISUSE, Self.wrongThread) { _ = try session?.changeset() }
        expectError(.SQLITE_MISUSE, Self.wrongThread) { try session?.close() }
        session = nil
    }

    @Test func aConnectionThatStaysOpenKeepsItsSessions() throws {
        let dbQueue = try DatabaseQueue()
        var session: Session?
        var statement: Statement?
        try dbQueue.inDatabase { db in
            try db.createPeople()
            session = try db.makeSession()
            try db.execute(sql: "DELETE FROM person WHERE id = 1")
            statement = try db.makeStatement(sql: "SELECT 1")
        }
        #expect(throws: DatabaseError.self) { try dbQueue.close() }
        try dbQueue.inDatabase { _ in
            let count = try session?.changeset().count
            #expect(count == 1)
            #expect(statement?.sql == "SELECT 1")
            statement = nil
        }
        try dbQueue.close()
        #expect(throws: DatabaseError.self) { try session?.changeset() }
    }

    @Test func sessionsThatCompiledStatementsDoNotKeepAConnectionOpen() throws {
        let dbQueue = try DatabaseQueue()
        var session: Session?
        try dbQueue.inDatabase { db in
            try db.createPeople()
            session = try db.makeSession()
            try db.execute(
                sql: """
                    UPDATE person SET score = 1;
                    ALTER TABLE person ADD COLUMN x DEFAULT 1;
                    UPDATE person SET x = 2;
                    """)
        }
        try dbQueue.close()
        session = nil
        #expect(session == nil)
    }

    /// Statements of virtual tables don't keep a connection with sessions open either.
    @Test func sessionsBesideVirtualTablesDoNotKeepAConnectionOpen() throws {
        let dbQueue = try DatabaseQueue()
        var session: Session?
        try dbQueue.inDatabase { db in
            try db.createPeople()
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(content)")
            session = try db.makeSession()
            try db.execute(
                sql: """
                    INSERT INTO document VALUES ('hello');
                    UPDATE person SET score = 1;
                    ALTER TABLE person ADD COLUMN x DEFAULT 1;
                    UPDATE person SET x = 2;
                    """)
        }
        try dbQueue.close()
        session = nil
        #expect(session == nil)
    }

    @Test func closedSession() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            try session.close()
            try session.close()
            expectError(.SQLITE_MISUSE, Self.closed) { _ = try session.changeset() }
            expectError(.SQLITE_MISUSE, Self.closed) { _ = try session.isEmpty }
            expectError(.SQLITE_MISUSE, Self.closed) { try session.attach() }
            try db.execute(sql: "DELETE FROM person")
        }
    }

    @Test func releasedOnAnotherThread() throws {
        let dbQueue = try DatabaseQueue()
        try dbQueue.inDatabase { try $0.createPeople() }
        for _ in 0..<50 {
            var session: Session? = try dbQueue.inDatabase { try $0.makeSession() }
            #expect(throws: DatabaseError.self) { try session?.changeset() }
            session = nil
            // The next access deletes it, and it doesn't record the next change.
            try dbQueue.inDatabase { try $0.execute(sql: "UPDATE person SET score = score + 1") }
        }
        let score = try dbQueue.inDatabase { try $0.integer("SELECT score FROM person WHERE id = 1") }
        #expect(score == 60)
    }

    @Test func releasedWhileOthersWrite() async throws {
        let dbQueue = try DatabaseQueue()
        try await dbQueue.write { try $0.createPeople() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<40 {
                        let box = try await dbQueue.write { db in
                            let session = try db.makeSession()
                            try db.execute(
                                sql: "INSERT INTO person (name) VALUES (?)", arguments: ["\(task)-\(index)"])
                            let count = try session.changeset().count
                            #expect(count == 1)
                            return Unchecked(session)
                        }
                        _ = box
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM person") }
        #expect(count == 323)
    }

    /// Transfers a session out of its access, to be released on another thread.
    private struct Unchecked: @unchecked Sendable {
        // Sendable: the session is only released.
        let session: Session

        init(_ session: Session) { self.session = session }
    }

    @Test func memoryIsReleased() throws {
        final class Token {}
        weak var token: Token?
        try withDatabase { db in
            try db.createPeople()
            do {
                let strong = Token()
                token = strong
                let session = try Session(db)
                try session.attach { _ in withExtendedLifetime(strong) { true } }
                try db.execute(sql: "DELETE FROM person")
                #expect(try session.changeset().count == 3)
            }
            #expect(token == nil)
        }
    }

    @Test func theConnectionIsNotUsedInAFilter() throws {
        try withDatabase { db in
            try db.createPeople()
            let session = try Session(db)
            var other: Session? = try db.makeSession()
            var errors: [String] = []
            try session.attach { _ in
                do {
                    try db.execute(sql: "DELETE FROM person")
                } catch {
                    errors.append("\(error)")
                }
                do {
                    _ = try db.makeSession()
                } catch {
                    errors.append("\(error)")
                }
                // The session isn't removed from the chain of sessions while SQLite iterates over it.
                other = nil
                return true
            }
            try db.execute(sql: "UPDATE person SET score = 1 WHERE id = 1")
            #expect(other == nil)
            let message = """
                SQLite error 21: The connection cannot be used here: SQLite is changing a row, or about to commit. Use \
                it in databaseDidCommit(_:), or after the statement.
                """
            #expect(errors == [message + " - while executing `DELETE FROM person`", message])
            #expect(try session.changeset().lines == ["UPDATE person(1*, _, 10 -> 1)"])
        }
    }

    /// A session that finds a new column of a table evaluates its DEFAULT clause during a change. The function of this
    /// clause can't end the session.
    @Test func theFunctionOfADefaultClauseCannotEndASession() throws {
        try withDatabase { db in
            let db = db.shared
            let sessions = Shared<[Session]>([])
            let errors = Shared<[ResultCode?]>([])
            db.value.add(
                function: DatabaseFunction("f") {
                    guard let session = sessions.value.first else { return 0 }
                    for use in [session.close, { _ = try session.changeset() }] {
                        do { try use() } catch { errors.value.append((error as? DatabaseError)?.resultCode) }
                    }
                    sessions.value = []
                    return 1
                })
            try db.value.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a DEFAULT (f()))")
            try sessions.value.append(db.value.makeSession())
            try db.value.execute(
                sql: """
                    INSERT INTO t (id, a) VALUES (1, 1);
                    ALTER TABLE t ADD COLUMN b;
                    UPDATE t SET a = 2;
                    """)
            #expect(errors.value == [.SQLITE_MISUSE, .SQLITE_MISUSE])
            #expect(sessions.value.isEmpty)
            try db.value.execute(sql: "UPDATE t SET a = 3")
        }
    }

    /// A session also runs statements during a change. The traced rows of these statements can't end the session.
    @Test func aTracedRowCannotEndASession() throws {
        try withDatabase { db in
            try db.createPeople()
            var session: Session? = try db.makeSession()
            db.traceRows { _ in session = nil }
            try db.execute(sql: "INSERT INTO person (name) VALUES ('x'); DELETE FROM person")
            #expect(session == nil)
        }
    }

    /// A session that has found a new column keeps the row of a statement with the default values. The end of an access,
    /// which resets other statements, doesn't reset this one.
    @Test(arguments: DatabaseKind.allCases)
    func aSessionRecordsInSeveralAccesses(_ kind: DatabaseKind) throws {
        let changes = [
            "INSERT INTO t VALUES (1, 'a'), (2, 'b')", "ALTER TABLE t ADD COLUMN c DEFAULT 'new'",
            "UPDATE t SET a = 'x' WHERE id = 1", "INSERT INTO t (id) VALUES (3)", "DELETE FROM t WHERE id = 2",
            "UPDATE t SET c = 'y'",
        ]
        var lines: [[String]] = []
        for isDivided in [false, true] {
            try kind.open { writer in
                try writer.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)") }
                let session = try writer.writeWithoutTransaction { try $0.makeSession() }
                if isDivided {
                    for sql in changes { try writer.writeWithoutTransaction { try $0.execute(sql: sql) } }
                } else {
                    try writer.writeWithoutTransaction { db in
                        for sql in changes { try db.execute(sql: sql) }
                    }
                }
                try writer.writeWithoutTransaction { _ in
                    lines.append(try session.changeset().lines)
                    try session.close()
                }
            }
        }
        #expect(lines[0] == lines[1])
    }
}
