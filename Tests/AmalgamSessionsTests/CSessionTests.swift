import Amalgam
import AmalgamCore
import AmalgamSessions
import CAmalgam
import TestSupport
import Testing

/// SQLite's own functions for sessions and for the pre-update hook work on a connection of the library.
@Suite struct CSessionTests {
    /// What else uses the pre-update hook of the connection.
    enum Company: CaseIterable {
        case none, observation, session, audit, history
    }

    @Test(arguments: Company.allCases) @MainActor func sessionsInC(company: Company) throws {
        let queue = try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        let observation =
            company == .observation
            ? ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") ?? 0 }
                .start(in: queue, scheduling: .immediate, onError: { _ in }, onChange: { _ in }) : nil
        defer { observation?.cancel() }
        try queue.write { db in
            if company == .audit { try db.audit("t") }
            let own = company == .session ? try db.makeSession() : nil
            let history = UndoHistory()
            var session: OpaquePointer?
            #expect(sqlite3session_create(db.sqliteConnection, "main", &session) == SQLITE_OK)
            #expect(sqlite3session_attach(session, nil) == SQLITE_OK)
            let insertion = { try db.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
            if company == .history { try history.perform(db, insertion) } else { try insertion() }
            var size: CInt = 0
            var bytes: UnsafeMutableRawPointer?
            #expect(sqlite3session_changeset(session, &size, &bytes) == SQLITE_OK)
            sqlite3_free(bytes)
            sqlite3session_delete(session)
            #expect(size > 0)
            try expectEqual(own?.changeset().count, company == .session ? 1 : nil)
            #expect(history.canUndo == (company == .history))
            // A table is emptied by single deletions again only if something records them.
            try db.execute(sql: "DELETE FROM t")
            try expectEqual(own?.changeset().count, company == .session ? 0 : nil)
        }
    }

    @Test func preupdateHookInC() throws {
        final class Changes {
            var tables: [String] = []
        }
        let changes = Changes()
        let context = Unmanaged.passUnretained(changes).toOpaque()
        try makeQueue("CREATE TABLE t (id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 1)").write { db in
            let previous = sqlite3_preupdate_hook(
                db.sqliteConnection,
                { context, connection, operation, _, table, _, _ in
                    var value: OpaquePointer?
                    if operation != SQLITE_INSERT { sqlite3_preupdate_old(connection, 1, &value) }
                    let old = value.map { sqlite3_value_int64($0) } ?? -1
                    Unmanaged<Changes>.fromOpaque(context!).takeUnretainedValue().tables
                        .append("\(operation) \(String(cString: table!)) \(old)")
                }, context)
            #expect(previous == nil)
            let session = try db.makeSession()
            try db.execute(sql: "UPDATE t SET a = 2; DELETE FROM t")
            #expect(changes.tables == ["23 t 1", "9 t 2"])
            try expectEqual(session.changeset().count, 1)
            try session.close()
            try db.execute(sql: "INSERT INTO t VALUES (2, 2)")
            #expect(changes.tables.count == 3)
            #expect(sqlite3_preupdate_hook(db.sqliteConnection, nil, nil) == context)
            try db.execute(sql: "DELETE FROM t")
            #expect(changes.tables.count == 3)
        }
    }
}
