import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Actions are undone and redone.
@Suite struct UndoHistoryTests {
    /// Returns all rows of the tables.
    private func content(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT 'team ' || id || ' ' || name FROM team
                UNION ALL SELECT 'player ' || id || ' ' || name || ' ' || ifnull(score, '-') || ' ' || teamId FROM player
                ORDER BY 1
                """)
    }

    @Test(arguments: Store.allCases)
    func undoAndRedo(store: Store) throws {
        try store.open { writer in
            let history = UndoHistory()
            let (before, after) = try writer.write { db in
                try db.createTeams()
                let before = try content(db)
                let count = try history.perform(db, named: "Play") {
                    try db.execute(
                        sql: """
                            UPDATE player SET score = 11 WHERE id = 1;
                            INSERT INTO player VALUES (4, 'Dan', 0, 2);
                            DELETE FROM player WHERE id = 2;
                            """)
                    return try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
                }
                #expect(count == 3)
                return (before, try content(db))
            }
            #expect(history.canUndo && !history.canRedo)
            #expect(history.undoActionName == "Play")

            for _ in 1...2 {
                try writer.write { db in
                    #expect(try history.undo(db))
                    try expectEqual(content(db), before)
                }
                #expect(!history.canUndo && history.canRedo)
                #expect(history.redoActionName == "Play")
                try writer.writeWithoutTransaction { db in
                    #expect(try history.redo(db))
                    try expectEqual(content(db), after)
                }
            }
        }
    }

    @Test func nothingToUndo() throws {
        let history = UndoHistory()
        try DatabaseQueue().write { db in
            try expectEqual(history.undo(db), false)
            try expectEqual(history.redo(db), false)
            try history.perform(db) {}
            #expect(!history.canUndo)
        }
    }

    /// A trigger clears the history while one of its actions is undone, or redone.
    @Test(arguments: [10, 11])
    func actionsForgottenMeanwhile(score: Int) throws {
        let history = UndoHistory(firesTriggers: true)
        try DatabaseQueue().write { db in
            try db.createTeams()
            try history.perform(db) { try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1") }
            if score == 11 { try history.undo(db) }
            db.add(
                function: DatabaseFunction("forget", argumentCount: 0) { _ in
                    history.removeAll()
                    return nil
                })
            try db.execute(sql: "CREATE TRIGGER t AFTER UPDATE ON player BEGIN SELECT forget(); END")
            try expectEqual(score == 11 ? history.redo(db) : history.undo(db), true)
            #expect(!history.canUndo && !history.canRedo)
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player WHERE id = 1"), score)
        }
    }

    /// Actions that are removed in a transaction don't reappear when it is rolled back.
    @Test func actionsForgottenInATransaction() throws {
        let history = UndoHistory()
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.createTeams()
            try history.perform(db) { try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            try db.inTransaction {
                try history.perform(db) { try db.execute(sql: "DELETE FROM player WHERE id = 2") }
                history.removeAll()
                return .rollback
            }
            #expect(!history.canUndo && !history.canRedo)
        }
    }

    /// Changes of another connection can't belong to an action: they would be missing in the history.
    @Test func actionsOnTwoConnections() throws {
        let history = UndoHistory()
        let other = try DatabaseQueue()
        try DatabaseQueue().write { db in
            try db.createTeams()
            try history.perform(db) {
                expectCode(.SQLITE_MISUSE) {
                    try other.write { db in try history.perform(db) { try db.execute(sql: "CREATE TABLE t (a)") } }
                }
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
            }
            #expect(history.canUndo)
            try other.read { db in try expectEqual(db.tableExists("t"), false) }
        }
        try other.write { db in
            try db.createTeams()
            try history.perform(db) { try db.execute(sql: "DELETE FROM player WHERE id = 2") }
        }
    }

    /// ON DELETE CASCADE deletes rows of another table, which are restored, too.
    @Test(arguments: Store.allCases)
    func foreignKeys(store: Store) throws {
        try store.open { writer in
            try writer.write { db in
                try db.createTeams()
                let history = UndoHistory()
                let before = try content(db)
                try history.perform(db) { try db.execute(sql: "DELETE FROM team WHERE id = 1") }
                try history.perform(db) { try db.execute(sql: "UPDATE team SET id = 20 WHERE id = 2") }
                let after = try content(db)
                try history.undo(db)
                try history.undo(db)
                try expectEqual(content(db), before)
                try history.redo(db)
                try history.redo(db)
                try expectEqual(content(db), after)
                try db.checkForeignKeys()
            }
        }
    }

    /// The effects of triggers are undone with the action, and triggers don't fire again.
    @Test func triggers() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            try db.execute(
                sql: """
                    CREATE TABLE event (id INTEGER PRIMARY KEY, text TEXT);
                    CREATE TRIGGER played AFTER UPDATE OF score ON player BEGIN
                      INSERT INTO event (text) VALUES (new.name || ' ' || new.score);
                    END;
                    """)
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1") }
            try history.undo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT text FROM event"), [])
            try history.redo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT text FROM event"), ["Anna 11"])
            try db.execute(sql: "UPDATE player SET score = 12 WHERE id = 1")
            try expectEqual(String.fetchAll(db, sql: "SELECT text FROM event"), ["Anna 11", "Anna 12"])
        }
    }

    /// Full-text tables don't belong to actions: the triggers that update them fire.
    @Test func fullText() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE search USING fts5(name, content='player', content_rowid='id');
                    INSERT INTO search(search) VALUES ('rebuild');
                    CREATE TRIGGER renamed AFTER UPDATE ON player BEGIN
                      INSERT INTO search(search, rowid, name) VALUES ('delete', old.id, old.name);
                      INSERT INTO search(rowid, name) VALUES (new.id, new.name);
                    END;
                    """)
            let history = UndoHistory(firesTriggers: true)
            try history.perform(db) { try db.execute(sql: "UPDATE player SET name = 'Zoe' WHERE id = 1") }
            try history.undo(db)
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM search('Anna')"), [1])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM search('Zoe')"), [])
        }
    }

    @Test(arguments: Store.allCases)
    func conflicts(store: Store) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                let history = UndoHistory()
                try history.perform(db, named: "Play") {
                    try db.execute(sql: "UPDATE player SET score = score + 1; DELETE FROM team WHERE id = 2")
                }
                try db.execute(sql: "UPDATE player SET score = 0 WHERE id = 1; INSERT INTO team VALUES (2, 'Grays')")
                let before = try content(db)
                let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
                #expect(error?.actionName == "Play")
                #expect(error?.tableNames == ["player", "team"])
                #expect(error?.conflicts.count == 2)
                #expect(
                    error?.description.hasPrefix(#""Play" cannot be undone or redone: "#) == true,
                    "\(String(describing: error))")
                // Nothing was undone, and the action stays in the history.
                try expectEqual(content(db), before)
                #expect(history.canUndo && !history.canRedo)
                try db.execute(sql: "UPDATE player SET score = 11 WHERE id = 1; DELETE FROM team WHERE id = 2")
                try history.undo(db)
                try expectEqual(content(db).count, 5)
            }
        }
    }

    /// A row refers to another row that the undo would delete.
    @Test func conflictsOfForeignKeys() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "INSERT INTO team VALUES (3, 'Greens')") }
            try db.execute(sql: "UPDATE player SET teamId = 3 WHERE id = 1")
            let error = #expect(throws: UndoConflict.self) { try history.undo(db) }
            #expect(error?.conflicts.map(\.kind) == [.foreignKey(violationCount: 1)])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM team"), 3)
        }
    }

    @Test func namesAndOrder() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            let history = UndoHistory()
            for name in ["one", "two", "three"] {
                try history.perform(db, named: name) {
                    try db.execute(sql: "UPDATE team SET name = ? WHERE id = 1", arguments: [name])
                }
            }
            try history.undo(db)
            try history.undo(db)
            #expect(history.undoActionName == "one")
            #expect(history.redoActionName == "two")
            try expectEqual(String.fetchOne(db, sql: "SELECT name FROM team"), "one")
            // A new action removes the actions that were undone.
            try history.perform(db, named: "four") { try db.execute(sql: "UPDATE team SET name = 'four' WHERE id = 1") }
            #expect(!history.canRedo)
            history.removeAll()
            #expect(!history.canUndo)
        }
    }

    @Test func limit() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            let history = UndoHistory(limit: 2)
            for score in 1...4 {
                try history.perform(db) { try db.execute(sql: "UPDATE player SET score = ?", arguments: [score]) }
            }
            while try history.undo(db) {}
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player"), 2)
            let none = UndoHistory(limit: -1)
            try none.perform(db) { try db.execute(sql: "DELETE FROM player") }
            #expect(!none.canUndo)
        }
    }

    @Test func someTables() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            let history = UndoHistory(tables: ["player"])
            try history.perform(db) {
                try db.execute(sql: "UPDATE team SET name = 'x' WHERE id = 1; UPDATE player SET score = 0")
            }
            try history.undo(db)
            try expectEqual(String.fetchOne(db, sql: "SELECT name FROM team"), "x")
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player"), 10)
        }
    }

    @Test func tablesWithoutPrimaryKey() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE note (text); INSERT INTO note VALUES ('a'), ('b')")
            let history = UndoHistory()
            try history.perform(db) {
                try db.execute(sql: "DELETE FROM note WHERE text = 'a'; UPDATE note SET text = 'c'")
            }
            try history.undo(db)
            try expectEqual(String.fetchAll(db, sql: "SELECT text FROM note ORDER BY 1"), ["a", "b"])
        }
    }

    @Test func nestedActions() throws {
        try DatabaseQueue().write { db in
            try db.createTeams()
            let history = UndoHistory()
            try history.perform(db, named: "outer") {
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                try history.perform(db, named: "inner") {
                    try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
                }
            }
            #expect(history.undoActionName == "outer")
            try history.undo(db)
            try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player"), 10)
            #expect(!history.canUndo)
        }
    }

    private struct Failure: Error {}

    private func fail() throws { throw Failure() }

    private func deleteInVain(_ history: UndoHistory, _ db: Database) throws {
        try history.perform(db) {
            try db.execute(sql: "DELETE FROM player")
            try fail()
        }
    }

    @Test(arguments: Store.allCases)
    func errors(store: Store) throws {
        try store.open { writer in try writer.writeWithoutTransaction(testErrors) }
    }

    private func testErrors(_ db: Database) throws {
        try db.createTeams()
        let history = UndoHistory()
        #expect(throws: Failure.self) { try deleteInVain(history, db) }
        try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM player"), 3)
        #expect(!history.canUndo)
        try history.perform(db) { try db.execute(sql: "DELETE FROM player WHERE id = 1") }
        #expect(history.canUndo)
    }

    /// An action in a transaction that is rolled back isn't added to the history.
    @Test(arguments: Store.allCases)
    func rollbacks(store: Store) throws {
        try store.open { writer in
            let history = UndoHistory()
            try writer.write { db in
                try db.createTeams()
                try history.perform(db, named: "first") { try db.execute(sql: "UPDATE player SET score = 1") }
            }
            #expect(throws: Failure.self) {
                try writer.write { db in
                    try history.perform(db, named: "second") { try db.execute(sql: "UPDATE player SET score = 2") }
                    try history.undo(db)
                    try history.undo(db)
                    #expect(!history.canUndo)
                    try fail()
                }
            }
            #expect(history.undoActionName == "first")
            #expect(!history.canRedo)
            try writer.write { db in
                try history.undo(db)
                try expectEqual(Int.fetchOne(db, sql: "SELECT score FROM player"), 10)
            }
        }
    }

    /// An undo is logged, and observers receive it.
    @Test func besideAnAuditLogAndObservers() throws {
        final class Counter: TransactionObserver {
            var changes = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "player" }
            func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try Store.memory.audit(.everyTable) { db in
            let counter = Counter()
            db.add(transactionObserver: counter)
            let history = UndoHistory()
            try history.perform(db) { try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1") }
            try db.auditing(as: "user:1", reason: "undo") { _ = try history.undo(db) }
            try expectEqual(
                db.log, ["UPDATE player 1 (score: 10 -> 1)", "UPDATE player 1 (score: 1 -> 10) by user:1"])
            #expect(counter.changes == 2)
            db.remove(transactionObserver: counter)
        }
    }

    @Test func tablesWithEquivalentNames() throws {
        try Store.memory.open { writer in
            try writer.write { db in
                // The letter é as one scalar, and as two. For Swift, both strings are equal.
                let names = ["\u{E9}", "e\u{301}"]
                for (number, name) in names.enumerated() {
                    try db.execute(sql: "CREATE TABLE \"\(name)\" (id INTEGER PRIMARY KEY, number)")
                    try db.execute(sql: "INSERT INTO \"\(name)\" VALUES (1, \(number))")
                }
                func numbers() throws -> [Int?] {
                    try names.map { try Int.fetchOne(db, sql: "SELECT number FROM \"\($0)\"") }
                }
                let history = UndoHistory()
                try history.perform(db) {
                    for name in names { try db.execute(sql: "UPDATE \"\(name)\" SET number = number + 10") }
                }
                #expect(try numbers() == [10, 11])
                #expect(try history.undo(db))
                #expect(try numbers() == [0, 1])
                #expect(try history.redo(db))
                #expect(try numbers() == [10, 11])

                let historyOfOne = UndoHistory(tables: [names[1]])
                try historyOfOne.perform(db) {
                    for name in names { try db.execute(sql: "DELETE FROM \"\(name)\"") }
                }
                #expect(try historyOfOne.undo(db))
                #expect(try numbers() == [nil, 11])
            }
        }
    }
}
