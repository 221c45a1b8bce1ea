import Amalgam
import Foundation
import Testing

/// What observers are told, and when.
struct TransactionObserverTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    // MARK: Order

    @Test func autocommit() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
            try db.execute(sql: "UPDATE player SET name = 'Bo' WHERE id = 1")
            #expect(log.take() == ["update player(1)", "willCommit", "didCommit"])
            try db.execute(sql: "DELETE FROM player WHERE id = 1")
            #expect(log.take() == ["delete player(1)", "willCommit", "didCommit"])
        }
    }

    @Test func oneStatementManyRows() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')")
            #expect(log.take() == ["insert player(1)", "insert player(2)", "willCommit", "didCommit"])
            try db.execute(sql: "UPDATE player SET name = 'x'")
            #expect(log.take() == ["update player(1)", "update player(2)", "willCommit", "didCommit"])
        }
    }

    @Test func commit() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "DELETE FROM player")
            #expect(log.take() == ["insert player(1)", "delete player(1)"])
        }
        #expect(log.take() == ["willCommit", "didCommit"])
    }

    @Test func rollback() throws {
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            return .rollback
        }
        #expect(log.take() == ["insert player(1)", "didRollback"])
        #expect(throws: Refusal()) {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                throw Refusal()
            }
        }
        #expect(log.take() == ["insert player(1)", "didRollback"])
    }

    @Test func emptyTransactions() throws {
        for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
            try dbQueue.inTransaction(kind) { _ in .commit }
            #expect(log.take() == ["willCommit", "didCommit"])
            try dbQueue.inTransaction(kind) { _ in .rollback }
            #expect(log.take() == ["didRollback"])
        }
    }

    @Test func readsTellNothing() throws {
        _ = try dbQueue.read { try $0.integer("SELECT COUNT(*) FROM player") }
        try dbQueue.inDatabase { db in
            _ = try db.integer("SELECT COUNT(*) FROM player")
            _ = try db.integer("PRAGMA user_version")
        }
        #expect(log.take() == [])
    }

    @Test func statementsThatChangeNoRowAreTransactionsToo() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "DELETE FROM player WHERE id = 666")
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.execute(sql: "DROP TABLE team")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func aStatementThatFailsInAutocommitModeRollsBack() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            _ = log.take()
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Bo')") }
            #expect(log.take() == ["didRollback"])
        }
    }

    @Test func aStatementThatFailsInATransactionEndsNothing() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            expectFailure(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Bo')") }
            #expect(log.take() == ["insert player(1)"])
        }
        #expect(log.take() == ["willCommit", "didCommit"])
    }

    @Test func rollbacksOfSQLite() throws {
        dbQueue.inDatabase { db in
            try? db.inTransaction {
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
                #expect(log.take() == ["insert player(1)", "didRollback"])
                return .commit
            }
            #expect(log.take() == [])
        }
    }

    @Test func plainSQL() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    BEGIN; INSERT INTO player VALUES (1, 'Anna'); COMMIT;
                    BEGIN; DELETE FROM player; ROLLBACK;
                    """)
        }
        #expect(
            log.take() == ["insert player(1)", "willCommit", "didCommit", "delete player(1)", "didRollback"])
    }

    @Test func aFailingCommitTellsNothingUntilTheTransactionEnds() throws {
        let dbQueue = try makeQueue(TransactionTests.deferredForeignKey)
        dbQueue.add(transactionObserver: log)
        try dbQueue.inDatabase { db in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO player VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.commit() }
            #expect(log.take() == ["insert player(1)"])
            try db.execute(sql: "INSERT INTO team VALUES (1)")
            try db.commit()
            #expect(log.take() == ["insert team(1)", "willCommit", "didCommit"])
            #expect(throws: DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO player VALUES (2)")
                    return .commit
                }
            }
            #expect(log.take() == ["insert player(2)", "didRollback"])
        }
    }

    @Test func severalObserversAreToldInTheOrderOfTheirArrival() throws {
        let lines = Lines()
        let observers = ["first", "second"].map { name in
            let log = EventLog()
            log.onChange = { _, event in lines.append("\(name): \(event.line)") }
            log.onCommit = { _, _ in lines.append("\(name): didCommit") }
            log.onRollback = { _, _ in lines.append("\(name): didRollback") }
            dbQueue.add(transactionObserver: log)
            return log
        }
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')") }
        #expect(
            lines.take() == [
                "first: insert player(1)", "second: insert player(1)",
                "first: insert player(2)", "second: insert player(2)",
                "first: didCommit", "second: didCommit",
            ])
        try dbQueue.inTransaction { _ in .rollback }
        #expect(lines.take() == ["first: didRollback", "second: didRollback"])
        withExtendedLifetime(observers) {}
    }

    // MARK: Events

    @Test func eventsAndTheirCopiesLiveOn() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    INSERT INTO PLAYER VALUES (12, 'Anna');
                    UPDATE Player SET name = 'Bo';
                    UPDATE player SET id = 13;
                    DELETE FROM player;
                    """)
        }
        #expect(log.events.map(\.kind) == [.insert, .update, .update, .delete])
        #expect(log.events.map(\.kind.rawValue) == [18, 23, 23, 9])
        #expect(log.events.map(\.rowID) == [12, 12, 13, 13])
        #expect(log.events.allSatisfy { $0.tableName == "player" && $0.databaseName == "main" && $0.hasRowID })
        #expect(log.events[0].copy().line == "insert player(12)")
    }

    @Test func schemas() throws {
        let folder = try TemporaryFolder()
        try dbQueue.inDatabase { db in
            try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [folder.path("other.sqlite")])
            try db.execute(
                sql: """
                    CREATE TABLE other.player (id INTEGER PRIMARY KEY);
                    CREATE TEMP TABLE notes (id INTEGER PRIMARY KEY);
                    """)
            _ = log.take()
            try db.inTransaction {
                try db.execute(
                    sql: """
                        INSERT INTO player VALUES (1, 'Anna');
                        INSERT INTO other.player VALUES (2);
                        INSERT INTO notes VALUES (3);
                        """)
                return .commit
            }
            #expect(
                log.take() == ["insert player(1)", "insert player(2)", "insert notes(3)", "willCommit", "didCommit"])
            #expect(log.events.map(\.databaseName) == ["main", "other", "temp"])
        }
    }

    @Test func tablesWithoutRowID() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
            let lines = try db.events(logsValues: true) {
                try db.execute(sql: "INSERT INTO country VALUES ('FR', 'France')")
                try db.execute(sql: "UPDATE country SET name = 'République française'")
                try db.execute(sql: "DELETE FROM country WHERE code = 'FR'")
            }
            #expect(
                lines.filter { !$0.hasSuffix("Commit") } == [
                    #"will insert country: ["FR", "France"]"#, "insert country",
                    #"will update country: ["FR", "France"] -> ["FR", "République française"]"#, "update country",
                    #"will delete country: ["FR", "République française"]"#, "delete country",
                ])
        }
        #expect(log.events.suffix(3).allSatisfy { !$0.hasRowID && $0.rowID == 0 })
        #expect(log.preUpdateEvents.suffix(3).allSatisfy { $0.initialRowID == nil && $0.finalRowID == nil })
    }

    @Test func keysOfTablesWithoutRowIDMayChange() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
                    INSERT INTO country VALUES ('FR', 'France'), ('IT', 'Italia');
                    """)
            let lines = try db.events(logsValues: true) {
                try db.execute(sql: "UPDATE country SET code = 'ES' WHERE code = 'FR'")
            }
            #expect(
                lines == [
                    #"will update country: ["FR", "France"] -> ["ES", "France"]"#, "update country",
                    "willCommit", "didCommit",
                ])
        }
    }

    @Test func upserts() throws {
        try dbQueue.inDatabase { db in
            let upsert = "INSERT INTO player VALUES (1, ?) ON CONFLICT DO UPDATE SET name = excluded.name"
            try db.execute(sql: upsert, arguments: ["Anna"])
            try db.execute(sql: upsert, arguments: ["Bo"])
            #expect(
                log.take() == [
                    "insert player(1)", "willCommit", "didCommit", "update player(1)", "willCommit", "didCommit",
                ])
            try db.execute(sql: "INSERT OR IGNORE INTO player VALUES (1, 'Cleo')")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func internalTablesAreNotTold() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a)")
            _ = log.take()
            try db.execute(sql: "INSERT INTO counted (a) VALUES (1)")  // and sqlite_sequence
            #expect(log.take() == ["insert counted(1)", "willCommit", "didCommit"])
            try db.execute(sql: "ALTER TABLE counted RENAME TO renamed; ANALYZE; CREATE INDEX i ON renamed(a); REINDEX")
            #expect(Set(log.take()) == ["willCommit", "didCommit"])
            try db.execute(sql: "VACUUM")
            #expect(!log.take().contains { !$0.hasSuffix("Commit") })
        }
    }

    @Test func fullTextTablesMakeNoNoise() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(body)")
            _ = (log.take(), log.takeAsked())
            try db.execute(sql: "INSERT INTO document VALUES ('hello'), ('world')")
            #expect(log.take() == ["willCommit", "didCommit"])
            #expect(log.takeAsked() == [.insert(tableName: "document")])
            try db.execute(sql: "UPDATE document SET body = 'bye' WHERE rowid = 1")
            try db.execute(sql: "DELETE FROM document WHERE rowid = 2")
            try db.execute(sql: "INSERT INTO document(document) VALUES ('optimize')")
            #expect(Set(log.take()) == ["willCommit", "didCommit"])
            #expect(Set(log.takeAsked().map(\.tableName)) == ["document"])
            try #expect(db.integer("SELECT rowid FROM document WHERE document MATCH 'bye'") == 1)
            try db.execute(sql: "DROP TABLE document")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func aFullTextIndexOnATableDoesNotHideTheTable() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE search USING fts5(name, content='player', content_rowid='id');
                    CREATE TRIGGER searchInsert AFTER INSERT ON player BEGIN
                      INSERT INTO search(rowid, name) VALUES (new.id, new.name);
                    END;
                    CREATE TRIGGER searchDelete AFTER DELETE ON player BEGIN
                      INSERT INTO search(search, rowid, name) VALUES ('delete', old.id, old.name);
                    END;
                    """)
            _ = log.take()
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')")
            #expect(log.take() == ["insert player(1)", "insert player(2)", "willCommit", "didCommit"])
            try db.execute(sql: "DELETE FROM player")
            #expect(log.take() == ["delete player(1)", "delete player(2)", "willCommit", "didCommit"])
            try #expect(db.integer("SELECT COUNT(*) FROM search('Anna')") == 0)
        }
    }

    @Test func spatialIndexes() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)")
            _ = log.take()
            try db.execute(sql: "INSERT INTO box VALUES (1, 0, 1)")
            try db.execute(sql: "ALTER TABLE box RENAME TO cube")
            try #expect(db.integer("SELECT id FROM cube WHERE x0 < 1") == 1)
            try db.execute(sql: "DELETE FROM cube; DROP TABLE cube")
            #expect(Set(log.take()) == ["willCommit", "didCommit"])
            try #expect(db.integer("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '%cube%'") == 0)
        }
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
        // All rows are changed before the first one is returned. The commit comes when the statement is reset.
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

    @Test func droppedTablesDoNotLendTheirNameToOthers() throws {
        // SQLite may give the memory of the first name to the second one.
        try dbQueue.inDatabase { db in
            var names: [String] = []
            for index in 10..<60 {
                let name = "table\(index)"
                try db.execute(sql: "CREATE TABLE \(name) (id INTEGER PRIMARY KEY)")
                try db.execute(sql: "INSERT INTO \(name) VALUES (\(index))")
                try db.execute(sql: "DROP TABLE \(name)")
                names.append("insert \(name)(\(index))")
            }
            #expect(log.take().filter { $0.hasPrefix("insert") } == names)
        }
    }

    @Test func renamedTablesHaveTheirNewName() throws {
        try dbQueue.inDatabase { db in
            let names = ["one1", "two2", "six6", "ten0", "player"]
            var previous = "player"
            for (index, name) in names.enumerated() {
                try db.execute(sql: "INSERT INTO \(previous) VALUES (\(index), '')")
                try db.execute(sql: "ALTER TABLE \(previous) RENAME TO \(name)")
                previous = name
            }
            #expect(
                log.take().filter { $0.hasPrefix("insert") }
                    == ["insert player(0)", "insert one1(1)", "insert two2(2)", "insert six6(3)", "insert ten0(4)"])
        }
    }

    @Test func aTableMayHaveAnyName() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: #"CREATE TABLE "Équipe ""A""" (id INTEGER PRIMARY KEY)"#)
            _ = log.take()
            try db.execute(sql: #"INSERT INTO "Équipe ""A""" VALUES (1)"#)
            #expect(log.take().first == #"insert Équipe "A"(1)"#)
            try db.execute(sql: "CREATE TABLE pragma_notes (id INTEGER PRIMARY KEY)")
            _ = log.take()
            try db.execute(sql: "INSERT INTO pragma_notes VALUES (1)")
            #expect(log.take().first == "insert pragma_notes(1)")
        }
    }

    // MARK: Interest

    @Test func kindsAreFilteredBeforeRows() throws {
        log.observes = { kind in
            if case .insert("player") = kind { true } else { false }
        }
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    BEGIN;
                    INSERT INTO team VALUES (1);
                    INSERT INTO player VALUES (1, 'Anna');
                    UPDATE player SET name = 'Bo';
                    DELETE FROM player;
                    COMMIT;
                    """)
        }
        #expect(log.take() == ["willCommit", "didCommit", "insert player(1)", "willCommit", "didCommit"])
    }

    @Test func updatesAreFilteredByColumn() throws {
        log.observes = { kind in
            guard case .update("player", let columns) = kind else { return false }
            return columns.contains("name")
        }
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "UPDATE player SET id = 2")
            #expect(!log.take().contains { $0.hasPrefix("update") })
            try db.execute(sql: "UPDATE player SET id = 3, NAME = name")
            #expect(log.take() == ["update player(3)", "willCommit", "didCommit"])
        }
    }

    @Test func anObserverWithoutInterestHearsOfTransactions() throws {
        log.observes = { _ in false }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        try dbQueue.inTransaction { db in
            try db.execute(sql: "DELETE FROM player")
            return .rollback
        }
        #expect(log.take() == ["willCommit", "didCommit", "didRollback"])
    }

    @Test func interestIsAskedOncePerRunAndKind() throws {
        try dbQueue.inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO player (name) VALUES ('a'), ('b'), ('c')")
            #expect(log.takeAsked() == [])
            try insertion.execute()
            #expect(log.takeAsked() == [.insert(tableName: "player")])
            try insertion.execute()
            #expect(log.takeAsked() == [.insert(tableName: "player")])
            let update = try db.makeStatement(sql: "UPDATE player SET name = 'x'")
            try update.execute()
            #expect(log.takeAsked() == [.update(tableName: "player", columnNames: ["name"])])
        }
    }

    @Test func interestIsAskedOnceForStatementsThatReturnRows() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('a'), ('b'), ('c') RETURNING id")
            #expect(log.takeAsked() == [.insert(tableName: "player")])
        }
    }

    @Test func interestMayChange() throws {
        try dbQueue.inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO player (name) VALUES ('a')")
            log.observes = { _ in false }
            try insertion.execute()
            log.observes = { _ in true }
            try insertion.execute()
            #expect(log.take() == ["willCommit", "didCommit", "insert player(2)", "willCommit", "didCommit"])
        }
    }

    // MARK: Refused commits

    @Test func aRefusedCommitIsRolledBack() throws {
        log.refusal = Refusal()
        #expect(throws: Refusal()) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        }
        #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
        try dbQueue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
        // The next transaction is as good as any.
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
    }

    @Test func aRefusedAutocommitIsRolledBack() throws {
        try dbQueue.inDatabase { db in
            log.refusal = Refusal()
            #expect(throws: Refusal()) { try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
            #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test(arguments: ["COMMIT", "END TRANSACTION", "RELEASE s"])
    func commitsOfAllKindsCanBeRefused(end: String) throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: end.hasPrefix("RELEASE") ? "SAVEPOINT s" : "BEGIN")
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            log.refusal = Refusal()
            #expect(throws: Refusal()) { try db.execute(sql: end) }
            #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
            #expect(!db.isInsideTransaction)
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
        }
    }

    @Test(arguments: [Database.TransactionKind.deferred, .immediate, .exclusive])
    func emptyTransactionsCanBeRefused(kind: Database.TransactionKind) throws {
        log.refusal = Refusal()
        #expect(throws: Refusal()) { try dbQueue.inTransaction(kind) { _ in .commit } }
        #expect(log.take() == ["willCommit", "didRollback"])
        log.refusal = Refusal()
        #expect(throws: Refusal()) {
            try dbQueue.inDatabase { db in
                try db.beginTransaction(kind)
                try db.commit()
            }
        }
        dbQueue.inDatabase { #expect(!$0.isInsideTransaction) }
        #expect(log.take() == ["willCommit", "didRollback"])
    }

    @Test func emptySavepointTransactionsAreAnnouncedAndCanBeRefused() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "SAVEPOINT s; RELEASE s")
            #expect(log.take() == ["willCommit", "didCommit"])
            log.refusal = Refusal()
            try db.execute(sql: "SAVEPOINT s")
            #expect(throws: Refusal()) { try db.execute(sql: "RELEASE s") }
            try db.rollback()
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

    @Test func theFirstRefusalIsThrownAndAllObserversAreTold() throws {
        let second = EventLog()
        dbQueue.add(transactionObserver: second)
        log.refusal = Refusal()
        #expect(throws: Refusal()) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        }
        #expect(log.take() == ["insert player(1)", "willCommit", "didRollback"])
        #expect(second.take() == ["insert player(1)", "didRollback"])
    }

    // MARK: Observers that use the connection

    @Test func anObserverMayReadAfterACommit() throws {
        let lines = Lines()
        log.onCommit = { _, db in
            lines.append("\(db.isInsideTransaction) \((try? db.integer("SELECT COUNT(*) FROM player")) ?? -1)")
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bo')") }
        #expect(lines.take() == ["false 1", "false 2"])
    }

    @Test func anObserverMayWriteAfterACommit() throws {
        try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE journal (id INTEGER PRIMARY KEY)") }
        _ = log.take()
        log.onCommit = { log, db in
            guard (try? db.integer("SELECT COUNT(*) FROM journal")) == 0 else { return }
            #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO journal VALUES (7)") }
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        #expect(
            log.take() == [
                "insert player(1)", "willCommit", "didCommit",
                "insert journal(7)", "willCommit", "didCommit",
            ])
    }

    @Test func anObserverMayWriteInATransactionAfterARollback() throws {
        try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE journal (id INTEGER PRIMARY KEY)") }
        log.onRollback = { _, db in
            #expect(throws: Never.self) { try db.write { try $0.execute(sql: "INSERT INTO journal VALUES (7)") } }
        }
        try dbQueue.inTransaction { _ in .rollback }
        try #expect(dbQueue.read { try $0.integer("SELECT id FROM journal") } == 7)
    }

    @Test func anObserverMayReadAfterARollbackOfSQLite() throws {
        nonisolated(unsafe) var failure: (any Error)?
        log.onRollback = { _, db in
            do { _ = try db.integer("SELECT 1") } catch { failure = error }
        }
        try? dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
        }
        #expect(failure == nil)
    }

    @Test func aTransactionOfAnObserverDoesNotReviveAnAbortedOne() throws {
        try dbQueue.inDatabase { try $0.execute(sql: "CREATE TABLE journal (id INTEGER PRIMARY KEY)") }
        log.onRollback = { log, db in
            log.onRollback = { _, _ in }
            #expect(throws: Never.self) { try db.write { try $0.execute(sql: "INSERT INTO journal VALUES (7)") } }
        }
        expectFailure(.SQLITE_ABORT, "Transaction was aborted") {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (1, 'Bo')")
                expectFailure(.SQLITE_ABORT, "Transaction was aborted") {
                    try db.execute(sql: "INSERT INTO player VALUES (2, 'Cleo')")
                }
            }
        }
        try dbQueue.read { db in
            try #expect(db.integer("SELECT COUNT(*) FROM player") == 0)
            try #expect(db.integer("SELECT id FROM journal") == 7)
        }
    }

    @Test func changesOfTheSchemaAfterACommit() throws {
        log.onCommit = { log, db in
            log.onCommit = { _, _ in }
            #expect(throws: Never.self) { try db.execute(sql: "CREATE TABLE later (a)") }
        }
        try dbQueue.write { try $0.execute(sql: "INSERT INTO player VALUES (1, 'Anna')") }
        try #expect(dbQueue.read { try $0.integer("SELECT COUNT(*) FROM later") } == 0)
    }
}

/// How long observers are kept, and how they stop.
struct ObservationExtentTests {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try makeQueue(playerSchema)
    }

    private func insert(_ id: Int) throws {
        try dbQueue.inDatabase { try $0.execute(sql: "INSERT INTO player VALUES (\(id), '')") }
    }

    /// An observer that outlives itself in its lines.
    private func makeLog(_ lines: Lines) -> EventLog {
        let log = EventLog()
        log.onChange = { _, event in lines.append(event.line) }
        log.onCommit = { _, _ in lines.append("didCommit") }
        log.onRollback = { _, _ in lines.append("didRollback") }
        return log
    }

    @Test func anObserverIsNotRetainedByDefault() throws {
        let lines = Lines()
        weak var weakLog: EventLog?
        do {
            let log = makeLog(lines)
            weakLog = log
            dbQueue.add(transactionObserver: log)
            try insert(1)
            #expect(lines.take() == ["insert player(1)", "didCommit"])
        }
        #expect(weakLog == nil)
        try insert(2)
        #expect(lines.take() == [])
    }

    @Test func observerLifetime() throws {
        let lines = Lines()
        do {
            let log = makeLog(lines)
            dbQueue.add(transactionObserver: log, extent: .observerLifetime)
            try dbQueue.inTransaction { _ in .rollback }
            try insert(1)
            #expect(lines.take() == ["didRollback", "insert player(1)", "didCommit"])
            withExtendedLifetime(log) {}
        }
        try insert(2)
        #expect(lines.take() == [])
    }

    @Test func databaseLifetime() throws {
        let lines = Lines()
        weak var weakLog: EventLog?
        do {
            let log = makeLog(lines)
            weakLog = log
            dbQueue.add(transactionObserver: log, extent: .databaseLifetime)
        }
        try insert(1)
        try insert(2)
        #expect(lines.take() == ["insert player(1)", "didCommit", "insert player(2)", "didCommit"])
        #expect(weakLog != nil)
        try dbQueue.close()
        #expect(weakLog == nil)
    }

    @Test(arguments: [Database.TransactionCompletion.commit, .rollback])
    func nextTransaction(completion: Database.TransactionCompletion) throws {
        let lines = Lines()
        weak var weakLog: EventLog?
        do {
            let log = makeLog(lines)
            weakLog = log
            dbQueue.add(transactionObserver: log, extent: .nextTransaction)
        }
        #expect(weakLog != nil)
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            return completion
        }
        #expect(lines.take() == ["insert player(1)", completion == .commit ? "didCommit" : "didRollback"])
        #expect(weakLog == nil)
        try insert(2)
        #expect(lines.take() == [])
    }

    @Test func nextTransactionIsTheCurrentOne() throws {
        let log = EventLog()
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            db.add(transactionObserver: log, extent: .nextTransaction)
            try db.execute(sql: "INSERT INTO player VALUES (2, '')")
        }
        #expect(log.take() == ["insert player(2)", "willCommit", "didCommit"])
        try insert(3)
        #expect(log.take() == [])
    }

    @Test func readsAreNotTheNextTransaction() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log, extent: .nextTransaction)
        try dbQueue.read { _ = try $0.integer("SELECT COUNT(*) FROM player") }
        #expect(log.take() == [])
        try insert(1)
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
    }

    @Test func removedObserversHearNothing() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log, extent: .databaseLifetime)
        dbQueue.remove(transactionObserver: log)
        try insert(1)
        #expect(log.take() == [])
        dbQueue.remove(transactionObserver: log)
        dbQueue.add(transactionObserver: log)
        try insert(2)
        #expect(log.take() == ["insert player(2)", "willCommit", "didCommit"])
    }

    @Test func removalInTheMiddleOfATransaction() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            db.remove(transactionObserver: log)
            try db.execute(sql: "INSERT INTO player VALUES (2, '')")
        }
        #expect(log.take() == ["insert player(1)"])
    }

    @Test func removalInsideASavepointDropsPendingEvents() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player VALUES (1, '')")
                db.remove(transactionObserver: log)
                return .commit
            }
        }
        #expect(log.take() == [])
    }

    @Test func anObserverMayRemoveItselfAndOthersWhileItIsTold() throws {
        let other = EventLog()
        let log = EventLog()
        log.onCommit = { [unowned other] log, db in
            db.remove(transactionObserver: log)
            db.remove(transactionObserver: other)
        }
        dbQueue.add(transactionObserver: log)
        dbQueue.add(transactionObserver: other)
        try insert(1)
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
        _ = other.take()
        try insert(2)
        #expect(log.take() == [])
        #expect(other.take() == [])
    }

    @Test func anObserverMayAddOthersWhileItIsTold() throws {
        let other = EventLog()
        let log = EventLog()
        log.onCommit = { log, db in
            log.onCommit = { _, _ in }
            db.add(transactionObserver: other)
        }
        dbQueue.add(transactionObserver: log)
        try insert(1)
        #expect(other.take() == [])
        try insert(2)
        #expect(other.take() == ["insert player(2)", "willCommit", "didCommit"])
    }

    @Test func readOnlyConnectionsHaveNoObserver() throws {
        let folder = try TemporaryFolder()
        try DatabaseQueue(path: folder.path("db.sqlite")).write { try $0.execute(sql: playerSchema) }
        var configuration = Configuration()
        configuration.readonly = true
        let dbQueue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: configuration)
        weak var weakLog: EventLog?
        do {
            let log = EventLog()
            weakLog = log
            dbQueue.add(transactionObserver: log, extent: .databaseLifetime)
            try dbQueue.inDatabase { db in try db.inTransaction { .commit } }
            #expect(log.take() == [])
        }
        #expect(weakLog == nil)
    }

    // MARK: stopObservingDatabaseChangesUntilNextTransaction

    @Test func anObserverMayHaveSeenEnough() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        let other = EventLog()
        dbQueue.add(transactionObserver: log)
        dbQueue.add(transactionObserver: other)
        for id in [1, 3] {
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (\(id), ''), (\(id + 1), '')")
                try db.execute(sql: "UPDATE player SET name = 'x' WHERE id = \(id)")
            }
            #expect(log.take() == ["insert player(\(id))", "willCommit", "didCommit"])
            #expect(other.take().count == 5)
        }
    }

    @Test func anObserverThatHasSeenEnoughIsNotAsked() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, '')")
            _ = log.takeAsked()
            try db.execute(sql: "UPDATE player SET name = 'x'")
            #expect(log.takeAsked() == [])
        }
    }

    @Test func aRollbackBringsEventsBack() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        dbQueue.add(transactionObserver: log)
        try dbQueue.inTransaction { db in
            try db.execute(sql: "INSERT INTO player VALUES (1, ''), (2, '')")
            return .rollback
        }
        try insert(1)
        #expect(log.take() == ["insert player(1)", "didRollback", "insert player(1)", "willCommit", "didCommit"])
    }

    @Test func stoppingBeforeTheChangeSkipsTheChange() throws {
        final class Early: TransactionObserver {
            var lines: [String] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                lines.append("will")
                stopObservingDatabaseChangesUntilNextTransaction()
            }
            func databaseDidChange(with event: DatabaseEvent) { lines.append("did") }
            func databaseDidCommit(_ db: Database) { lines.append("commit") }
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Early()
        dbQueue.add(transactionObserver: observer)
        try insert(1)
        try insert(2)
        #expect(observer.lines == ["will", "commit", "will", "commit"])
    }

    @Test func stoppingElsewhereHasNoEffect() throws {
        let log = EventLog()
        dbQueue.add(transactionObserver: log)
        log.stopObservingDatabaseChangesUntilNextTransaction()
        log.onCommit = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        try insert(1)
        try insert(2)
        #expect(
            log.take() == [
                "insert player(1)", "willCommit", "didCommit", "insert player(2)", "willCommit", "didCommit",
            ])
    }

    @Test func stoppingInsideASavepoint() throws {
        let log = EventLog()
        log.onChange = { log, _ in log.stopObservingDatabaseChangesUntilNextTransaction() }
        dbQueue.add(transactionObserver: log)
        try dbQueue.write { db in
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player VALUES (1, ''), (2, '')")
                return .commit
            }
            try db.execute(sql: "INSERT INTO player VALUES (3, '')")
        }
        #expect(log.take() == ["insert player(1)", "willCommit", "didCommit"])
    }
}
