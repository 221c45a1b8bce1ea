#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

/// A record whose table is chosen by the task.
#if MACRO_RECORDS
@Record
#endif
private struct Entry: StoredRecord, Equatable {
    @TaskLocal static var table = "a"

    static var databaseTableName: String { table }

    var id: Int64
    var number: Int
}

@Suite("The name of a table may change")
struct TableNameTests {
    private func rows(_ db: Database, _ table: String) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT number FROM \(table) ORDER BY id")
    }

    @Test("each statement reads the name")
    func changes() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE a (id INTEGER PRIMARY KEY, number); CREATE TABLE b (id INTEGER PRIMARY KEY, number)")
            try Entry(id: 1, number: 1).insert(db)
            expectEqual(try Entry.fetchOne(db, key: 1)?.number, 1)
            try Entry.$table.withValue("b") {
                try Entry(id: 1, number: 2).insert(db)
                try Entry(id: 2, number: 3).save(db)
                expectEqual(try Entry.fetchOne(db, key: 1)?.number, 2)
                try Entry(id: 2, number: 4).update(db)
                #expect(try Entry(id: 2, number: 0).exists(db))
                expectEqual(try rows(db, "b"), [2, 4])
                #expect(try Entry(id: 1, number: 0).delete(db))
            }
            expectEqual(try rows(db, "a"), [1])
            expectEqual(try rows(db, "b"), [4])
            expectEqual(try Entry.fetchOne(db, key: 1)?.number, 1)
        }
    }
}
#endif
