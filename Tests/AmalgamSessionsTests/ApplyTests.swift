import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Changes are applied to another database.
@Suite struct ApplyTests {
    /// Records SQL on one database, and runs a test on a second one that began with the same rows.
    private func applying(
        _ recorded: String, on prepared: String = "SELECT 1", _ test: (Changeset, Database) throws -> Void
    ) throws {
        try withTwoDatabases({ try $0.createPeople() }) { here, there in
            let changeset = try here.recordChanges { try here.execute(sql: recorded) }
            try there.execute(sql: prepared)
            try test(changeset, there)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func changesWithoutConflict(_ kind: DatabaseKind) throws {
        let source = try DatabaseQueue()
        let (changeset, patchset, rows) = try source.inDatabase { db in
            try db.createTeams()
            let session = try db.makeSession()
            try db.execute(
                sql: """
                    INSERT INTO team VALUES (3, 'Greens');
                    UPDATE player SET teamId = 3, score = 1.5 WHERE id = 1;
                    DELETE FROM player WHERE id = 2;
                    INSERT INTO player VALUES (4, 'Dora', x'00', 3);
                    """)
            return (try session.changeset(), try session.patchset(), try db.rows(of: "player"))
        }
        try kind.run { db in
            try db.createTeams()
            let before = try db.rows(of: "player")
            let application = try db.apply(changeset)
            #expect(application.conflictCount == 0)
            #expect(application.resolutions.isEmpty)
            #expect(try db.rows(of: "player") == rows)
            #expect(!db.isInsideTransaction)
            // Otherwise the deletion of a team would delete its players, whose changes are not found afterwards.
            try db.apply(changeset.inverted(), options: .withoutForeignKeyActions)
            #expect(try db.rows(of: "player") == before)
            try db.apply(patchset)
            #expect(try db.rows(of: "player") == rows)
            try db.apply(changeset, options: [.inverted, .withoutForeignKeyActions])
            #expect(try db.rows(of: "player") == before)
            expectError(.SQLITE_MISUSE, "a patchset has no old values: it cannot be inverted") {
                try db.apply(patchset, options: .inverted)
            }
        }
    }

    @Test func dataConflict() throws {
        let update = "UPDATE person SET score = 11 WHERE id = 1"
        let other = "UPDATE person SET score = 99 WHERE id = 1"
        try applying(update, on: other) { changeset, db in
            expectError(.SQLITE_ABORT, "changes were not applied: data conflict: UPDATE person") {
                try db.apply(changeset)
            }
            #expect(try db.rows(of: "person")[0] == "1|Anna|99")
            var conflicts: [ChangeConflict] = []
            let application = try db.apply(changeset) { conflict in
                conflicts.append(conflict)
                return .omit
            }
            #expect(application.conflictCount == 1)
            #expect(try db.rows(of: "person")[0] == "1|Anna|99")
            let conflict = try #require(conflicts.first)
            #expect(conflict.kind == .data)
            #expect(conflict.allowsReplacement)
            #expect(conflict.description == "data: UPDATE person(1*, _, 10 -> 11)")
            #expect(conflict.currentValues == [1.databaseValue, "Anna".databaseValue, 99.databaseValue])
            #expect(try conflict.currentRow(db) == ["id": 1, "name": "Anna", "score": 99])
            try db.apply(changeset) { _ in .replace }
            #expect(try db.rows(of: "person")[0] == "1|Anna|11")
        }
        try applying("DELETE FROM person WHERE id = 1", on: other) { changeset, db in
            try db.apply(changeset) { $0.replaceOrOmit }
            #expect(try db.rows(of: "person").count == 2)
        }
    }

    @Test func notFoundConflict() throws {
        for sql in ["UPDATE person SET score = 11 WHERE id = 1", "DELETE FROM person WHERE id = 1"] {
            try applying(sql, on: "DELETE FROM person") { changeset, db in
                expectError(
                    .SQLITE_MISUSE,
                    """
                    notFound conflict: \(sql.prefix(6)) person: only conflicts of the kinds data and conflict can be \
                    resolved with replace. Return omit or abort, or conflict.replaceOrOmit.
                    """
                ) {
                    try db.apply(changeset) { _ in .replace }
                }
                try db.apply(changeset) { conflict in
                    #expect(conflict.kind == .notFound)
                    #expect(conflict.currentValues == nil)
                    #expect(!conflict.allowsReplacement)
                    return conflict.replaceOrOmit
                }
                #expect(try db.rows(of: "person") == [])
            }
        }
    }

    @Test func insertionConflict() throws {
        let insertion = "INSERT INTO person VALUES (4, 'Dora', 1)"
        let other = "INSERT INTO person VALUES (4, 'Eva', 2)"
        try applying(insertion, on: other) { changeset, db in
            try db.apply(changeset) { conflict in
                #expect(conflict.kind == .conflict)
                #expect(conflict.currentValues?[1] == "Eva".databaseValue)
                return .omit
            }
            #expect(try db.rows(of: "person").last == "4|Eva|2")
            try db.apply(changeset) { $0.replaceOrOmit }
            #expect(try db.rows(of: "person").last == "4|Dora|1")
        }
    }

    @Test func constraintConflict() throws {
        try applying("INSERT INTO person VALUES (4, 'Dora', 1)", on: "INSERT INTO person VALUES (5, 'Dora', 2)") {
            changeset, db in
            try db.apply(changeset) { conflict in
                #expect(conflict.kind == .constraint)
                #expect(conflict.change?.newValue(at: 1) == "Dora".databaseValue)
                #expect(conflict.currentValues == nil)
                return conflict.replaceOrOmit
            }
            #expect(try db.rows(of: "person").last == "5|Dora|2")
            expectError(.SQLITE_ABORT, "changes were not applied: constraint conflict: INSERT person") {
                try db.apply(changeset)
            }
        }
    }

    @Test func foreignKeyConflict() throws {
        try withTwoDatabases({ try $0.createTeams() }) { here, there in
            let changeset = try here.recordChanges {
                try here.execute(sql: "INSERT INTO player VALUES (4, 'Dora', 1, 2), (5, 'Eva', 1, 2)")
            }
            try there.execute(sql: "DELETE FROM team WHERE id = 2")
            var kinds: [ChangeConflict.Kind] = []
            expectError(.SQLITE_ABORT, "changes were not applied: foreignKey: 2") {
                try there.apply(changeset) { conflict in
                    kinds.append(conflict.kind)
                    #expect(conflict.change == nil)
                    return conflict.replaceOrOmit
                }
            }
            #expect(kinds == [.foreignKey(violationCount: 2)])
            #expect(try there.rows(of: "player").count == 2)
            #expect(throws: DatabaseError.self) { try there.apply(changeset) { _ in .replace } }
            try there.apply(changeset) { _ in .omit }
            #expect(try there.rows(of: "player").count == 4)
            let violations = try Row.fetchAll(there, sql: "PRAGMA foreign_key_check")
            #expect(violations.count == 2)
        }
    }

    /// The order of the changes doesn't matter for foreign keys, nor for unique values that are swapped.
    @Test func changesThatArePossibleTogether() throws {
        let swap = """
            UPDATE person SET name = 'x' WHERE id = 1;
            UPDATE person SET name = 'Anna' WHERE id = 2;
            UPDATE person SET name = 'Bo' WHERE id = 1;
            """
        try applying(swap) { changeset, db in
            #expect(throws: DatabaseError.self) { try db.apply(changeset, options: .withoutUpdateLoop) }
            try db.apply(changeset)
            #expect(try db.rows(of: "person").prefix(2) == ["1|Bo|10", "2|Anna|20"])
        }
    }

    @Test func changesThatChangeNothing() throws {
        let sql = "UPDATE person SET score = 11 WHERE id = 1; DELETE FROM person WHERE id = 2"
        try applying(sql, on: sql) { changeset, db in
            #expect(throws: DatabaseError.self) { try db.apply(changeset) }
            let application = try db.apply(changeset, options: .ignoringNoOps)
            #expect(application.conflictCount == 0)
        }
    }

    @Test func foreignKeyActions() throws {
        try withTwoDatabases({ try $0.createTeams() }) { here, there in
            let changeset = try here.recordChanges(tables: ["team"]) {
                try here.execute(sql: "DELETE FROM team WHERE id = 1")
            }
            try there.apply(changeset, options: .withoutForeignKeyActions) { _ in .omit }
            #expect(try there.rows(of: "player").count == 3)
            try there.execute(sql: "INSERT INTO team VALUES (1, 'Reds')")
            try there.apply(changeset)
            #expect(try there.rows(of: "player").count == 1)
        }
    }

    @Test func filters() throws {
        try withTwoDatabases({ try $0.createTeams() }) { here, there in
            let changeset = try here.recordChanges {
                try here.execute(sql: "UPDATE team SET name = 'x'; UPDATE player SET score = 0")
            }
            var asked: [String] = []
            try there.apply(
                changeset,
                tables: { tableName in
                    asked.append(tableName)
                    return tableName == "player"
                }, where: { change in change.primaryKey == [2.databaseValue] }
            ) { _ in .abort }
            #expect(asked == ["team", "player"])
            #expect(try there.rows(of: "team") == ["1|Reds", "2|Blues"])
            #expect(try there.rows(of: "player") == ["1|Anna|10|1", "2|Bo|0|1", "3|Cleo|NULL|2"])
        }
    }

    @Test func errorsOfClosures() throws {
        try applying("UPDATE person SET score = score + 1", on: "UPDATE person SET score = 99 WHERE id = 2") {
            changeset, db in
            let before = try db.rows(of: "person")
            #expect(throws: Failure(number: 1)) { try db.apply(changeset) { _ in throw Failure(number: 1) } }
            #expect(throws: Failure(number: 2)) {
                try db.apply(changeset, tables: { _ in throw Failure(number: 2) }) { _ in .omit }
            }
            var count = 0
            #expect(throws: Failure(number: 3)) {
                try db.apply(
                    changeset,
                    where: { _ in
                        count += 1
                        if count == 2 { throw Failure(number: 3) }
                        return true
                    }
                ) { _ in .omit }
            }
            #expect(count == 2)
            #expect(try db.rows(of: "person") == before)
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func otherSchemas() throws {
        let insertion = "INSERT INTO person VALUES (4, 'Dora', 1)"
        try applying(insertion, on: "ALTER TABLE person ADD COLUMN city DEFAULT 'Rome'") { changeset, db in
            try db.apply(changeset)
            #expect(try db.rows(of: "person").last == "4|Dora|1|Rome")
        }
        // These changes are skipped: SQLite's log contains the reason.
        for sql in [
            "DROP TABLE person", "ALTER TABLE person DROP COLUMN score",
            "DROP TABLE person; CREATE TABLE person (id, name PRIMARY KEY, score)",
        ] {
            try applying(insertion, on: sql) { changeset, db in
                let application = try db.apply(changeset)
                #expect(application.conflictCount == 0)
            }
        }
    }

    /// The changes of a table without a primary key begin with its rowid. They can only be applied to a table that has
    /// no primary key either.
    @Test func rowsWithoutPrimaryKey() throws {
        try withTwoDatabases({ try $0.execute(sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)") }) {
            here, there in
            let changeset = try here.recordChanges(options: .recordsImplicitRowIDs) {
                try here.execute(sql: "UPDATE t SET b = 3; INSERT INTO t VALUES (4, 5)")
            }
            try there.apply(changeset)
            #expect(try there.rows(of: "t") == ["1|3", "4|5"])
        }
    }

    @Test func insideTransactions() throws {
        try applying("UPDATE person SET score = 0") { changeset, db in
            expectError(.SQLITE_MISUSE, "applying changes without a savepoint needs a transaction") {
                try db.apply(changeset, options: .withoutSavepoint)
            }
            let before = try db.rows(of: "person")
            try db.inTransaction {
                try db.apply(changeset)
                #expect(db.isInsideTransaction)
                return .rollback
            }
            #expect(try db.rows(of: "person") == before)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO person VALUES (7, 'Eva', 1)")
                try db.execute(sql: "UPDATE person SET score = -1 WHERE id = 3")
                #expect(throws: DatabaseError.self) { try db.apply(changeset) }
                // Earlier changes are still there.
                return .commit
            }
            #expect(try db.rows(of: "person") == ["1|Anna|10", "2|Bo|20", "3|Cleo|-1", "7|Eva|1"])
            try db.inTransaction {
                #expect(throws: DatabaseError.self) { try db.apply(changeset, options: .withoutSavepoint) }
                return .rollback
            }
        }
    }

    @Test func misuse() throws {
        let dbQueue = try DatabaseQueue()
        var leaked: Database?
        let changeset = try dbQueue.inDatabase { db in
            leaked = db
            try db.createPeople()
            return try db.recordChanges { try db.execute(sql: "DELETE FROM person") }
        }
        #expect(throws: DatabaseError.self) { try leaked?.apply(changeset) }
        #expect(throws: DatabaseError.self) { _ = try leaked.map { try Session($0) } }
        #expect(throws: DatabaseError.self) { _ = try leaked.map { try Changegroup<Changeset>(schemaOf: $0) } }
        try dbQueue.inDatabase { db in
            #expect(throws: DatabaseError.self) { try db.readOnly { try db.apply(changeset.inverted()) } }
            #expect(try db.rows(of: "person") == [])
            try db.apply(changeset.inverted())
            #expect(try db.rows(of: "person").count == 3)
        }
    }

    @Test func tablesWithEquivalentNamesHaveTheirOwnAnswers() throws {
        // The letter é as one scalar, and as two. For Swift, both strings are equal.
        let names = ["\u{E9}", "e\u{301}"]
        let create = names.map { "CREATE TABLE \"\($0)\" (id INTEGER PRIMARY KEY);" }.joined()
        try withTwoDatabases({ try $0.execute(sql: create) }) { here, there in
            let changeset = try here.recordChanges {
                for name in names { try here.execute(sql: "INSERT INTO \"\(name)\" VALUES (1)") }
            }
            #expect(try changeset.tableNames.count == 2)
            let changes = try Array(changeset.changes())
            #expect(changes.count == 2 && changes[0] != changes[1])
            try there.apply(changeset, tables: { $0.unicodeScalars.count == 2 }) { _ in .abort }
            let counts = try names.map { try Int.fetchOne(there, sql: "SELECT count(*) FROM \"\($0)\"") }
            #expect(counts == [0, 1])
        }
        let changeset = try DatabaseQueue().inDatabase { db in
            try db.execute(sql: create)
            return try db.recordChanges {
                for name in names { try db.execute(sql: "INSERT INTO \"\(name)\" VALUES (1)") }
            }
        }
        try DatabaseQueue().inDatabase { db in
            let application = try db.apply(changeset) { _ in .abort }
            #expect(application.skippedTables.map(\.unicodeScalars.count).sorted() == [1, 2])
        }
    }
}
