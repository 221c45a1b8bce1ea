import Amalgam
import Testing

/// Opening and closing: a connection is open or it isn't, and no memory or file descriptor leaks.
@Suite struct OpenFaults {
    @Test(arguments: Weather.all)
    func open(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.step { try attempt.connect() }
            attempt.note(try attempt.read { try String.fetchAll($0, sql: "SELECT name FROM team") })
        }
    }

    @Test(arguments: Weather.allocations([.journal, .wal, .pool]) + Weather.files([.journal, .wal, .pool]))
    func openReadOnly(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            var configuration = Configuration.inFaults
            configuration.readonly = true
            try attempt.step { try attempt.connect(configuration) }
            attempt.note(try attempt.read { try String.fetchAll($0, sql: "SELECT name FROM team") })
        }
    }

    /// The preparation closures run SQL before the connection is used.
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func openWithPreparations(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            var configuration = Configuration.inFaults
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 20; PRAGMA temp_store = MEMORY") }
            try attempt.step { try attempt.connect(configuration) }
            attempt.note(try attempt.step { db in try Int.fetchOne(db, sql: "PRAGMA cache_size") ?? 0 })
        }
    }

    @Test(arguments: Weather.memory)
    func openSharedMemory(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            let name = "faults of \(weather.testDescription)"
            let queue = try attempt.step { try DatabaseQueue(named: name, configuration: .inFaults) }
            let second = try attempt.step { try DatabaseQueue(named: name, configuration: .inFaults) }
            try attempt.step { try queue.write { try $0.createTeams() } }
            attempt.note(try attempt.step { try second.read { try $0.contents() } })
        }
    }

    /// When the last connection to a WAL database closes, it copies the WAL file into the database file. If that fails,
    /// the WAL file stays, and the next connection reads all of it.
    @Test(arguments: Weather.all)
    func close(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')") }
            try attempt.step { try attempt.close() }
        }
    }
}
