import Amalgam
import AmalgamCore
import AmalgamSessions
import TestSupport
import Testing

/// Rows are identified by the bytes of their keys, and constraints of the receiving tables delete nothing.
@Suite struct KeyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let table: String
        let changes: String
        let recorded: [String]
        var testDescription: String { changes }
    }

    static let cases = [
        Case(
            table: "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v); INSERT INTO t VALUES ('anna', 1), ('bo', 2)",
            changes: "UPDATE t SET k = 'Anna', v = 3 WHERE k = 'anna'",
            recorded: [#"DELETE t("anna"*, 1)"#, #"INSERT t("Anna"*, 3)"#]),
        Case(
            table:
                "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('anna', 1)",
            changes: "UPDATE t SET k = 'Anna'; UPDATE t SET k = 'ANNA'",
            recorded: [#"DELETE t("anna"*, 1)"#, #"INSERT t("ANNA"*, 1)"#]),
        Case(
            table: "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v); INSERT INTO t VALUES ('anna', 1)",
            changes: "UPDATE t SET k = 'Anna'; UPDATE t SET k = 'anna', v = 2",
            recorded: [#"UPDATE t("anna"*, 1 -> 2)"#]),
        Case(
            table: "CREATE TABLE t (k PRIMARY KEY, v); INSERT INTO t VALUES (1, 1)",
            changes: "UPDATE t SET k = 1.0", recorded: ["DELETE t(1*, 1)", "INSERT t(1.0*, 1)"]),
        Case(
            table: "CREATE TABLE t (k REAL PRIMARY KEY, v)",
            changes: "INSERT INTO t VALUES (4, 1); UPDATE t SET v = 2", recorded: ["INSERT t(4.0*, 2)"]),
        Case(
            table: "CREATE TABLE t (k INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 0.0)",
            changes: "UPDATE t SET v = -0.0", recorded: ["UPDATE t(1*, 0.0 -> -0.0)"]),
    ]

    @Test(arguments: cases) func changesetsAndTheirInverse(example: Case) throws {
        try withTwoDatabases({ try $0.execute(sql: example.table) }) { here, there in
            let before = try rows(there)
            let changeset = try here.recordChanges { try here.execute(sql: example.changes) }
            try expectEqual(changeset.lines, example.recorded)
            try there.apply(changeset)
            try expectEqual(rows(there), rows(here))
            try there.apply(changeset.inverted())
            try expectEqual(rows(there), before)
            try there.apply(changeset, options: .ignoringNoOps)
            try expectEqual(rows(there), rows(here))
        }
    }

    private func rows(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT * FROM t ORDER BY 1").map { row in
            row.map { _, value in "\(value.storage)" }.joined(separator: " ")
        }
    }

    /// An insertion whose key another row has in another form is a conflict, as by any other key.
    @Test func anotherFormOfAKey() throws {
        try withTwoDatabases({ try $0.execute(sql: "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v)") }) {
            here, there in
            try there.execute(sql: "INSERT INTO t VALUES ('anna', 1)")
            let changeset = try here.recordChanges { try here.execute(sql: "INSERT INTO t VALUES ('Anna', 2)") }
            var kinds: [ChangeConflict.Kind] = []
            try there.apply(changeset) { conflict in
                kinds.append(conflict.kind)
                return .replace
            }
            #expect(kinds == [.conflict])
            try expectEqual(rows(there), [#"string("Anna") int64(2)"#])
        }
    }

    @Test(arguments: ["_rowid_ TEXT, v", "rowid TEXT, _rowid_", "oid, _rowid_"])
    func columnsNamedLikeTheRowID(columns: String) throws {
        try withTwoDatabases({
            try $0.execute(sql: "CREATE TABLE t (\(columns)); INSERT INTO t VALUES ('x', 1), ('y', 2)")
        }) { here, there in
            let changeset = try here.recordChanges(options: .recordsImplicitRowIDs) {
                try here.execute(sql: "UPDATE t SET \(columns.split(separator: " ").last!) = 3")
            }
            try expectEqual(changeset.count, 2)
            try there.apply(changeset)
            try expectEqual(rows(there), rows(here))
            let change = try #require(try changeset.first)
            try expectEqual(Set(change.columnNames(here)).count, 3)
            try there.apply(changeset.inverted())
            try expectEqual(rows(there), [#"string("x") int64(1)"#, #"string("y") int64(2)"#])
        }
    }

    /// A session's hash table grows when 128 rows have changed.
    @Test func manyRowsWithoutAKey() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (x, y);
                    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200)
                    INSERT INTO t SELECT i, 0 FROM c
                    """)
            let changeset = try db.recordChanges(options: .recordsImplicitRowIDs) {
                try db.execute(sql: "UPDATE t SET y = 1; UPDATE t SET y = 2")
            }
            try expectEqual(changeset.count, 200)
            let nothing = try db.recordChanges(options: .recordsImplicitRowIDs) {
                try db.execute(
                    sql:
                        "CREATE TABLE u (x, y); INSERT INTO u SELECT * FROM t; DELETE FROM u WHERE x % 2; DELETE FROM u"
                )
            }
            try expectEqual(nothing.count, 0)
        }
    }

    /// ON CONFLICT clauses of the table would delete other rows, or ignore the change.
    @Test(arguments: ["REPLACE", "IGNORE", "ROLLBACK", "FAIL"]) func conflictClausesOfTables(clause: String) throws {
        try withTwoDatabases({
            try $0.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT \(clause));
                    INSERT INTO t VALUES (1, 'a'), (2, 'b')
                    """)
        }) { here, there in
            let changeset = try here.recordChanges {
                try here.execute(sql: "UPDATE t SET u = 'c' WHERE id = 1; INSERT INTO t VALUES (3, 'd')")
            }
            try there.execute(sql: "INSERT INTO t VALUES (4, 'c'), (5, 'd')")
            let before = try rows(there)
            let application = try there.apply(changeset) { conflict in
                #expect(conflict.kind == .constraint)
                return .omit
            }
            #expect(application.conflictCount == 2)
            try expectEqual(rows(there), before)
            // Two rows exchange their values.
            let exchange = try here.recordChanges {
                try here.execute(
                    sql: """
                        UPDATE t SET u = 'x' WHERE id = 1; UPDATE t SET u = 'c' WHERE id = 2;
                        UPDATE t SET u = 'b' WHERE id = 1
                        """)
            }
            try there.execute(sql: "DELETE FROM t WHERE id > 3; UPDATE t SET u = 'c' WHERE id = 1")
            try there.apply(exchange)
            try expectEqual(rows(there), ["int64(1) string(\"b\")", "int64(2) string(\"c\")"])
        }
    }

    /// A row whose value was ignored before: its table has a name that must be quoted.
    @Test func quotedNames() throws {
        try withTwoDatabases({
            try $0.execute(
                sql: #"CREATE TABLE "my table" (id INTEGER PRIMARY KEY, "a b"); INSERT INTO "my table" VALUES (1, 1)"#)
        }) { here, there in
            let changeset = try here.recordChanges { try here.execute(sql: #"UPDATE "my table" SET "a b" = 2"#) }
            try there.apply(changeset, options: .ignoringNoOps)
            try there.apply(changeset, options: .ignoringNoOps)
            try expectEqual(there.integer(#"SELECT "a b" FROM "my table""#), 2)
        }
    }
}
