import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Testing

/// What a statement changes is recorded, whoever has changed the schema since it was compiled.
@Suite struct SchemaChangeTests {
    /// A statement that was known to change no audited table fires a trigger that another connection has made.
    @Test(arguments: [Store.queue, .pool], [true, false])
    func aTriggerOfAnotherConnection(store: Store, inTransaction: Bool) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                let other = try DatabaseQueue(path: db.filePath)
                let renaming = try db.makeStatement(sql: "UPDATE team SET name = name || '!' WHERE id = 1")
                func logged() throws -> [String] {
                    try db.logged {
                        if inTransaction { try db.execute(sql: "BEGIN") }
                        try renaming.execute()
                        if inTransaction { try db.execute(sql: "COMMIT") }
                    }
                }
                try expectEqual(logged(), [])
                try renaming.execute()
                try other.inDatabase { db in
                    try db.execute(
                        sql: """
                            CREATE TRIGGER renaming AFTER UPDATE ON team BEGIN
                              UPDATE player SET score = score + 1 WHERE teamId = new.id;
                            END
                            """)
                }
                try expectEqual(logged(), ["UPDATE player 1 (score: 10 -> 11)", "UPDATE player 2 (score: 20 -> 21)"])
                try expectEqual(logged(), ["UPDATE player 1 (score: 11 -> 12)", "UPDATE player 2 (score: 21 -> 22)"])
                try other.inDatabase { try $0.execute(sql: "DROP TRIGGER renaming") }
                try expectEqual(logged(), [])
                try other.close()
            }
        }
    }
}
