import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// No value of a redacted column gets into the log.
@Suite struct RedactionTests {
    /// Expects that the file of the log doesn't contain a string.
    private func expectNoSecret(_ db: Database, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let count = try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM amalgam_audit_change
                WHERE instr(changes, CAST('secret' AS BLOB)) OR instr(CAST(key AS BLOB), CAST('secret' AS BLOB))
                  OR instr(CAST(newKey AS BLOB), CAST('secret' AS BLOB))
                """)
        #expect(count == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "CREATE TABLE u (pw TEXT PRIMARY KEY, n)", "CREATE TABLE u (pw INTEGER PRIMARY KEY, n)",
        "CREATE TABLE u (n, pw, PRIMARY KEY (n, pw)) WITHOUT ROWID",
    ])
    func aKeyThatIsRedacted(definition: String) throws {
        for rule in [AuditLog.Table.table("u", redacting: ["PW"]), .everyTable(redacting: ["pw"])] {
            try DatabaseQueue().writeWithoutTransaction { db in
                // The table doesn't exist yet, so the statements that change it are refused.
                try db.audit(rule)
                try db.execute(sql: definition)
                for isInTransaction in [false, true] {
                    if isInTransaction { try db.beginTransaction(.immediate) }
                    let error = expectCode(.SQLITE_MISUSE) {
                        try db.execute(sql: "INSERT INTO u (pw, n) VALUES (1, 2)")
                    }
                    #expect(error?.message?.hasPrefix("The column pw of the table u can't be redacted") == true)
                    expectCode(.SQLITE_MISUSE) { try db.execute(sql: "INSERT INTO u (pw, n) VALUES (1, 2)") }
                    if isInTransaction { try db.commit() }
                }
                try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM u"), 0)
                try expectEqual(db.log, [])
                // Another rule helps.
                try db.audit("u")
                try db.execute(sql: "INSERT INTO u (pw, n) VALUES (1, 2)")
                try expectEqual(db.log.count, 1)
                expectCode(.SQLITE_MISUSE) { try db.audit(.table("u", redacting: ["pw"])) }
                // The rule that was refused hasn't replaced the other one.
                try db.execute(sql: "UPDATE u SET n = 3")
                try expectEqual(db.log.count, 2)
            }
        }
    }

    @Test func generatedColumnsOfRedactedOnes() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE u (
                      id INTEGER PRIMARY KEY, h AS (upper(g)) STORED, g AS (v || '!') STORED, v AS (lower(pw)) VIRTUAL,
                      pw, n, m AS (n + 1) STORED)
                    """)
            try db.audit(.table("u", redacting: ["pw"]))
            try db.execute(sql: "INSERT INTO u (id, pw, n) VALUES (1, 'secret', 1)")
            try db.execute(sql: "UPDATE u SET pw = 'secret 2', n = 2")
            try expectEqual(
                db.log,
                [
                    "INSERT u 1 (id: 1, h: redacted, g: redacted, pw: redacted, n: 1, m: 2)",
                    "UPDATE u 1 (h: redacted, g: redacted, pw: redacted, n: 1 -> 2, m: 2 -> 3)",
                ])
            try expectNoSecret(db)
        }
    }

    @Test(arguments: [
        AuditLog.Table.table("u", redacting: ["pw"]), .table("u", columns: ["n"], redacting: ["pw"]),
        .everyTable(redacting: ["pw"]),
    ])
    func aRedactedColumnThatIsRenamed(rule: AuditLog.Table) throws {
        for changesBefore in [true, false] {
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY, pw, n)")
                try db.audit(rule)
                if changesBefore { try db.execute(sql: "INSERT INTO u VALUES (1, 'secret', 1)") }
                try db.execute(sql: "ALTER TABLE u RENAME COLUMN pw TO password")
                try db.execute(
                    sql: "REPLACE INTO u VALUES (1, 'secret 2', 1); UPDATE u SET password = 'secret 3', n = 2")
                try db.execute(sql: "ALTER TABLE u RENAME COLUMN password TO word; ALTER TABLE u ADD COLUMN z")
                try expectEqual(
                    db.logged { try db.execute(sql: "UPDATE u SET word = 'secret', n = 3") },
                    [
                        "UPDATE u 1 (word: redacted, n: 2 -> 3)"
                    ])
                try expectNoSecret(db)
                // A dropped column is not a renamed one.
                try db.execute(sql: "ALTER TABLE u DROP COLUMN word")
                try expectEqual(db.logged { try db.execute(sql: "UPDATE u SET n = 4") }, ["UPDATE u 1 (n: 3 -> 4)"])
            }
        }
    }

    @Test(arguments: [AuditLog.Table.table("u", redacting: ["pw"]), .everyTable(redacting: ["pw"])])
    func aRedactedColumnWhoseNameAnotherOneGets(rule: AuditLog.Table) throws {
        for changesBefore in [true, false] {
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY, pw, n)")
                try db.audit(rule)
                if changesBefore { try db.execute(sql: "INSERT INTO u VALUES (1, 'secret', 1)") }
                try db.execute(sql: "ALTER TABLE u RENAME COLUMN pw TO oldPw; ALTER TABLE u ADD COLUMN pw")
                try expectEqual(
                    db.logged { try db.execute(sql: "INSERT INTO u VALUES (2, 'secret 2', 2, 'secret 3')") },
                    ["INSERT u 2 (id: 2, oldPw: redacted, n: 2, pw: redacted)"])
                try expectNoSecret(db)
            }
        }
    }

    @Test func aRedactedColumnThatIsRenamedBeforeItsTable() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE u (id INTEGER PRIMARY KEY, pw, n)")
            try db.audit(.everyTable(redacting: ["pw"]))
            try db.execute(sql: "ALTER TABLE u RENAME COLUMN pw TO password; INSERT INTO u VALUES (1, 'secret', 1)")
            try db.execute(sql: "ALTER TABLE u RENAME TO v")
            try expectEqual(
                db.logged { try db.execute(sql: "UPDATE v SET password = 'secret 2', n = 2") },
                ["UPDATE v 1 (password: redacted, n: 1 -> 2)"])
            try expectNoSecret(db)
        }
    }

    @Test func columnsOfTablesWhoseNamesOnlySwiftTakesForEqual() throws {
        // é as two scalars and as one.
        for name in ["e\u{301}", "\u{E9}"] {
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE "e\u{301}" (id INTEGER PRIMARY KEY, pw);
                        CREATE TABLE "\u{E9}" (id INTEGER PRIMARY KEY, pw)
                        """)
                try db.audit(.everyTable(redacting: ["pw"]))
                try db.execute(sql: "ALTER TABLE \"\(name)\" RENAME COLUMN pw TO password")
                try db.execute(sql: "INSERT INTO \"\(name)\" VALUES (1, 'secret')")
                try expectNoSecret(db)
            }
        }
    }
}
