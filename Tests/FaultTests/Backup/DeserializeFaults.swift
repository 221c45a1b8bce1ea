import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Databases from bytes: afterwards there is either the old database, or the new one.
@Suite struct DeserializeFaults {
    private func bytes() throws -> Data {
        let queue = try DatabaseQueue()
        return try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE city (name TEXT); INSERT INTO city VALUES ('Oslo'), ('Rome')")
            return Data(Array(try db.serialize()))
        }
    }

    @Test(arguments: Weather.memory)
    func replace(weather: Weather) throws {
        let bytes = try bytes()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.deserialize(bytes) }
            try attempt.step { db in try db.execute(sql: "INSERT INTO city VALUES ('Lima')") }
        }
    }

    @Test(arguments: Weather.memory)
    func limited(weather: Weather) throws {
        let bytes = try bytes()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.deserialize(bytes, maximumSize: 100_000) }
            try attempt.step { db in try db.execute(sql: "DELETE FROM city") }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .journal]))
    func attached(weather: Weather) throws {
        let bytes = try bytes()
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                defer { attempt.calmly { try? db.execute(sql: "DETACH received") } }
                try db.execute(sql: "ATTACH ':memory:' AS received")
                try db.deserialize(bytes, schema: "received", readonly: true)
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM received.city"))
            }
        }
    }
}
