import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Observers of the connection that applies changes. SQLite applies them with its own statements.
@Suite struct ApplyObserverTests {
    private let changes = """
        INSERT INTO person VALUES (4, 'Dora', 1);
        UPDATE person SET score = 11 WHERE id = 1;
        DELETE FROM person WHERE id = 2;
        """

    private func applying(
        _ sql: String, setUp: String = "SELECT 1", _ test: (Changeset, Database) throws -> Void
    ) throws {
        try withTwoDatabases({ try $0.createPeople() }) { here, there in
            let changeset = try here.recordChanges { try here.execute(sql: sql) }
            try there.execute(sql: setUp)
            try test(changeset, there)
        }
    }

    @Test func rowsAndCommit() throws {
        try applying(changes) { changeset, db in
            let lines = try db.events(logsValues: true) { try db.apply(changeset) }
            #expect(lines.count == 8)
            #expect(lines.suffix(2) == ["willCommit", "didCommit"])
            #expect(
                lines.dropLast(2).sorted() == [
                    "delete person(2)", "insert person(4)", "update person(1)",
                    "will delete person(2): [2, \"Bo\", 20]",
                    "will insert person(4): [4, \"Dora\", 1]",
                    "will update person(1): [1, \"Anna\", 10] -> [1, \"Anna\", 11]",
                ])
        }
    }

    @Test func streamedRowsAndCommit() throws {
        try applying(changes) { changeset, db in
            let lines = try db.events { try db.apply(from: .data(changeset.data)) }
            #expect(
                lines.sorted() == [
                    "delete person(2)", "didCommit", "insert person(4)", "update person(1)", "willCommit",
                ])
        }
    }

    @Test func onlyWhatIsObserved() throws {
        try applying(changes) { changeset, db in
            let log = EventLog { kind in
                if case .update(_, let columnNames) = kind { return columnNames.contains("score") }
                return false
            }
            db.add(transactionObserver: log)
            try db.apply(changeset)
            #expect(log.take() == ["update person(1)", "willCommit", "didCommit"])
            let asked = Set(log.takeAsked())
            #expect(
                asked == [
                    .insert(tableName: "person"), .delete(tableName: "person"),
                    .update(tableName: "person", columnNames: ["score"]),
                ])
            log.observes = { $0 == .update(tableName: "person", columnNames: ["name"]) }
            try db.apply(changeset.inverted())
            #expect(log.take() == ["willCommit", "didCommit"])
            db.remove(transactionObserver: log)
        }
    }

    @Test func insideATransaction() throws {
        try applying(changes) { changeset, db in
            let lines = try db.events {
                try db.inTransaction {
                    try db.apply(changeset)
                    return .commit
                }
            }
            #expect(lines.count == 5)
            #expect(lines.suffix(2) == ["willCommit", "didCommit"])
            let undone = try db.events {
                try db.inTransaction {
                    try db.apply(changeset.inverted())
                    return .rollback
                }
            }
            #expect(undone.count == 4)
            #expect(undone.last == "didRollback")
        }
    }

    /// Changes before the conflict are undone: inside a transaction, observers don't receive them, as with any
    /// savepoint that is rolled back.
    @Test func failure() throws {
        try applying(changes, setUp: "UPDATE person SET score = 5 WHERE id = 2") { changeset, db in
            let alone = db.events { #expect(throws: DatabaseError.self) { try db.apply(changeset) } }
            #expect(alone.last == "didRollback")
            #expect(!alone.contains("didCommit"))
            let inside = try db.events {
                try db.inTransaction {
                    #expect(throws: DatabaseError.self) { try db.apply(changeset) }
                    try db.execute(sql: "UPDATE person SET score = 0 WHERE id = 3")
                    return .commit
                }
            }
            #expect(inside == ["update person(3)", "willCommit", "didCommit"])
        }
    }

    @Test func refusedCommit() throws {
        try applying(changes) { changeset, db in
            let before = try db.rows(of: "person")
            let log = EventLog()
            log.refusal = Refusal()
            db.add(transactionObserver: log)
            #expect(throws: Refusal.self) { try db.apply(changeset) }
            #expect(log.take().suffix(2) == ["willCommit", "didRollback"])
            #expect(try db.rows(of: "person") == before)
            try db.apply(changeset)
            #expect(log.take().last == "didCommit")
            db.remove(transactionObserver: log)
        }
    }

    /// Replacing a row is a deletion and an insertion, in a savepoint of SQLite.
    @Test func replacement() throws {
        let setUp = "INSERT INTO person VALUES (4, 'Eva', 2)"
        try applying("INSERT INTO person VALUES (4, 'Dora', 1)", setUp: setUp) { changeset, db in
            let lines = try db.events { try db.apply(changeset) { _ in .replace } }
            #expect(lines == ["delete person(4)", "insert person(4)", "willCommit", "didCommit"])
        }
    }

    /// Two rows swap a unique name: SQLite deletes one, tries again, and rolls back if this fails.
    @Test func updateLoop() throws {
        let swap = """
            UPDATE person SET name = 'x' WHERE id = 1;
            UPDATE person SET name = 'Anna' WHERE id = 2;
            UPDATE person SET name = 'Bo' WHERE id = 1;
            """
        try applying(swap) { changeset, db in
            // The events lead from the old rows to the new ones.
            var people: [Int64: String] = [1: "Anna", 2: "Bo", 3: "Cleo"]
            let log = EventLog()
            log.onWillChange = { event in
                if let rowID = event.initialRowID { people[rowID] = nil }
                if let rowID = event.finalRowID {
                    people[rowID] = event.finalDatabaseValue(atIndex: 1).flatMap(String.fromDatabaseValue)
                }
            }
            db.add(transactionObserver: log)
            try db.apply(changeset)
            #expect(people == [1: "Bo", 2: "Anna", 3: "Cleo"])
            db.remove(transactionObserver: log)
        }
    }

    /// If this loop fails, its savepoint is rolled back, and observers don't receive its events.
    @Test func failedUpdateLoop() throws {
        let sql = "UPDATE person SET name = 'Dora' WHERE id = 1; UPDATE person SET score = 0 WHERE id = 3"
        try applying(sql, setUp: "INSERT INTO person VALUES (9, 'Dora', 0)") { changeset, db in
            let lines = try db.events { try db.apply(changeset) { $0.replaceOrOmit } }
            #expect(lines == ["update person(3)", "willCommit", "didCommit"])
            #expect(try db.rows(of: "person")[0] == "1|Anna|10")
        }
    }

    /// The conflicting row is deleted before the insertion fails for another reason. Observers receive the actual
    /// changes.
    @Test func failedReplacement() throws {
        let setUp = "INSERT INTO person VALUES (4, 'Eva', 2), (5, 'Dora', 3)"
        try applying("INSERT INTO person VALUES (4, 'Dora', 1)", setUp: setUp) { changeset, db in
            var kinds: [ChangeConflict.Kind] = []
            var rowIDs: Set<Int64> = [1, 2, 3, 4, 5]
            let log = EventLog()
            log.onChange = { _, event in
                if event.kind == .delete { rowIDs.remove(event.rowID) } else { rowIDs.insert(event.rowID) }
            }
            db.add(transactionObserver: log)
            let before = try db.rows(of: "person")
            expectError(.SQLITE_ABORT, "changes were not applied: constraint conflict: INSERT person") {
                try db.inTransaction {
                    try db.apply(changeset) { $0.replaceOrOmit }
                    return .commit
                }
            }
            #expect(try db.rows(of: "person") == before)
            #expect(rowIDs == [1, 2, 3, 4, 5])
            try db.apply(changeset) { conflict in
                kinds.append(conflict.kind)
                #expect(conflict.hasRemovedRow == (conflict.kind == .constraint))
                return conflict.allowsReplacement ? .replace : .omit
            }
            db.remove(transactionObserver: log)
            #expect(kinds == [.conflict, .constraint])
            // According to SQLite's documentation, the row is restored, but it isn't.
            let stored = try Int64.fetchAll(db, sql: "SELECT id FROM person ORDER BY id")
            #expect(stored == [1, 2, 3, 5])
            #expect(rowIDs == Set(stored))
        }
    }

    @Test func triggersAndForeignKeyActions() throws {
        try withTwoDatabases({ try $0.createTeams() }) { here, there in
            let changeset = try here.recordChanges(tables: ["team"]) {
                try here.execute(sql: "DELETE FROM team WHERE id = 1; UPDATE team SET name = 'Greens' WHERE id = 2")
            }
            try there.execute(
                sql: """
                    CREATE TABLE log (line);
                    CREATE TRIGGER t AFTER UPDATE ON team BEGIN INSERT INTO log VALUES (new.name); END;
                    """)
            let lines = try there.events { try there.apply(changeset) }
            #expect(
                lines.sorted() == [
                    "delete player(1)", "delete player(2)", "delete team(1)", "didCommit", "insert log(1)",
                    "update team(2)", "willCommit",
                ])
        }
    }

    /// A statement of the handler is observed as usual, and so are later statements of the application.
    @Test func statementsOfTheHandler() throws {
        let sql = "UPDATE person SET score = 0"
        try applying(sql, setUp: "UPDATE person SET score = 5 WHERE id = 2; CREATE TABLE log (line)") { changeset, db in
            let lines = try db.events {
                try db.apply(changeset) { _ in
                    try db.execute(sql: "INSERT INTO log VALUES (1)")
                    return .replace
                }
            }
            #expect(
                lines.sorted() == [
                    "didCommit", "insert log(1)", "update person(1)", "update person(2)", "update person(3)",
                    "willCommit",
                ])
        }
    }

    @Test func sessionsRecordAppliedChanges() throws {
        try applying(changes) { changeset, db in
            let session = try db.makeSession()
            let lines = try db.events { try db.apply(changeset) }
            #expect(lines.count == 5)
            #expect(try session.changeset().lines == changeset.lines)
        }
    }

    /// Compiled statements stay compiled, and observers are asked about later statements as before.
    @Test func cachedStatements() throws {
        try applying(changes) { changeset, db in
            let statement = try db.cachedStatement(sql: "SELECT COUNT(*) FROM person")
            #expect(try Int.fetchOne(statement) == 3)
            try db.apply(changeset)
            #expect(try db.cachedStatement(sql: "SELECT COUNT(*) FROM person") === statement)
            #expect(try Int.fetchOne(statement) == 3)
            let lines = try db.events(observing: { $0 == .delete(tableName: "person") }) {
                try db.execute(sql: "INSERT INTO person (id) VALUES (90); DELETE FROM person WHERE id = 90")
            }
            #expect(lines.filter { !$0.hasSuffix("Commit") } == ["delete person(90)"])
        }
    }

    @Test func afterNextTransaction() throws {
        try applying(changes) { changeset, db in
            nonisolated(unsafe) var commits = 0
            db.afterNextTransaction { _ in commits += 1 }
            try db.apply(changeset)
            #expect(commits == 1)
        }
    }
}
