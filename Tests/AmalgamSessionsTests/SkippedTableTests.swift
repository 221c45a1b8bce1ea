import Amalgam
import AmalgamCore
import AmalgamSessions
import TestSupport
import Testing

/// The result of applying changes names the tables that don't fit.
@Suite struct SkippedTableTests {
    private func newerChanges() throws -> Changeset {
        try makeQueue(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text, color);
            CREATE TABLE tag (id INTEGER PRIMARY KEY);
            CREATE TABLE link (a, b, PRIMARY KEY (a));
            CREATE TABLE kept (id INTEGER PRIMARY KEY)
            """
        ).write { db in
            try db.recordChanges {
                try db.execute(
                    sql: """
                        INSERT INTO note VALUES (1, 'a', 'red'); INSERT INTO tag VALUES (1); INSERT INTO link VALUES (1, 2);
                        INSERT INTO kept VALUES (1)
                        """)
            }
        }
    }

    private func makeOlder() throws -> DatabaseQueue {
        try makeQueue(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text);
            CREATE TABLE link (a, b, PRIMARY KEY (a, b));
            CREATE TABLE kept (id INTEGER PRIMARY KEY, extra DEFAULT 5)
            """)
    }

    @Test func tablesOfANewerSchema() throws {
        let changes = try newerChanges()
        try makeOlder().write { db in
            let application = try db.apply(changes)
            #expect(Set(application.skippedTables) == ["note", "tag", "link"])
            #expect(application.conflictCount == 0)
            try expectEqual(db.rows(of: "kept"), ["1|5"])
        }
        try makeOlder().write { db in
            let application = try db.apply(changes, tables: { $0 == "note" }, onConflict: { _ in .abort })
            #expect(application.skippedTables == ["note"])
        }
        try makeOlder().write { db in
            let application = try db.apply(from: .data(changes.data))
            #expect(Set(application.skippedTables) == ["note", "tag", "link"])
        }
    }

    @Test func skippedTablesAsAnError() throws {
        let changes = try newerChanges()
        try makeOlder().write { db in
            let error = expectCode(.SQLITE_SCHEMA) { try db.apply(changes, options: .requiringTables) }
            #expect(error?.message?.hasPrefix("The changes of the table ") == true, "\(String(describing: error))")
            try expectEqual(db.rows(of: "kept"), [])
            try db.apply(changes, options: .requiringTables, tables: { $0 == "kept" }, onConflict: { _ in .abort })
            try expectEqual(db.rows(of: "kept"), ["1|5"])
        }
    }
}
