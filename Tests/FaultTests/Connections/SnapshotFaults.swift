import Amalgam
import AmalgamCore
import Testing

/// Pools, their readers and snapshots.
@Suite struct SnapshotFaults {
    @Test(arguments: Weather.allocations([.pool]) + Weather.files([.pool]))
    func snapshot(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let pool = try attempt.pool()
            let snapshot = try attempt.step { attempt.keep(try pool.makeSnapshot()) }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            attempt.note(try attempt.step { try snapshot.read { try $0.contents() } })
        }
    }

    @Test(arguments: Weather.allocations([.pool]) + Weather.files([.pool]))
    func snapshotPool(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let pool = try attempt.pool()
            let snapshot = try attempt.step { attempt.keep(try pool.makeSnapshotPool()) }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            attempt.note(try attempt.step { try snapshot.read { try $0.contents() } })
        }
    }

    /// A version is either taken and opened, or an error is thrown, and the reader is usable.
    @Test(arguments: Weather.allocations([.pool]) + Weather.files([.pool]))
    func versions(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let pool = try attempt.pool()
            let snapshot = try attempt.step { attempt.keep(try pool.makeSnapshot()) }
            let version = try attempt.step { try pool.currentVersion() }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            let later = try attempt.step { try pool.currentVersion() }
            attempt.note("\(later.order(relativeTo: version) as Any)")
            attempt.note(try attempt.step { try pool.read(at: version) { try $0.contents() } })
            attempt.note(try attempt.step { try pool.read(at: later) { try $0.contents() } })
            attempt.note(try attempt.step { try pool.read { try $0.contents() } })
            try attempt.step { db in try db.execute(sql: "DELETE FROM team") }
            withExtendedLifetime(snapshot) {}
        }
    }

    /// If a reader can't be opened, its permit is released.
    @Test(arguments: Weather.allocations([.pool]) + Weather.files([.pool]))
    func readers(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            var configuration = Configuration.inFaults
            configuration.maximumReaderCount = 1
            try attempt.connect(configuration)
            attempt.note(try attempt.read { try $0.contents() })
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            attempt.note(try attempt.read { try $0.contents() })
            attempt.note(try attempt.pool(attempt.writer).barrierWriteWithoutTransaction { _ in 1 })
        }
    }

    /// Readers are closed, and opened again, and memory is released.
    @Test(arguments: Weather.allocations([.pool]) + Weather.files([.pool]))
    func renewedReaders(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let pool = try attempt.pool()
            attempt.note(try attempt.read { try $0.contents() })
            try attempt.step { pool.invalidateReadOnlyConnections() }
            attempt.note(try attempt.read { try $0.contents() })
            try attempt.step { pool.releaseMemory() }
            attempt.note(try attempt.read { try $0.contents() })
        }
    }

    @Test(arguments: Weather.allocations([.pool]) + Weather.files([.pool]))
    func checkpoint(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "DELETE FROM player") }
            try attempt.step { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try attempt.step { db in try db.execute(sql: "DELETE FROM team") }
        }
    }
}

extension Attempt {
    fileprivate func pool(_ writer: (any DatabaseWriter)? = nil) throws -> DatabasePool {
        let writer = try writer ?? connect()
        return try #require(writer as? DatabasePool)
    }
}
