import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Statements and state that enter or leave a sandbox.
struct SandboxScopeTests {
    private func run(_ kind: DatabaseKind = .memory, _ test: (Database) throws -> Void) throws {
        try kind.run { db in
            try db.createTeams()
            try test(db)
        }
    }

    private static let message = """
        The statement was compiled under another authorizer. Make it inside the closure of the sandbox, and use it \
        there only.
        """

    @Test func cachesDoNotLetAnythingIn() throws {
        try run { db in
            let sql = "SELECT name FROM team ORDER BY id"
            for _ in 1...3 { #expect(try String.fetchAll(db, sql: sql) == ["Reds", "Blues"]) }
            let cached = try db.cachedStatement(sql: sql)
            try expectDenied(db, .readOnly(tables: ["player"]), sql)
            expectCode(.SQLITE_AUTH) {
                try db.sandboxed(.readOnly(tables: ["player"])) { _ = try db.cachedStatement(sql: sql) }
            }
            // They stay cached for later.
            #expect(try db.cachedStatement(sql: sql) === cached)
        }
    }

    @Test func statementsDoNotEnter() throws {
        try run { db in
            let statement = try db.makeStatement(sql: "SELECT name FROM team")
            let write = try db.makeStatement(sql: "DELETE FROM team")
            try db.sandboxed(.readOnly(tables: ["player"])) {
                expectError(.SQLITE_MISUSE, Self.message, sql: "SELECT name FROM team") {
                    _ = try String.fetchAll(statement)
                }
                expectError(.SQLITE_MISUSE, Self.message, sql: "DELETE FROM team") { try write.execute() }
            }
            #expect(try String.fetchAll(statement).count == 2)
        }
    }

    @Test func statementsDoNotLeave() throws {
        try run { db in
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["score"], of: "player")
            let sql = "SELECT score FROM player"
            let statement = try db.sandboxed(sandbox) {
                _ = try Row.fetchAll(db, sql: sql)
                return try db.cachedStatement(sql: sql)
            }
            expectError(.SQLITE_MISUSE, Self.message, sql: sql) { _ = try Row.fetchAll(statement) }
            #expect(try Int?.fetchAll(db, sql: sql) == [10, 20, nil])
            #expect(try Int?.fetchAll(db.cachedStatement(sql: sql)) == [10, 20, nil])
            _ = try db.sandboxed(sandbox) {
                expectError(.SQLITE_MISUSE, Self.message, sql: sql) { _ = try Row.fetchAll(statement) }
            }
        }
    }

    @Test func cursorsDoNotLeave() throws {
        try run { db in
            let sql = "SELECT id FROM player ORDER BY id"
            let cursor = try db.sandboxed(.readOnly) {
                let cursor = try Int.fetchCursor(db, sql: sql)
                #expect(try cursor.next() == 1)
                return cursor
            }
            expectError(.SQLITE_MISUSE, Self.message, sql: sql) { _ = try cursor.next() }
        }
    }

