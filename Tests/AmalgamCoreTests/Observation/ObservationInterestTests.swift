import Amalgam
import TestSupport
import Testing

/// Observers receive the kinds of change that they ask for.
struct ObservationInterestTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

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

    /// If a statement runs again in its transaction, observers aren't asked again.
    @Test func interestIsAskedOncePerTransactionAndKind() throws {
        try dbQueue.inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO player (name) VALUES ('a')")
            for _ in 1...2 {
                try db.inTransaction {
                    for _ in 1...3 { try insertion.execute() }
                    #expect(log.takeAsked() == [.insert(tableName: "player")])
                    try db.execute(sql: "UPDATE player SET name = 'x'")
                    #expect(log.takeAsked() == [.update(tableName: "player", columnNames: ["name"])])
                    try insertion.execute()
                    #expect(log.takeAsked() == [])
                    return .commit
                }
            }
        }
    }

    /// An answer is valid until the end of the transaction.
    @Test func interestThatChangesInATransactionCountsFromTheNextOneOn() throws {
        try dbQueue.inDatabase { db in
            let insertion = try db.makeStatement(sql: "INSERT INTO player (name) VALUES ('a')")
            log.observes = { _ in false }
            try db.inTransaction {
                try insertion.execute()
                log.observes = { _ in true }
                try insertion.execute()
                return .commit
            }
            #expect(log.take() == ["willCommit", "didCommit"])
            try db.inTransaction {
                try insertion.execute()
                return .commit
            }
            #expect(log.take() == ["insert player(3)", "willCommit", "didCommit"])
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

    @Test func tablesWithEquivalentNamesHaveTheirOwnEvents() throws {
        // The letter é as one scalar, and as two. For Swift, both strings are equal.
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        log.observes = { $0.tableName.unicodeScalars.count == 2 }
        try dbQueue.inDatabase { db in
            for name in [composed, decomposed] {
                try db.execute(sql: "CREATE TABLE \"\(name)\" (id INTEGER PRIMARY KEY)")
            }
            try db.execute(
                sql: """
                    CREATE TRIGGER copy AFTER INSERT ON "\(composed)"
                    BEGIN INSERT INTO "\(decomposed)" VALUES (new.id + 1); END
                    """)
            _ = log.take()
            try db.execute(sql: "INSERT INTO \"\(composed)\" VALUES (1)")
            #expect(log.take() == ["insert \(decomposed)(2)", "willCommit", "didCommit"])
        }
    }

    @Test func kindsOfEquivalentNamesDiffer() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let kinds: [DatabaseEventKind] = [
            .insert(tableName: composed), .insert(tableName: decomposed), .delete(tableName: composed),
            .update(tableName: "word", columnNames: [composed]), .update(tableName: "word", columnNames: [decomposed]),
            .update(tableName: "word", columnNames: [composed, "other"]),
        ]
        #expect(Set(kinds).count == kinds.count)
        for kind in kinds { #expect(kinds.filter { $0 == kind }.count == 1) }
    }
}
