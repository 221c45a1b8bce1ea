import Amalgam
import TestSupport
import Testing

/// Statements that write and return rows: their events, and their commit.
struct ReturningStatementEventTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    @Test func returningStatements() throws {
        try dbQueue.inDatabase { db in
            let ids = try Int.fetchAll(db, sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo') RETURNING id")
            #expect(ids == [1, 2])
            #expect(log.take() == ["insert player(1)", "insert player(2)", "willCommit", "didCommit"])
            try db.execute(sql: "DELETE FROM player RETURNING id")
            #expect(log.take() == ["delete player(1)", "delete player(2)", "willCommit", "didCommit"])
        }
    }

    @Test func returningStatementsThatAreNotReadToTheirEnd() throws {
        // All rows are changed before the first one is returned. The transaction commits when the statement is reset.
        try dbQueue.inDatabase { db in
            let sql = "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo') RETURNING id"
            try #expect(Int.fetchOne(db, sql: sql) == 1)
            #expect(log.take() == ["insert player(1)", "insert player(2)", "willCommit", "didCommit"])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 2)
        }
    }

    @Test func cursorsOverReturningStatementsCommitWhenTheyAreReleased() throws {
        try dbQueue.inDatabase { db in
            do {
                let sql = "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo') RETURNING id"
                let ids = try Int.fetchCursor(db, sql: sql)
                try #expect(ids.next() == 1)
                #expect(log.take() == ["insert player(1)", "insert player(2)"])
            }
            #expect(log.take() == ["willCommit", "didCommit"])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 2)
        }
    }

    /// Another connection has changed the schema since the statement was compiled. SQLite ends the transaction of its first
    /// step, compiles the statement again, and runs it from the start: no transaction was rolled back.
    @Test func aStatementThatIsCompiledAgainAtItsFirstStepRollsNothingBack() throws {
        let folder = Folder()
        let first = try DatabaseQueue(path: folder.path("db.sqlite"))
        let second = try DatabaseQueue(path: folder.path("db.sqlite"))
        try first.write { try $0.execute(sql: playerSchema) }
        first.add(transactionObserver: log)
        try first.inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo') RETURNING id")
            try second.write { try $0.execute(sql: "CREATE TABLE team (id)") }
            do {
                let ids = try Int.fetchCursor(insertion)
                try #expect(ids.next() == 1)
                #expect(log.take() == ["insert player(1)", "insert player(2)"])
                try db.execute(sql: "DELETE FROM player WHERE id = 2")
                #expect(log.take() == ["delete player(2)"])
            }
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func aRefusedReturningStatementThrows() throws {
        try dbQueue.inDatabase { db in
            log.refusal = Refusal()
            #expect(throws: Refusal()) {
                _ = try Int.fetchAll(db, sql: "INSERT INTO player VALUES (1, 'Anna') RETURNING id")
            }
            #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test func aRefusedReturningStatementThatIsNotReadToItsEndThrows() throws {
        try dbQueue.inDatabase { db in
            log.refusal = Refusal()
            #expect(throws: Refusal()) {
                _ = try Int.fetchOne(db, sql: "INSERT INTO player VALUES (1, 'Anna') RETURNING id")
            }
            #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test func aCommitThatFailsAfterTheFirstRowThrows() throws {
        try makeQueue(TransactionTests.deferredForeignKey).inDatabase { db in
            let sql = "INSERT INTO player VALUES (1) RETURNING rowid"
            expectFailure(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: sql) {
                _ = try Int.fetchAll(db, sql: sql)
            }
            expectFailure(.SQLITE_CONSTRAINT, "FOREIGN KEY constraint failed", sql: sql) {
                _ = try Int.fetchOne(db, sql: sql)
            }
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }
}
