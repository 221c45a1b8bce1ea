import Amalgam
import AmalgamCore
import Testing

/// A refused statement rolls its transaction back, whatever fails during this.
@Suite struct SuspensionFaults {
    @Test(arguments: Weather.all)
    func refusals(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                defer { db.access.interrupter.resume() }
                do {
                    try db.inTransaction {
                        try db.execute(sql: "DELETE FROM player")
                        db.access.interrupter.suspend()
                        try db.execute(sql: "DELETE FROM team")
                        return .commit
                    }
                } catch let error as DatabaseError where error.message == "Database is suspended" {
                    attempt.note(error)
                }
            }
            try attempt.step { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')") }
        }
    }

    @Test(arguments: Weather.all)
    func commits(weather: Weather) throws {
        // A suspended connection doesn't wait for a lock that fails on purpose.
        try everyFault(of: weather, allowing: [.SQLITE_ABORT], setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                defer { db.access.interrupter.resume() }
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM player")
                    db.access.interrupter.suspend()
                    return .commit
                }
            }
        }
    }
}