    @Test(
        "a cursor that has started outside of a sandbox continues after it",
        arguments: [
            "SELECT score FROM player ORDER BY id", "UPDATE player SET name = name || '' RETURNING score",
        ])
    func cursorsDoNotEnter(_ sql: String) throws {
        try run { db in
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["score"], of: "player")
            let cursor = try Int?.fetchCursor(db, sql: sql)
            #expect(try cursor.next() == 10)
            try db.sandboxed(sandbox) {
                expectError(.SQLITE_MISUSE, Self.message, sql: sql) { _ = try cursor.next() }
                let inner = try Int?.fetchCursor(db, sql: "SELECT score FROM player")
                #expect(try inner.next() == .some(nil))
                var narrower = sandbox
                narrower.hideColumns(["name"], of: "player")
                try db.sandboxed(narrower) {
                    expectCode(.SQLITE_MISUSE) { _ = try inner.next() }
                    expectError(.SQLITE_MISUSE, Self.message, sql: sql) { _ = try cursor.next() }
                }
                #expect(try inner.next() == .some(nil))
            }
            #expect(try cursor.next() == 20)
            #expect(try cursor.next() == .some(nil))
            #expect(try cursor.next() == nil)
        }
    }

    @Test("a cursor that is released in a sandbox is reset")
    func cursorsEndInside() throws {
        try run { db in
            var cursor: RowCursor? = try Row.fetchCursor(db, sql: "SELECT name FROM player")
            #expect(try cursor?.next() != nil)
            try db.sandboxed(.readOnly) { cursor = nil }
            try db.execute(sql: "DROP TABLE player")
        }
    }

    @Test func aSchemaChangeOpensNothing() throws {
        try run { db in
            try db.sandboxed(.readOnly(tables: ["player"])) {
                let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = 1")
                #expect(try Row.fetchOne(statement)?.count == 4)
                amalgam_expire_statements(db.sqliteConnection)
                #expect(try Row.fetchOne(statement)?.count == 4)
            }
            // Compiled again under the same rules: a table replaces a view.
            try db.execute(sql: "CREATE VIEW card AS SELECT name FROM player")
            try db.sandboxed(.readOnly(tables: ["card"])) {
                let statement = try db.makeStatement(sql: "SELECT name FROM card")
                #expect(try String.fetchAll(statement).count == 3)
                amalgam_expire_statements(db.sqliteConnection)
                #expect(try String.fetchAll(statement).count == 3)
            }
        }
    }

    /// SQLite compiles a statement again after a schema change, here by another connection, and the sandbox checks it
    /// again.
    @Test func whatIsCompiledAgainIsAskedAgain() throws {
        try withTemporaryDirectory { directory in
            let path = directory.appendingPathComponent("teams.sqlite").path
            let queue = try DatabaseQueue(path: path)
            let other = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.createTeams()
                try db.execute(sql: "CREATE VIEW card AS SELECT name FROM player")
            }
            try queue.inDatabase { db in
                try db.sandboxed(.readOnly(tables: ["team", "card"])) {
                    let statement = try db.makeStatement(sql: "SELECT * FROM team")
                    let card = try db.makeStatement(sql: "SELECT * FROM card")
                    #expect(try Row.fetchAll(statement).count == 2)
                    #expect(try Row.fetchAll(card).count == 3)
                    try other.write { db in
                        try db.execute(
                            sql: """
                                ALTER TABLE team RENAME TO club;
                                CREATE VIEW team AS WITH card AS (SELECT name FROM player) SELECT * FROM card;
                                """)
                    }
                    // A view that is allowed by name, and contains a WITH clause.
                    #expect(try String.fetchAll(card).count == 3)
                }
                let error = #expect(throws: DatabaseError.self) {
                    try db.sandboxed(.readOnly(tables: ["player"])) {
                        let statement = try db.makeStatement(sql: "SELECT * FROM player")
                        #expect(try Row.fetchAll(statement).count == 3)
                        try other.write { db in
                            try db.execute(
                                sql: """
                                    ALTER TABLE player RENAME TO person;
                                    CREATE TABLE secret (word);
                                    CREATE VIEW player AS SELECT 1 AS id;
                                    CREATE TABLE other.t (a);
                                    """)
                        }
                    }
                }
                #expect(error?.resultCode == .SQLITE_ERROR)
            }
        }
    }

    @Test func sandboxesOnlyGetNarrower() throws {
        try run { db in
            try db.sandboxed(.readOnly(tables: ["player"])) {
                try expectDenied(db, .readOnly, "SELECT * FROM team")
                try expectDenied(db, .readWrite(tables: ["player"]), "DELETE FROM player")
                try db.sandboxed(.readOnly) { try expectEqual(db.playerNames.count, 3) }
                #expect(try db.playerNames.count == 3)
            }
            try db.sandboxed(.readOnly) {
                try expectDenied(db, .readOnly(tables: ["player"]), "SELECT * FROM team")
                #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") == 2)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func transactionsOfSwiftWork(_ kind: DatabaseKind) throws {
        try run(kind) { db in
            try db.sandboxed(.readWrite(tables: ["player", "team"])) {
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM player WHERE id = 1")
                    try db.inSavepoint {
                        try db.execute(sql: "DELETE FROM player")
                        return .rollback
                    }
                    return .commit
                }
            }
            #expect(try db.playerNames == ["Bo", "Cleo"])
            expectCode(.SQLITE_AUTH) {
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM player")
                    try db.sandboxed(.readOnly) { try db.execute(sql: "COMMIT") }
                    return .commit
                }
            }
            #expect(try db.playerNames == ["Bo", "Cleo"])
        }
    }

    @Test func observersAreNotInTheSandbox() throws {
        try run { db in
            let log = EventLog()
            log.onCommit = { _, db in
                log.onCommit = { _, _ in }
                #expect(throws: Never.self) { try db.execute(sql: "CREATE TABLE t AS SELECT * FROM team") }
            }
            db.add(transactionObserver: log)
            try db.sandboxed(.readWrite(tables: ["player", "team"])) {
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
            }
            #expect(log.take().prefix(3) == ["delete player(1)", "willCommit", "didCommit"])
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 2)
            db.remove(transactionObserver: log)
        }
    }

    @Test func theConnectionIsDefensiveInside() throws {
        try run { db in
            try db.sandboxed(.readOnly) { try expectEqual(db.isEnabled(.defensive), true) }
            #expect(try db.isEnabled(.defensive) == false)
            try db.setEnabled(.defensive, true)
            try db.sandboxed(.readOnly) {}
            #expect(try db.isEnabled(.defensive))
        }
    }

    @Test func theRegionOfAStatement() throws {
        try run { db in
            var sandbox = Sandbox.readOnly
            sandbox.hideColumns(["score"], of: "player")
            try db.sandboxed(sandbox) {
                let region = try db.makeStatement(sql: "SELECT name, score FROM player").databaseRegion
                #expect(region.description == "player(name)")
            }
        }
    }

    @Test func closingInside() throws {
        let queue = try DatabaseQueue()
        expectCode(.SQLITE_MISUSE) {
            try queue.inDatabase { db in
                try db.sandboxed(.readOnly) {
                    try queue.close()
                    try db.execute(sql: "SELECT 1")
                }
            }
        }
    }
}
