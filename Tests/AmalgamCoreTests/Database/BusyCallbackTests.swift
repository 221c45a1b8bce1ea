import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Busy callbacks that use the connection that waits.
struct BusyCallbackTests {
    @Test func theConnectionCannotBeUsed() throws {
        let folder = Folder()
        let path = folder.path("busy.sqlite")
        let holder = try DatabaseQueue(path: path)
        let waiting = Shared<Database?>(nil)
        let errors = Shared<[any Error]>([])
        var configuration = Configuration()
        configuration.busyMode = .callback { numberOfTries in
            let database = waiting.value
            // A nested call of the callback does nothing.
            waiting.value = nil
            defer { waiting.value = database }
            for sql in ["SELECT 1", "ROLLBACK", "CREATE TABLE more (a)", "PRAGMA journal_mode = WAL"] {
                do { try database?.execute(sql: sql) } catch { errors.value.append(error) }
            }
            return numberOfTries < 2
        }
        let waiter = try DatabaseQueue(path: path, configuration: configuration)
        try holder.inDatabase { holder in
            try holder.execute(sql: "CREATE TABLE t (a)")
            try holder.beginTransaction(.immediate)
            try waiter.inDatabase { db in
                waiting.value = db
                expectCode(.SQLITE_BUSY) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
                waiting.value = nil
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
            }
            try holder.commit()
        }
        #expect(errors.value.count == 12)
        for error in errors.value { #expect((error as? DatabaseError)?.resultCode == .SQLITE_MISUSE) }
    }
}
