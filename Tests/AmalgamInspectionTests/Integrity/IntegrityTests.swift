import Amalgam
@testable import AmalgamCore
import AmalgamInspection
import CAmalgam
import TestSupport
import Testing

struct IntegrityTests {
    /// Creates a table with two rows that violate its constraints, and an index that lacks the rows of another table.
    private func damage(_ db: Database) throws {
        db.set(SQLITE_DBCONFIG_DEFENSIVE, false)
        try db.execute(
            sql: """
                CREATE TABLE t (a);
                INSERT INTO t VALUES (NULL), (NULL), (1);
                CREATE TABLE u (a);
                CREATE INDEX i ON u(a) WHERE a < 0;
                INSERT INTO u VALUES (1), (2);
                PRAGMA writable_schema = ON;
                UPDATE sqlite_master SET sql = 'CREATE TABLE t (a NOT NULL)' WHERE name = 't';
                UPDATE sqlite_master SET sql = 'CREATE INDEX i ON u(a)' WHERE name = 'i';
                PRAGMA writable_schema = RESET;
                """)
    }

    @Test(arguments: DatabaseKind.allCases)
    func soundDatabases(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            #expect(try db.integrityCheck() == [])
            #expect(try db.integrityCheck("player") == [])
            #expect(try db.integrityCheck("player", in: "main") == [])
            #expect(try db.integrityCheck(in: "main", limit: 1) == [])
            #expect(try db.quickCheck() == [])
            #expect(try db.quickCheck("player", limit: .max) == [])
            #expect(try db.quickCheck(in: "temp") == [])
        }
    }

    @Test func damagedDatabases() throws {
        try DatabaseKind.memory.run { db in
            try damage(db)
            let problems = try db.integrityCheck()
            #expect(problems.filter { $0 == "NULL value in t.a" }.count == 2)
            #expect(problems.contains("wrong # of entries in index i"))
            #expect(try db.integrityCheck("t") == ["NULL value in t.a", "NULL value in t.a"])
            #expect(try db.integrityCheck("t", limit: 1) == ["NULL value in t.a"])
            #expect(try db.integrityCheck(limit: 1).count == 1)
            #expect(try db.integrityCheck(in: "temp") == [])
            #expect(try db.quickCheck("t").count == 2)
            #expect(try db.integrityCheck("u").isEmpty == false)
        }
    }

    /// The first function isn't on the connection, the second table has the page of the first one.
    @Test(arguments: DatabaseKind.allCases)
    func pagesAreCheckedWithoutTheFunctionsOfASchema(_ kind: DatabaseKind) throws {
        try kind.run { db in
            db.set(SQLITE_DBCONFIG_DEFENSIVE, false)
            let function = DatabaseFunction("shout", argumentCount: 1, pure: true) { _ in "A" }
            db.add(function: function)
            try db.execute(
                sql: """
                    CREATE VIEW v AS SELECT 1;
                    CREATE TABLE t (a, b AS (shout(a)) NOT NULL);
                    CREATE INDEX i ON t(shout(a));
                    CREATE TABLE u (a TEXT PRIMARY KEY) WITHOUT ROWID;
                    CREATE VIRTUAL TABLE f USING fts5(a);
                    INSERT INTO t VALUES (1);
                    """)
            db.remove(function: function)
            #expect(throws: DatabaseError.self) { try db.integrityCheck() }
            expectCode(.SQLITE_MISUSE) { try db.pageCheck() }
            #expect(throws: DatabaseError.self) { try db.pageCheck(in: "missing") }
            try db.inTransaction(.deferred) {
                let problems = try db.pageCheck()
                #expect(problems == [])
                return .commit
            }
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 't')
                    WHERE name = 'u';
                    PRAGMA writable_schema = RESET;
                    """)
            try db.inTransaction(.deferred) {
                let problems = try db.pageCheck()
                #expect(problems.contains { $0.contains("2nd reference to page") }, "\(problems)")
                #expect(problems.contains { $0.hasSuffix("never used") }, "\(problems)")
                #expect(try db.pageCheck(limit: 1).count == 1)
                return .commit
            }
        }
    }

    @Test func attachedDatabases() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS other; CREATE TABLE other.t (a)")
            #expect(try db.integrityCheck("t", in: "other") == [])
            try damage(db)
            #expect(try db.integrityCheck(in: "other") == [])
            #expect(try db.integrityCheck("t").isEmpty == false)
        }
    }

    @Test func limits() throws {
        try DatabaseKind.memory.run { db in
            for limit in [0, -1, .min] {
                expectError(.SQLITE_MISUSE, "the limit of a check is 1 at least, not \(limit)") {
                    _ = try db.integrityCheck(limit: limit)
                }
            }
        }
    }
}
