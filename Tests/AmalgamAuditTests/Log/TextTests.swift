import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Programs with an older SQLite read the log as JSON text.
@Suite struct TextTests {
    private static func text(_ value: DatabaseValue) -> String { String.fromDatabaseValue(value) ?? "\(value)" }

    @Test func jsonText() throws {
        try Store.memory.audit("team", .table("player", redacting: ["name"])) { db in
            try db.execute(
                sql: """
                    CREATE TABLE pair (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
                    UPDATE team SET name = 'R"eds' WHERE id = 1; UPDATE player SET name = 'Anne' WHERE id = 1
                    """)
            try db.audit("pair")
            try db.execute(sql: "INSERT INTO pair VALUES (1, x'FF')")
            try expectEqual(AuditLog.copyAsText(db), 3)
            try db.auditing(as: "user:1") { try db.execute(sql: "DELETE FROM pair") }
            try expectEqual(AuditLog.copyAsText(db), 1)
            try expectEqual(AuditLog.copyAsText(db), 0)
            try expectEqual(
                Row.fetchAll(
                    db, sql: "SELECT tableName, operation, actor, key, changes FROM amalgam_audit_text ORDER BY id"
                )
                .map { row in row.map { Self.text($0.1) }.joined(separator: " ") },
                [
                    #"team UPDATE NULL 1 {"name":["Reds","R\"eds"]}"#,
                    #"player UPDATE NULL 1 {"name":true}"#,
                    #"pair INSERT NULL [1,{"blob":"FF"}] {"a":[null,1],"b":[null,{"blob":"FF"}]}"#,
                    #"pair DELETE user:1 [1,{"blob":"FF"}] {"a":[1,null],"b":[{"blob":"FF"},null]}"#,
                ])
            // Entries that were deleted from the log are deleted from the text.
            try AuditLog.deleteEntries(db, exceptLatest: 0)
            try AuditLog.copyAsText(db)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM amalgam_audit_text"), 0)
        }
    }

    /// The log uses the identifiers of entries again that were deleted before.
    @Test func deletedEntriesWhoseIdentifiersAreUsedAgain() throws {
        try Store.memory.audit("player") { db in
            try db.execute(sql: "UPDATE player SET score = 111")
            try expectEqual(AuditLog.copyAsText(db), 3)
            try AuditLog.deleteEntries(db, exceptLatest: 0)
            try db.execute(sql: "UPDATE player SET score = 222 WHERE id < 3")
            try expectEqual(AuditLog.copyAsText(db), 2)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT changes FROM amalgam_audit_text ORDER BY id"),
                [#"{"score":[111,222]}"#, #"{"score":[111,222]}"#])
            try expectEqual(AuditLog.copyAsText(db), 0)
        }
    }
}
