import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// The log after changes of the schema, and after VACUUM.
@Suite struct RenameTests {
    private let clock = TestClock()

    /// Runs a test with a table that is audited from the beginning.
    private func audit(_ table: String, _ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.transactionClock = clock
        configuration.audit("item")
        try Store.memory.open(configuration) { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(sql: table)
                try test(db)
            }
        }
    }

    private func change(_ db: Database, _ sql: String) throws {
        clock.advance(1)
        try db.execute(sql: sql)
    }

    private func row(_ db: Database, _ key: Int = 1, at date: Date) throws -> String? {
        try AuditLog.row(db, in: "item", key: key, at: date).map { "\($0)" }
    }

    @Test func renamedColumns() throws {
        try audit("CREATE TABLE item (id INTEGER PRIMARY KEY, price INT, note)") { db in
            try change(db, "INSERT INTO item VALUES (1, 10, 'a')")
            let then = clock.date
            try change(db, "UPDATE item SET price = 20")
            try change(db, "ALTER TABLE item RENAME COLUMN price TO amount")
            // The log knows the value under the former name only.
            try expectEqual(row(db, at: then), #"[id:1 note:"a" price:10]"#)
            let later = clock.date
            try expectEqual(row(db, at: later), #"[id:1 amount:20 note:"a"]"#)
            try change(db, "UPDATE item SET amount = 30")
            try expectEqual(row(db, at: then), #"[id:1 note:"a" price:10]"#)
            try expectEqual(row(db, at: later), #"[id:1 amount:20 note:"a"]"#)
        }
    }

    /// The log has all values that a deleted row had, under the names of that time.
    @Test func renamedColumnsOfDeletedRows() throws {
        try audit("CREATE TABLE item (id INTEGER PRIMARY KEY, price INT, note)") { db in
            try change(db, "INSERT INTO item VALUES (1, 10, 'a'), (2, 20, 'b')")
            let then = clock.date
            try change(db, "UPDATE item SET price = price + 1")
            try change(db, "ALTER TABLE item RENAME COLUMN price TO amount")
            let later = clock.date
            try change(db, "UPDATE item SET amount = 30 WHERE id = 1")
            try change(db, "DELETE FROM item")
            try expectEqual(row(db, at: then), #"[id:1 note:"a" price:10]"#)
            try expectEqual(row(db, 2, at: then), #"[id:2 note:"b" price:20]"#)
            try expectEqual(row(db, at: later), #"[id:1 amount:11 note:"a"]"#)
            // Another row has the key now.
            try change(db, "INSERT INTO item VALUES (1, 100, 'c')")
            try expectEqual(row(db, at: then), #"[id:1 note:"a" price:10]"#)
            try change(db, "ALTER TABLE item RENAME TO product")
            try expectEqual(row(db, at: then), #"[id:1 note:"a" price:10]"#)
        }
    }

    /// An entry has the name that the column had when the entry was made.
    @Test func lastChangeOfARenamedColumn() throws {
        try audit("CREATE TABLE item (id INTEGER PRIMARY KEY, price INT)") { db in
            try change(db, "INSERT INTO item VALUES (1, 10); UPDATE item SET price = 20")
            try change(db, "ALTER TABLE item RENAME COLUMN price TO amount")
            #expect(try AuditLog.lastChange(of: "amount", in: "item", key: 1).fetchOne(db) == nil)
            try expectEqual(
                AuditLog.lastChange(of: "price", in: "item", key: 1).fetchOne(db)?["price"]?.newValue, 20.databaseValue)
        }
    }

    @Test func addedColumns() throws {
        try audit("CREATE TABLE item (id INTEGER PRIMARY KEY, price INT)") { db in
            try change(db, "INSERT INTO item VALUES (1, 10)")
            let then = clock.date
            try change(db, "ALTER TABLE item ADD COLUMN note DEFAULT 'x'")
            try change(db, "UPDATE item SET price = 20, note = 'y'")
            try expectEqual(row(db, at: then), #"[id:1 price:10 note:"x"]"#)
        }
    }

    @Test func renamedTables() throws {
        try audit("CREATE TABLE item (id INTEGER PRIMARY KEY, price INT)") { db in
            try change(db, "INSERT INTO item VALUES (1, 10), (2, 20)")
            let then = clock.date
            try change(db, "DELETE FROM item WHERE id = 2")
            try change(db, "ALTER TABLE item RENAME TO product")
            let error = expectCode(.SQLITE_ERROR) { try row(db, at: then) }
            #expect(error?.message?.hasPrefix("the table item was dropped or renamed") == true)
            // All values of a deleted row are in the log.
            try expectEqual(row(db, 2, at: then), "[id:2 price:20]")
            try expectEqual(AuditLog.history(of: "item", key: 1).fetchCount(db), 1)
        }
    }

    /// The table was audited before it existed: it had no rows then.
    @Test func datesBeforeTheFirstChange() throws {
        try audit("CREATE TABLE other (a)") { db in
            let start = clock.date
            try change(db, "CREATE TABLE item (id INTEGER PRIMARY KEY, price INT)")
            let created = clock.date
            try change(db, "INSERT INTO item VALUES (1, 10)")
            try expectEqual(row(db, at: start), nil)
            try expectEqual(row(db, at: created), nil)
            try expectEqual(row(db, at: clock.date), "[id:1 price:10]")
            expectCode(.SQLITE_ERROR) { try row(db, at: start - 1) }
        }
    }

    /// VACUUM renumbers the rows of a table without a key. The log doesn't tell another row's history.
    @Test func rowsThatVacuumRenumbers() throws {
        try audit("CREATE TABLE item (name)") { db in
            try change(db, "INSERT INTO item VALUES ('a'), ('b'), ('c')")
            let then = clock.date
            try change(db, "UPDATE item SET name = 'B' WHERE name = 'b'; DELETE FROM item WHERE name = 'a'")
            try expectEqual(row(db, 2, at: then), #"[name:"b"]"#)
            try expectEqual(AuditLog.verify(db), [])
            try db.execute(sql: "VACUUM")
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM item"), [1, 2])
            let error = expectCode(.SQLITE_ERROR) { try row(db, 2, at: then) }
            #expect(error?.message?.contains("VACUUM has changed its rowid") == true, "\(String(describing: error))")
            expectCode(.SQLITE_ERROR) { try row(db, 3, at: clock.date) }
            #expect(try !AuditLog.verify(db).isEmpty)
        }
    }
}
