import Amalgam
import TestSupport
import Testing

private struct Region: TableRecord {
    static let databaseTableName = "region"
    static let offices = hasMany(Office.self, using: ForeignKey(["regionId"], to: ["id"]))
    static let desks = hasMany(Desk.self, through: offices, using: Office.desks, key: "desks")
}

private struct Office: TableRecord {
    static let databaseTableName = "office"
    static let desks = hasMany(Desk.self, using: ForeignKey(["officeCode"], to: ["code"]))
}

private struct Desk: TableRecord {
    static let databaseTableName = "desk"
}

@Suite("Collations of prefetched rows")
struct PrefetchCollationTests {
    @Test("by way of another table, values are compared by the collation of the JOIN")
    func throughCollations() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE region (id INTEGER PRIMARY KEY);
                    INSERT INTO region VALUES (1);
                    CREATE TABLE office (regionId INTEGER, code TEXT PRIMARY KEY COLLATE NOCASE);
                    INSERT INTO office VALUES (1, 'Fr');
                    CREATE TABLE desk (id INTEGER PRIMARY KEY, officeCode TEXT);
                    INSERT INTO desk VALUES (1, 'fr'), (2, 'Fr')
                    """)
            var rows: [Row] = []
            let sql = try db.tracing { rows = try Row.fetchAll(db, Region.including(all: Region.desks)) }
            expectEqual(rows[0].prefetchedRows["desks"]?.map { $0["id"] }, [2])
            #expect(sql[1].contains(#"("desk"."officeCode" = "office"."code")"#), "\(sql[1])")
            expectEqual(try Row.fetchAll(db, Region.including(required: Region.desks)).count, 1)
            let counts = try Row.fetchOne(db, Region.annotated(with: Region.desks.count.forKey("count")))
            expectEqual(counts?["count"], 1)
            expectEqual(try Row.fetchAll(db, Office.including(all: Office.desks))[0].prefetchedRows["desks"]?.count, 1)
        }
    }
}
