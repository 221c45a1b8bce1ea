import Amalgam
import Foundation
import TestSupport
import Testing

/// Observations hear of all changes, whoever has changed the schema since statements were compiled.
@Suite struct SchemaChangeTests {
    private static let count = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM member") ?? -1
    }

    /// The readers of the pool have compiled their statements before the writer makes another view.
    @Test func aViewThatIsMadeAnew() throws {
        try withPool { pool, _ in
            try pool.write { try $0.execute(sql: "CREATE VIEW member AS SELECT id FROM player") }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(Self.count, in: pool)
            try recorder.wait(last: 0)
            for count in 1...8 {
                try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
                try recorder.wait(last: count)
            }
            try pool.write { db in
                try db.execute(
                    sql: """
                        DROP VIEW member;
                        CREATE VIEW member AS SELECT id FROM team;
                        DELETE FROM player;
                        """)
            }
            try recorder.wait(last: 0)
            for count in 1...8 {
                try pool.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Reds')") }
                try recorder.wait(last: count)
            }
            cancellable.cancel()
        }
    }

    /// A statement in the cache fires a trigger that another connection has made.
    @Test func aTriggerOfAnotherConnection() throws {
        try withPool { pool, folder in
            let other = try DatabaseQueue(path: folder.path("db.sqlite"))
            let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team")! }
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(observation, in: pool)
            try recorder.wait(last: 0)
            func insert() throws {
                try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
            }
            for _ in 1...3 { try insert() }
            try other.write { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER teams AFTER INSERT ON player BEGIN
                          INSERT INTO team (name) VALUES (new.name);
                        END
                        """)
            }
            for count in 1...8 {
                try insert()
                try recorder.wait(last: count)
            }
            cancellable.cancel()
            try other.close()
        }
    }
}
