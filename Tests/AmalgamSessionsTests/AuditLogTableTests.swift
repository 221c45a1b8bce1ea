import Amalgam
import AmalgamCore
import AmalgamSessions
import TestSupport
import Testing

/// Sessions and differences of all tables leave out the tables of an audit log.
@Suite struct AuditLogTableTests {
    private func makeDevice() throws -> DatabaseQueue {
        let queue = try makeQueue(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, text); INSERT INTO note VALUES (1, 'a'), (2, 'b')")
        try queue.audit("note")
        return queue
    }

    private func log(_ queue: DatabaseQueue) throws -> [String] {
        try queue.read { try AuditLog.Entry.order(AuditLog.Entry.Columns.id).fetchAll($0).map(\.description) }
    }

    @Test func changesetsOfAnAuditedDatabase() throws {
        let (here, there) = try (makeDevice(), makeDevice())
        let changes = try here.write { db in
            try db.recordChanges {
                try db.auditing(as: "anna") { try db.execute(sql: "UPDATE note SET text = 'A' WHERE id = 1") }
            }
        }
        try expectEqual(changes.lines, [#"UPDATE note(1*, "a" -> "A")"#])
        try there.write { db in
            try db.auditing(as: "ben") { try db.execute(sql: "UPDATE note SET text = 'B' WHERE id = 2") }
            try db.apply(changes)
        }
        try expectEqual(
            log(there), [#"UPDATE note 2 (text: "b" -> "B") by ben"#, #"UPDATE note 1 (text: "a" -> "A")"#])
    }

    @Test func namedTablesOfTheLog() throws {
        try makeDevice().write { db in
            let changes = try db.recordChanges(tables: ["amalgam_audit_change"]) {
                try db.execute(sql: "UPDATE note SET text = 'A' WHERE id = 1")
            }
            try expectEqual(changes.tableNames, ["amalgam_audit_change"])
            let session = try Session(db)
            try session.attach { _ in true }
            try db.execute(sql: "UPDATE note SET text = 'C' WHERE id = 1")
            try expectEqual(session.changeset().tableNames, ["note"])
        }
    }

    @Test func differences() throws {
        try makeDevice().inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS older;
                    CREATE TABLE older.note (id INTEGER PRIMARY KEY, text);
                    INSERT INTO older.note VALUES (1, 'a');
                    UPDATE note SET text = 'A' WHERE id = 1
                    """)
            try expectEqual(
                db.difference(from: "older").lines, [#"INSERT note(2*, "b")"#, #"UPDATE note(1*, "a" -> "A")"#])
            expectCode(.SQLITE_SCHEMA) { try db.difference(from: "older", tables: ["amalgam_audit_change"]) }
        }
    }
}
