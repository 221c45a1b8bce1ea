import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Functions in Swift: they exist after they were added, and return the correct values or an error.
@Suite struct FunctionFaults {
    private static let joined = DatabaseFunction("joined", argumentCount: nil) { values in
        values.compactMap { String.fromDatabaseValue($0) }.joined(separator: "-")
    }
    private static let repeated = DatabaseFunction("repeated", pure: true) { (text: String, count: Int) -> String in
        String(repeating: text, count: count)
    }
    private static let bytes = DatabaseFunction("bytes") { (count: Int) -> Data in Data(count: count) }

    /// Adding a function doesn't throw. If memory is exhausted, the next use of the connection repeats it.
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func add(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                db.add(function: Self.joined)
                db.add(function: Self.repeated)
                attempt.note(try String.fetchAll(db, sql: "SELECT joined(id, repeated(name, 2)) FROM team"))
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]))
    func addOnOpening(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            var configuration = Configuration.inFaults
            configuration.prepareDatabase { $0.add(function: Self.joined) }
            try attempt.step { try attempt.connect(configuration) }
            attempt.note(try attempt.read { try String.fetchAll($0, sql: "SELECT joined(id, name) FROM team") })
        }
    }

    @Test(arguments: Weather.memory)
    func replaceAndRemove(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                db.add(function: Self.joined)
                db.add(function: DatabaseFunction("joined", pure: true) { _ in "other" })
                attempt.note(try String.fetchAll(db, sql: "SELECT joined(name) FROM team"))
                db.remove(function: Self.joined)
                attempt.calmly {
                    _ = try? Int.fetchOne(db, sql: "SELECT 1")
                    attempt.note(String(describing: try? db.makeStatement(sql: "SELECT joined(1)")))
                }
            }
        }
    }

    /// Arguments that are converted, and results that SQLite copies.
    @Test(arguments: Weather.memory)
    func calls(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'")
            try db.createTeams()
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                attempt.calmly {
                    for function in [Self.joined, Self.repeated, Self.bytes] { db.add(function: function) }
                }
                attempt.note(try String.fetchAll(db, sql: "SELECT joined(name, score, teamId, NULL) FROM player"))
                attempt.note(try String.fetchAll(db, sql: "SELECT repeated(name, 100) FROM player"))
                attempt.note(try Int.fetchAll(db, sql: "SELECT length(bytes(id * 1000)) FROM player"))
            }
        }
    }

    /// In statements that write, a row is changed to the correct value, or no row is changed.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal]))
    func updates(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                attempt.calmly { db.add(function: Self.repeated) }
                try db.execute(sql: "UPDATE player SET name = repeated(name, 50)")
            }
        }
    }

    /// A function that runs statements.
    @Test(arguments: Weather.memory)
    func nestedStatements(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                nonisolated(unsafe) let db = db
                // Unsafe: the function is called on the thread of this access.
                let players = DatabaseFunction("players", argumentCount: 1) { values in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player WHERE teamId = ?", arguments: [values[0]])
                }
                attempt.calmly { db.add(function: players) }
                defer { attempt.calmly { db.remove(function: players) } }
                attempt.note(try Int.fetchAll(db, sql: "SELECT players(id) FROM team"))
            }
        }
    }
}
