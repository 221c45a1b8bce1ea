import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// `AuditLog.verify` finds changes that were made without the audit.
@Suite struct VerifyTests {
    /// Runs a test with audited teams. The closure of the test makes changes with and without the audit.
    private func verify(_ changes: (_ db: Database, _ unaudited: (String) throws -> Void) throws -> Void) throws
        -> [String]
    {
        var breaks: [String] = []
        try Store.memory.audit("team", "player") { db in
            try changes(db) { sql in
                try db.stopAuditing()
                try db.execute(sql: sql)
                try db.audit("team", "player")
            }
            breaks = try AuditLog.verify(db).map(\.description)
        }
        return breaks
    }

    @Test func aLogWithoutGaps() throws {
        let breaks = try verify { db, _ in
            try db.execute(
                sql: """
                    INSERT INTO team VALUES (3, 'Greens'); UPDATE player SET score = 1; UPDATE team SET id = 4 WHERE id = 1;
                    DELETE FROM player WHERE id = 2; INSERT OR REPLACE INTO player VALUES (3, 'Zoe', 1.5, 3);
                    DELETE FROM team WHERE id = 3; INSERT INTO team VALUES (3, 'Grays')
                    """)
        }
        #expect(breaks == [])
    }

    @Test func changesWithoutTheAudit() throws {
        let breaks = try verify { db, unaudited in
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1; UPDATE team SET name = 'a' WHERE id = 2")
            try unaudited("UPDATE player SET score = 2 WHERE id = 1; UPDATE team SET name = 'b' WHERE id = 2")
            try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1")
        }
        #expect(
            breaks == [
                "player 1: score is 2, but was 1 (entry 3)", #"team 2: name is "b", but was "a" (current row)"#,
            ])
    }

    @Test func deletionsAndInsertionsWithoutTheAudit() throws {
        let breaks = try verify { db, unaudited in
            try db.execute(sql: "INSERT INTO team VALUES (3, 'c'), (4, 'd'), (5, 'e')")
            try unaudited("DELETE FROM team WHERE id IN (3, 4)")
            try db.execute(sql: "INSERT INTO team VALUES (4, 'd'); DELETE FROM team WHERE id = 5")
            try unaudited("INSERT INTO team VALUES (5, 'e')")
        }
        #expect(
            breaks == [
                "team 4: the row doesn't exist, but was there (entry 4)",
                "team 3: the row doesn't exist, but was there (current row)",
                "team 5: the row exists, but was deleted (current row)",
            ])
    }

    /// Deleted entries make no gap: the log is complete from a later date on.
    @Test func deletedEntries() throws {
        let clock = TestClock()
        var configuration = Configuration()
        configuration.transactionClock = clock
        try Store.memory.open(configuration) { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                for score in 1...5 {
                    clock.advance(1)
                    try db.execute(
                        sql: "UPDATE player SET score = ?, id = id + 10 WHERE name = 'Anna'", arguments: [score])
                    try db.execute(sql: "UPDATE player SET id = id - 10 WHERE name = 'Anna'")
                }
                try AuditLog.deleteEntries(db, exceptLatest: 2)
                try expectEqual(AuditLog.verify(db), [])
                try AuditLog.deleteEntries(db, before: clock.date)
                try expectEqual(AuditLog.verify(db), [])
                try expectEqual(AuditLog.verify(db, tables: ["team"]), [])
            }
        }
    }

    /// The remaining entries of a transaction in the middle of which others were deleted have the date of the deleted ones.
    @Test func deletedEntriesOfOneTransaction() throws {
        try Store.memory.audit("player") { db in
            try db.inTransaction {
                try db.execute(
                    sql: """
                        INSERT INTO player VALUES (7, 'Dora', 6, 1); UPDATE player SET id = 8 WHERE id = 7;
                        UPDATE player SET score = 2 WHERE id = 8; UPDATE player SET score = 8 WHERE id = 8;
                        UPDATE player SET score = 9 WHERE id = 8
                        """)
                return .commit
            }
            try AuditLog.deleteEntries(db, exceptLatest: 2)
            try expectEqual(AuditLog.verify(db), [])
            // Changes after the deletion are compared, also if new entries get the identifiers of deleted ones.
            for count in [1, 0] {
                try AuditLog.deleteEntries(db, exceptLatest: count)
                try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 8")
                try expectEqual(AuditLog.verify(db), [])
                try db.stopAuditing()
                try db.execute(sql: "UPDATE player SET score = 100 WHERE id = 8")
                try db.audit("player")
                try expectEqual(AuditLog.verify(db).count, 1)
                try db.execute(sql: "DELETE FROM player WHERE id = 8; INSERT INTO player VALUES (8, 'Dora', 1, 1)")
            }
        }
    }

    /// The clock is set back behind the beginning of the audit, and behind the date of deleted entries.
    @Test func aClockThatIsSetBack() throws {
        let clock = TestClock()
        var configuration = Configuration()
        configuration.transactionClock = clock
        try Store.memory.open(configuration) { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1")
                clock.advance(-100)
                try db.execute(sql: "UPDATE player SET score = 2 WHERE id = 1; DELETE FROM player WHERE id = 2")
                clock.advance(200)
                try db.execute(
                    sql: "UPDATE player SET score = 3 WHERE id = 1; INSERT INTO player VALUES (2, 'Bo', 1, 1)")
                try expectEqual(AuditLog.verify(db), [])
                try AuditLog.deleteEntries(db, before: clock.date.addingTimeInterval(-50))
                clock.advance(-200)
                try db.execute(sql: "UPDATE player SET score = 4 WHERE id = 1; DELETE FROM player WHERE id = 2")
                clock.advance(300)
                try db.execute(
                    sql: "UPDATE player SET score = 5 WHERE id = 1; INSERT INTO player VALUES (2, 'Bo', 2, 1)")
                try expectEqual(AuditLog.verify(db), [])
            }
        }
    }

    /// Several rows may have the key NULL, or keys that the log can't tell apart.
    @Test(arguments: ["NULL", "CAST(x'61FF' AS TEXT)", "CAST(x'61EFBFBD' AS TEXT)"])
    func keysThatIdentifyNoRow(key: String) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (k TEXT PRIMARY KEY, a)")
            try db.audit("t")
            for sql in [
                "INSERT INTO t VALUES ('x', 1)", "UPDATE t SET k = \(key)", "INSERT INTO t VALUES ('x', 2)",
                "DELETE FROM t WHERE k = 'x'", "UPDATE t SET k = 'x'", "UPDATE t SET a = 3 WHERE k = 'x'",
                "INSERT INTO t VALUES (CAST(x'61FE' AS TEXT), 4), (\(key), 5)",
                "UPDATE t SET k = \(key) || a, a = 6 WHERE k = 'x'", "UPDATE t SET a = a + 1",
                "DELETE FROM t WHERE k IS \(key)",
            ] {
                try db.execute(sql: sql)
                try expectEqual(AuditLog.verify(db), [], "\(sql)")
            }
            // The other side of a change is compared.
            try db.execute(sql: "INSERT INTO t VALUES ('y', 1); UPDATE t SET k = \(key) WHERE k = 'y'")
            try db.stopAuditing()
            try db.execute(sql: "INSERT INTO t VALUES ('y', 2)")
            try expectEqual(AuditLog.verify(db).map(\.kind), [.unrecordedInsertion])
        }
    }

    /// A misspelt name is an error, and not a log without contradictions.
    @Test func namesThatDoNotExist() throws {
        try Store.memory.audit("player") { db in
            let error = expectCode(.SQLITE_ERROR) { try AuditLog.verify(db, tables: ["player", "plaier"]) }
            #expect(error?.message?.hasPrefix("the table plaier doesn't exist") == true, "\(String(describing: error))")
            try db.execute(sql: "UPDATE player SET score = 1 WHERE id = 1; ALTER TABLE player RENAME TO person")
            // The log has entries of the renamed table, and the other one was never audited.
            try expectEqual(AuditLog.verify(db, tables: ["PLAYER", "person", "team"]), [])
        }
        try DatabaseQueue().write { db in
            _ = expectCode(.SQLITE_ERROR) { try AuditLog.verify(db, tables: ["plaier"]) }
        }
    }

    /// Random changes with and without the audit: a change without it is found, and no other one.
    @Test(arguments: seeds(60)) func randomChanges(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        var hasGap = false
        let breaks = try verify { db, unaudited in
            var names: [Int: String] = [:]
            for step in 0..<30 {
                let id = Int.random(in: 10...14, using: &generator)
                let sql =
                    switch (names[id], Bool.random(using: &generator)) {
                    case (nil, _): "INSERT INTO team VALUES (\(id), 'n\(step)')"
                    case (_?, true): "UPDATE team SET name = 'n\(step)' WHERE id = \(id)"
                    case (_?, false): "DELETE FROM team WHERE id = \(id)"
                    }
                // A row that the log has never seen can't contradict it.
                let isKnown = try AuditLog.history(of: "team", key: id).fetchCount(db) > 0
                if isKnown && Int.random(in: 0..<40, using: &generator) == 0 {
                    hasGap = true
                    try unaudited(sql)
                } else {
                    try db.execute(sql: sql)
                }
                names[id] = sql.hasPrefix("DELETE") ? nil : "n\(step)"
            }
        }
        #expect(breaks.isEmpty != hasGap, "seed \(seed): \(breaks)")
    }

    @Test func columnsWhoseNamesOnlySwiftTakesForEqual() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                // É, é, é as two scalars, k, and the sign of Kelvin.
                let names = ["\u{C9}", "\u{E9}", "e\u{301}", "k", "\u{212A}"].map(\.quotedDatabaseIdentifier)
                try db.execute(
                    sql: "CREATE TABLE letter (id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")))")
                try db.audit(.everyTable)
                try db.execute(sql: "INSERT INTO letter VALUES (1, 'a', 'b', 'c', 'd', 'e')")
                for (number, name) in names.enumerated() {
                    try db.execute(sql: "UPDATE letter SET \(name) = \(number)")
                }
                try expectEqual(AuditLog.verify(db), [])
                try db.stopAuditing()
                try db.execute(sql: "UPDATE letter SET \(names[2]) = 'x'")
                let breaks = try AuditLog.verify(db).map(\.description)
                expectEqual(breaks, ["letter 1: e\u{301} is \"x\", but was 2 (current row)"])
            }
        }
    }
}
