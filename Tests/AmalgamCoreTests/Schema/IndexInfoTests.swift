import Amalgam
import AmalgamCore
import TestSupport
import Testing

struct IndexInfoTests {
    private func index(_ db: Database, _ name: String) throws -> IndexInfo {
        try #require(try db.indexes(on: "t", includingExpressions: true).first { $0.name == name })
    }

    @Test(arguments: ["main", "temp"])
    func indexes(_ schema: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE \(schema).t (a PRIMARY KEY, b, c, UNIQUE (c, b));
                    CREATE INDEX \(schema).i ON t(b COLLATE NOCASE DESC, a);
                    CREATE UNIQUE INDEX \(schema).j ON t(c) WHERE c > 0;
                    CREATE INDEX \(schema).k ON t(lower(b), a);
                    """)
            let indexes = try db.indexes(on: "t")
            #expect(
                Set(indexes.map(\.name)) == ["i", "j", "sqlite_autoindex_t_1", "sqlite_autoindex_t_2"])
            let i = try index(db, "i")
            #expect(i.columns == ["b", "a"])
            #expect(!i.isUnique && !i.isPartial && i.origin == .createIndex)
            #expect(i.terms.map(\.column) == ["b", "a"])
            #expect(i.terms.map(\.collation) == [.nocase, .binary])
            #expect(i.terms.map(\.isDescending) == [true, false])
            let j = try index(db, "j")
            #expect(j.isUnique && j.isPartial && j.columns == ["c"])
            let key = try index(db, "sqlite_autoindex_t_1")
            #expect(key.isUnique && key.origin == .primaryKeyConstraint && key.columns == ["a"])
            let constraint = try index(db, "sqlite_autoindex_t_2")
            #expect(constraint.isUnique && constraint.origin == .uniqueConstraint && constraint.columns == ["c", "b"])
            let k = try index(db, "k")
            #expect(k.terms.map(\.column) == [nil, "a"])
            #expect(k.columns == ["a"])
            #expect(try db.indexes(on: "t", includingExpressions: false).count == 4)
        }
    }

    @Test func originsHaveTheLettersOfSQLite() {
        #expect(IndexInfo.Origin.createIndex.rawValue == "c")
        #expect(IndexInfo.Origin.uniqueConstraint.rawValue == "u")
        #expect(IndexInfo.Origin.primaryKeyConstraint.rawValue == "pk")
    }

    @Test func indexesOnKeys() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE u (id INTEGER PRIMARY KEY);
                    CREATE INDEX j ON u(id);
                    CREATE TABLE w (a, b, PRIMARY KEY (b)) WITHOUT ROWID;
                    CREATE INDEX k ON w(a);
                    """)
            #expect(try db.indexes(on: "u").map(\.columns) == [["id"]])
            #expect(try Set(db.indexes(on: "w").map(\.columns)) == [["a"], ["b"]])
        }
    }

    @Test func tablesWithoutIndexes() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY);
                    CREATE VIEW v AS SELECT * FROM t;
                    CREATE VIRTUAL TABLE f USING fts5(a);
                    """)
            for name in ["t", "v", "f", "sqlite_master"] { #expect(try db.indexes(on: name).isEmpty) }
        }
    }
}
