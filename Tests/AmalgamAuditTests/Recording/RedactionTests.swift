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

    @Test(arguments: [AuditLog.Table.table("u", redacting: ["pw"]), .everyTable(redacting: ["pw"])])
    func aRedactedColumnThatGetsTheNameOfAnotherOne(rule: AuditLog.Table) throws {
        for renaming in [
            "ALTER TABLE u DROP COLUMN hint; ALTER TABLE u RENAME COLUMN pw TO hint",
            "ALTER TABLE u RENAME COLUMN hint TO tip; ALTER TABLE u RENAME COLUMN pw TO hint",
            """
            ALTER TABLE u RENAME COLUMN hint TO x; ALTER TABLE u RENAME COLUMN pw TO hint;
            ALTER TABLE u RENAME COLUMN x TO pw
            """,
            // The columns have the same names and places as before.
            """
            ALTER TABLE u DROP COLUMN hint; ALTER TABLE u RENAME COLUMN pw TO hint; ALTER TABLE u ADD COLUMN pw;
            ALTER TABLE u DROP COLUMN n; ALTER TABLE u ADD COLUMN n
            """,
        ] {
            for isInTransaction in [true, false] {
                try DatabaseQueue().writeWithoutTransaction { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE u (id INTEGER PRIMARY KEY, hint, pw, n);
                            INSERT INTO u VALUES (1, 'cat', 'secret', 1)
                            """)
                    try db.audit(rule)
                    if isInTransaction { try db.beginTransaction() }
                    try db.execute(sql: renaming)
                    if isInTransaction { try db.commit() }
                    try expectEqual(
                        db.logged { try db.execute(sql: "UPDATE u SET hint = 'secret 2', n = 2") }.map {
                            $0.replacing("n: NULL", with: "n: 1")
                        }, ["UPDATE u 1 (hint: redacted, n: 1 -> 2)"], "\(renaming)")
                    try expectNoSecret(db)
                }
            }
        }
    }

    /// A transaction that is rolled back doesn't hide the columns before it.
    @Test func aRedactedColumnThatIsRenamedAfterARollback() throws {
        for (begin, rollback) in [("BEGIN", "ROLLBACK"), ("SAVEPOINT s", "ROLLBACK TO s; RELEASE s")] {
            try DatabaseQueue().writeWithoutTransaction { db in
                try db.execute(
                    sql:
                        "CREATE TABLE u (id INTEGER PRIMARY KEY, hint, pw, n); INSERT INTO u VALUES (1, 'cat', 'secret', 1)"
                )
                try db.audit(.table("u", redacting: ["pw"]))
                try db.execute(sql: "\(begin); ALTER TABLE u DROP COLUMN hint; \(rollback)")
                try db.execute(sql: "ALTER TABLE u RENAME COLUMN pw TO word; ALTER TABLE u DROP COLUMN hint")
                try expectEqual(
                    db.logged { try db.execute(sql: "UPDATE u SET word = 'secret 2', n = 2") },
                    ["UPDATE u 1 (word: redacted, n: 1 -> 2)"])
                try expectNoSecret(db)
            }
        }
    }

    /// Statements of this connection that make no column another one leave the other columns as they are in the log.
    @Test func columnsThatAreNotRedacted() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: "CREATE TABLE u (id INTEGER PRIMARY KEY, a, b, pw, c); INSERT INTO u VALUES (1, 2, 3, 'secret', 4)"
            )
            try db.audit(.everyTable(redacting: ["pw"]))
            for sql in [
                "CREATE VIRTUAL TABLE f USING fts5(x)", "CREATE INDEX i ON u (a); CREATE INDEX j ON u (b)",
                "CREATE TABLE v (x); CREATE TABLE w (y); DROP TABLE v; ALTER TABLE w RENAME TO v", "VACUUM",
                "ALTER TABLE u RENAME COLUMN id TO key", "ALTER TABLE u ADD COLUMN d",
                "DROP INDEX i; DROP INDEX j; DROP TABLE f; CREATE TRIGGER t AFTER INSERT ON u BEGIN SELECT 1; END",
                "BEGIN; ALTER TABLE u RENAME COLUMN b TO e; ALTER TABLE u RENAME COLUMN e TO b; COMMIT",
            ] {
                try db.execute(sql: sql)
                try expectEqual(
                    db.logged { try db.execute(sql: "UPDATE u SET a = a + 1, b = b + 1, c = c + 1, pw = pw || 2") }
                        .map { $0.split(separator: ":").count }, [5], "\(sql)")
            }
            try expectEqual(
                db.logged { try db.execute(sql: "UPDATE u SET a = 0, b = 0, c = 0, d = 0, pw = 0") },
                ["UPDATE u 1 (a: 10 -> 0, b: 11 -> 0, pw: redacted, c: 12 -> 0, d: NULL -> 0)"])
            try expectNoSecret(db)
        }
    }

    /// Changes of the schema by this connection and by another one, some of them rolled back.
    @Test(arguments: seeds(60)) func randomChangesOfTheSchema(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        try Store.queue.open { writer in
            let other = try DatabaseQueue(path: writer.path)
            var columns = RandomColumns(usesOtherConnections: seed % 4 != 0)
            try other.writeWithoutTransaction { try $0.execute(sql: columns.definition) }
            let rule = seed % 2 == 0 ? AuditLog.Table.table("u", redacting: ["pw"]) : .everyTable(redacting: ["pw"])
            try writer.writeWithoutTransaction { try $0.audit(rule) }
            for _ in 0..<40 {
                try writer.writeWithoutTransaction { db in
                    try columns.step(db, other, &generator)
                    try expectNoSecret(db)
                }
            }
            try writer.writeWithoutTransaction { db in
                try #expect(Int.fetchOne(db, sql: "SELECT count(*) FROM amalgam_audit_change")! > 0)
            }
            try other.close()
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

/// A table with a secret column, whose name and place a test knows.
private struct RandomColumns {
    let usesOtherConnections: Bool
    private var names = ["id", "hint", "pw", "n"]
    private var secret = 2
    private var number = 0

    init(usesOtherConnections: Bool) { self.usesOtherConnections = usesOtherConnections }

    let definition = """
        CREATE TABLE u (id INTEGER PRIMARY KEY, hint, pw, n); INSERT INTO u VALUES (1, 'plain', 'secret', 'plain')
        """

    mutating func step(_ db: Database, _ other: DatabaseQueue, _ generator: inout SplitMix) throws {
        switch Int.random(in: 0..<(usesOtherConnections ? 8 : 6), using: &generator) {
        case 0: try write(db, &generator)
        case 1:
            let before = self
            try db.execute(sql: "BEGIN")
            try change(db, writes: true, &generator)
            try db.execute(sql: "ROLLBACK")
            self = before
        case 2:
            try db.execute(sql: "SAVEPOINT a")
            try change(db, writes: true, &generator)
            let before = self
            try db.execute(sql: "SAVEPOINT b")
            try change(db, writes: true, &generator)
            try db.execute(sql: "ROLLBACK TO b")
            self = before
            try change(db, writes: true, &generator)
            try db.execute(sql: "RELEASE a")
        case 3:
            try db.inTransaction {
                try change(db, writes: true, &generator); return .commit
            }
        case 4, 5: try change(db, writes: true, &generator)
        default: try other.writeWithoutTransaction { try change($0, writes: false, &generator) }
        }
    }

    private mutating func change(_ db: Database, writes: Bool, _ generator: inout SplitMix) throws {
        // Makes SQLite read the changes of the other connection: ALTER TABLE doesn't.
        try expectEqual(db.columns(in: "u").map(\.name), names)
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            for sql in next(&generator) { try db.execute(sql: sql) }
            if writes, Bool.random(using: &generator) { try write(db, &generator) }
        }
    }

    /// Changes all columns.
    private mutating func write(_ db: Database, _ generator: inout SplitMix) throws {
        number += 1
        let values = names.indices.dropFirst().map { "\(names[$0]) = '\($0 == secret ? "secret" : "plain") \(number)'" }
        try db.execute(sql: "UPDATE u SET \(values.joined(separator: ", "))")
        if Bool.random(using: &generator) { try db.execute(sql: "REPLACE INTO u SELECT * FROM u") }
    }

    /// Returns statements that change the schema.
    private mutating func next(_ generator: inout SplitMix) -> [String] {
        let index = Int.random(in: 1..<names.count, using: &generator)
        let free = ["a", "b", "hint", "pw", "n"].filter { !names.contains($0) }.randomElement(using: &generator)
        switch (Int.random(in: 0..<12, using: &generator), free) {
        case (0...2, let free?): return [rename(index, free)]
        case (3...4, let free?): return [rename(secret, free)]
        case (5...6, _) where index != secret: return [drop(index)]
        case (7...8, let free?):
            names.append(free)
            return ["ALTER TABLE u ADD COLUMN \(free) DEFAULT 'plain'"]
        case (9, _) where index != secret:
            let (name, other) = (names[index], names[secret])
            return [rename(index, "x"), rename(secret, name), rename(index, other)]
        case (10, _): return [rename(0, names[0] == "id" ? "key" : "id")]
        default: return ["CREATE TABLE IF NOT EXISTS v (x)", "DROP TABLE v"]
        }
    }

    private mutating func rename(_ index: Int, _ name: String) -> String {
        defer { names[index] = name }
        return "ALTER TABLE u RENAME COLUMN \(names[index]) TO \(name)"
    }

    private mutating func drop(_ index: Int) -> String {
        if index < secret { secret -= 1 }
        return "ALTER TABLE u DROP COLUMN \(names.remove(at: index))"
    }
}
