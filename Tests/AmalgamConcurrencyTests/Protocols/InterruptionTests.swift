import Amalgam
import Foundation
import TestSupport
import Testing

/// Interruptions of connections that have open cursors.
@Suite(.watchdog)
struct InterruptionTests {
    @Test("one statement is interrupted while a cursor is open", arguments: Store.allCases)
    func openCursors(store: Store) throws {
        try store.withWriter { writer in
            try writer.write { db in
                try db.addPlayer()
                try db.addPlayer()
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                #expect(try cursor.next() != nil)
                writer.interrupt()
                try databaseError(.SQLITE_INTERRUPT) { try db.execute(sql: "SELECT * FROM player") }
                for _ in 1...3 { #expect(try db.playerCount() == 2) }
                #expect(try cursor.next() != nil)
                writer.interrupt()
                try databaseError(.SQLITE_INTERRUPT) { try cursor.next() }
                #expect(try db.playerCount() == 2)
            }
            #expect(try writer.read { try $0.playerCount() } == 2)
        }
    }

    @Test("a cursor that outlives its access doesn't keep an interruption", arguments: Store.allCases)
    func retainedCursors(store: Store) throws {
        try store.withWriter { writer in
            var cursor: RowCursor?
            try writer.writeWithoutTransaction { db in
                try db.addPlayer()
                cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                #expect(try cursor?.next() != nil)
            }
            for count in 2...4 {
                writer.interrupt()
                try writer.write { try $0.addPlayer() }
                #expect(try writer.read { try $0.playerCount() } == count)
            }
            cursor = nil
        }
    }

    @Test("a function that catches an interruption doesn't end that of the calling statement")
    func functions() throws {
        try Store.memoryQueue.withWriter { writer in
            try writer.write { db in
                let codes = Log<ResultCode?>()
                nonisolated(unsafe) let connection = db
                db.add(
                    function: DatabaseFunction("interruptNow") { _ in
                        writer.interrupt()
                        let error = #expect(throws: DatabaseError.self) { try connection.playerCount() }
                        codes.append(error?.resultCode)
                        return 1
                    })
                try databaseError(.SQLITE_INTERRUPT) {
                    try db.execute(
                        sql: """
                            WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 1000000)
                            SELECT x FROM n WHERE x > 1 OR interruptNow() IS NULL
                            """)
                }
                #expect(codes.elements == [.SQLITE_INTERRUPT])
                #expect(try db.playerCount() == 0)
            }
        }
    }
}
