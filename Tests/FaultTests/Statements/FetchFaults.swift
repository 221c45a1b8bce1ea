import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Rows and values of all kinds are fetched correctly, or an error is thrown.
@Suite struct FetchFaults {
    @Test(arguments: Weather.all)
    func rows(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY name DESC"))
                attempt.note(try Row.fetchOne(db, sql: "SELECT * FROM player WHERE name = 'Bo'")?.description ?? "")
                attempt.note(try Row.fetchSet(db, sql: "SELECT name FROM team").count)
                let cursor = try Row.fetchCursor(db, sql: "SELECT name, score FROM player")
                while let row = try cursor.next() {
                    attempt.note((row["name"] as String) + "\(row["score"] as Double? ?? 0)")
                }
            }
        }
    }

    @Test(arguments: Weather.memory)
    func values(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM player"))
                attempt.note(try Double?.fetchAll(db, sql: "SELECT score FROM player").count)
                attempt.note(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1)
                attempt.note(try String.fetchSet(db, sql: "SELECT name FROM team").sorted())
                attempt.note(try DatabaseValue.fetchAll(db, sql: "SELECT score FROM player"))
                attempt.note(try Data.fetchOne(db, sql: "SELECT zeroblob(400)")?.count ?? -1)
                attempt.note(try Date.fetchOne(db, sql: "SELECT '2020-01-02 03:04:05'")?.timeIntervalSince1970 ?? 0)
            }
        }
    }

    /// SQLite converts values on demand, which needs memory after the step.
    @Test(arguments: Weather.memory)
    func conversions(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
            try db.createTeams()
        }
        let query = "SELECT name FROM team ORDER BY id"
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.read { db in
                attempt.note(try String.fetchOne(db, sql: query) ?? "nil")
                attempt.note(try String.fetchAll(db, sql: query))
                attempt.note(try DatabaseValue.fetchOne(db, sql: query) ?? .null)
                attempt.note(try DatabaseValue.fetchAll(db, sql: query))
                attempt.note(try Row.fetchOne(db, sql: query)?.description ?? "nil")
                attempt.note(try Row.fetchAll(db, sql: query))
                attempt.note(try String.fetchOne(db, sql: "SELECT 123456") ?? "nil")
                attempt.note(try String.fetchAll(db, sql: "SELECT 1.5 UNION ALL SELECT 2"))
                attempt.note(try Data.fetchAll(db, sql: "SELECT zeroblob(100)").map(\.count))
                attempt.note(try Row.fetchAll(db, sql: "SELECT zeroblob(100)").map { ($0[0] as Data).count })
                // A string that can't be converted isn't an empty string.
                let names = try Row.fetchCursor(db, sql: query)
                while let row = try names.next() {
                    attempt.note(try row.withUnsafeData(atIndex: 0) { data in data.map { Array($0) } ?? [] })
                }
                attempt.note(try Date.fetchOne(db, sql: "SELECT '2020-01-02'")?.timeIntervalSince1970 ?? 0)
                let cursor = try Row.fetchCursor(db, sql: query)
                while let row = try cursor.next() {
                    attempt.note(row["name"] as String)
                    attempt.note(try row.withUnsafeData(atIndex: 0) { $0?.count ?? -1 })
                }
            }
        }
    }

    /// A cursor that is released before its last row.
    @Test(arguments: Weather.all)
    func cursorLeftEarly(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.read { db in
                let cursor = try Row.fetchCursor(db, sql: "SELECT id, content FROM page ORDER BY id")
                for _ in 0..<3 { attempt.note(try cursor.next()?["id"] as Int? ?? -1) }
            }
            try attempt.step { db in try db.execute(sql: "DELETE FROM page WHERE id > 10") }
        }
    }

    /// A statement that writes and returns rows. It has written all changes when it returns the first row: a later
    /// error of a row doesn't undo them, except in a transaction.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal, .wal]))
    func returning(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let writer = try attempt.connect()
            let sql = "INSERT INTO team (name) VALUES (?) RETURNING id"
            attempt.note(
                try attempt.step { try writer.write { try Int.fetchOne($0, sql: sql, arguments: ["Greens"]) ?? -1 } })
            attempt.note(
                try attempt.step { try writer.write { try Row.fetchAll($0, sql: sql, arguments: ["Yellows"]) } })
        }
    }

    /// Sorting and distinct rows that don't fit into memory.
    @Test(arguments: Weather.all)
    func sorting(weather: Weather) throws {
        try everyFault(of: weather, stride: weather.fault.isMemory ? 3 : 1, setUp: { try $0.createPages() }) {
            attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "PRAGMA cache_size = 5") }
            try attempt.read { db in
                attempt.note(
                    try Int.fetchAll(db, sql: "SELECT DISTINCT id * 7 % 13 FROM page ORDER BY length(content), 1"))
            }
        }
    }
}
