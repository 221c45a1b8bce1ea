import Amalgam
@testable import AmalgamCore
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
