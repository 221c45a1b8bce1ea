import Amalgam
import AmalgamCore
import Testing

/// Checkpoints never lose content.
@Suite struct CheckpointFaults {
    @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
    func modes(mode: Database.CheckpointMode) throws {
        for weather in Weather.allocations([.wal]) + Weather.files([.wal, .pool]) {
            try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
                try attempt.connect()
                try attempt.step { db in try db.execute(sql: "UPDATE page SET content = zeroblob(1500) WHERE id > 9") }
                try attempt.step { db in
                    let frames = try db.checkpoint(mode)
                    // A passive checkpoint copies as many frames as it can.
                    if mode != .passive { attempt.note(frames) }
                }
                try attempt.step { db in try db.execute(sql: "DELETE FROM page WHERE id < 9") }
            }
        }
    }

    /// Checkpoints of a policy.
    @Test(arguments: [Database.CheckpointMode.passive, .truncate])
    func withoutWaiting(mode: Database.CheckpointMode) throws {
        for weather in Weather.allocations([.wal]) + Weather.files([.wal, .pool]) {
            try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
                try attempt.connect()
                try attempt.step { db in try db.limitWALFile(to: 100_000) }
                try attempt.step { db in try db.execute(sql: "UPDATE page SET content = zeroblob(1500) WHERE id > 9") }
                try attempt.step { db in
                    let frames = try db.checkpointNow(mode)
                    // A passive checkpoint copies as many frames as it can.
                    if mode != .passive { attempt.note(frames) }
                }
                try attempt.step { db in try db.execute(sql: "DELETE FROM page WHERE id < 9") }
            }
        }
    }

    /// A commit that triggers a checkpoint is done, even if the checkpoint fails.
    @Test(arguments: Weather.allocations([.wal]) + Weather.files([.wal, .pool]))
    func automatic(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.setAutomaticCheckpoint(.frames(2)) }
            for id in 1...3 {
                try attempt.step { db in
                    try db.execute(sql: "UPDATE page SET content = zeroblob(2000) WHERE id = \(id)")
                }
            }
        }
    }

    @Test(arguments: Weather.allocations([.wal]) + Weather.files([.wal]))
    func reportedCommits(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            var commits = 0
            try attempt.step { db in
                try db.onWALCommit { db, commit in commits += commit.frameCount > 0 ? 1 : 0 }
            }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player WHERE id = 1") }
            try attempt.step { db in try db.execute(sql: "DELETE FROM player WHERE id = 2") }
            attempt.note(commits)
        }
    }
}
