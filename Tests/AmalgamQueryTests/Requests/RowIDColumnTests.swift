import Amalgam
import AmalgamQuery
import TestSupport
import Testing

/// A table whose rows have a rowid and an ordinary column named `rowid`.
private struct Odd: TableRecord {
    static let parts = hasMany(Part.self)
}

private struct Part: TableRecord {
    static let odd = belongsTo(Odd.self)
}

private let rowid = Column("rowid")

private func withOddTables(_ test: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
        try db.execute(
            sql: """
                CREATE TABLE odd (code TEXT PRIMARY KEY, rowid INTEGER, score INTEGER);
                CREATE TABLE part (oddCode TEXT REFERENCES odd(code), rowid TEXT, name TEXT PRIMARY KEY);
                CREATE TABLE keyed (id INTEGER PRIMARY KEY, rowid INTEGER);
                CREATE TABLE taken (code TEXT PRIMARY KEY, rowid INTEGER, _rowid_ INTEGER, oid INTEGER);
                INSERT INTO odd VALUES ('a', 7, 1), ('b', 7, 2), ('c', 7, 3);
                INSERT INTO part VALUES ('a', 'x', 'p1'), ('a', 'x', 'p2'), ('b', 'x', 'p3');
                INSERT INTO keyed VALUES (1, 5), (2, 5), (5, 1);
                INSERT INTO taken VALUES ('a', 7, 7, 7), ('b', 7, 7, 7);
                """)
        try test(db)
    }
}

@Suite("An ordinary column that is called rowid")
struct RowIDColumnTests {
    @Test("is not the key of deletions with a limit")
    func deletions() throws {
        try withOddTables { db in
            let sql = try db.tracing { _ = try Odd.order(Column("score").desc).limit(1).deleteAll(db) }
            #expect(
                sql == [
                    #"DELETE FROM "odd" WHERE "_rowid_" IN (SELECT "_rowid_" FROM "odd" ORDER BY "score" DESC LIMIT 1)"#
                ])
            let left = try String.fetchAll(db, sql: "SELECT code FROM odd ORDER BY code")
            #expect(left == ["a", "b"])
            // If all names of the rowid are used by columns, the primary key identifies rows.
            let count = try Table("taken").limit(1).deleteAll(db)
            #expect(count == 1)
        }
    }

    @Test("is not the key of updates with a join")
    func updates() throws {
        try withOddTables { db in
            let update = Odd.joining(required: Odd.parts.filter(Column("name") == "p3"))
            let count = try update.updateAll(db, Column("score").set(to: 0))
            #expect(count == 1)
            let scores = try Int.fetchAll(db, sql: "SELECT score FROM odd ORDER BY code")
            #expect(scores == [1, 0, 3])
        }
    }

    @Test("is not counted by the aggregates of associations")
    func aggregates() throws {
        try withOddTables { db in
            let rows = try Row.fetchAll(db, Odd.annotated(with: Odd.parts.count).orderByPrimaryKey())
            #expect(rows.map { $0["partCount"] as Int } == [2, 1, 0])
            let empty = try Odd.having(Odd.parts.isEmpty).fetchCount(db)
            #expect(empty == 1)
        }
    }

    @Test("doesn't narrow the region of a request to rows")
    func regions() throws {
        try withOddTables { db in
            let regions = try [
                Odd.filter(rowid == 5).databaseRegion(db), Odd.filter([5, 6].contains(rowid)).databaseRegion(db),
                Table("keyed").filter(rowid == 5).databaseRegion(db),
                Table("keyed").filter(Column("id") == 5).databaseRegion(db),
                Odd.filter(Column("_rowid_") == 5).databaseRegion(db),
            ].map { try Self.sortedColumns($0) }
            // SQLite reports the rowid as ROWID, whatever its name is, and regions consider both the same column.
            #expect(
                regions == [
                    "odd(code,rowid,score)", "odd(code,rowid,score)", "keyed(id,rowid)", "keyed(id,rowid)[5]",
                    "odd(code,rowid,score)[5]",
                ])
        }
    }

    /// Returns the description of a region with one table, its columns in lower case.
    private static func sortedColumns(_ region: DatabaseRegion) throws -> String {
        let match = try #require(region.description.firstMatch(of: /\((.*)\)/))
        let columns = match.1.lowercased().split(separator: ",").sorted().joined(separator: ",")
        return region.description.replacing(match.0, with: "(\(columns))")
    }

    @Test("is not a unique key")
    func uniqueKeys() throws {
        try withOddTables { db in
            let sql = try Odd.filter(rowid == 7).expandedSQL(db, forSingleResult: true)
            #expect(sql == #"SELECT * FROM "odd" WHERE "rowid" = 7 LIMIT 1"#)
            let byRowID = try Odd.filter(Column("oid") == 7).expandedSQL(db, forSingleResult: true)
            #expect(byRowID == #"SELECT * FROM "odd" WHERE "oid" = 7"#)
            #expect(throws: DatabaseError.self) { _ = try Odd.filter(key: ["rowid": 7]).fetchCount(db) }
        }
    }

    @Test("doesn't say whether there is a row of an optional association")
    func existence() throws {
        let odd = TableAlias<Odd>()
        try withOddTables { db in
            try db.execute(sql: "UPDATE odd SET rowid = NULL; INSERT INTO part VALUES (NULL, NULL, 'p4')")
            let request = Part.joining(optional: Part.odd.aliased(odd)).filter(!odd.exists)
            let names = try String.fetchAll(db, request.select(Column("name"), as: String.self))
            #expect(names == ["p4"])
        }
    }

    @Test("may be there in a view, which has no rowid")
    func views() throws {
        try withOddTables { db in
            try db.execute(sql: "CREATE VIEW oddView AS SELECT * FROM odd")
            let sql = try Table("oddView").filter(rowid == 7).expandedSQL(db, forSingleResult: true)
            #expect(sql == #"SELECT * FROM "oddView" WHERE "rowid" = 7 LIMIT 1"#)
            let region = try Table("oddView").filter(rowid == 7).databaseRegion(db)
            #expect(region.description == "odd(code,rowid,score),oddView(code,rowid,score)")
        }
    }
}
