import Amalgam
import TestSupport
import Testing

/// Effects of an observation on a read that it shares with other observations.
@Suite struct SharedFetchTests {
    /// If a fetch ends the transaction of the shared read, later fetches still see one snapshot each.
    @Test func aFetchThatEndsTheTransactionLeavesTheOthersTheirs() throws {
        try withPool { pool, _ in
            let rude = ValueObservation.tracking { db in
                let count = try db.playerCount()
                try db.execute(sql: "COMMIT")
                return count
            }
            let isolated = ValueObservation.tracking(region: Table("player")) { db in
                let before = try Table("noise").fetchCount(db)
                try pool.write { try $0.execute(sql: "INSERT INTO noise DEFAULT VALUES") }
                return try "\(db.playerCount()) \(Table("noise").fetchCount(db) - before)"
            }
            try pool.write { try $0.execute(sql: "CREATE TABLE noise (id INTEGER PRIMARY KEY)") }
            var cancellables: [AnyDatabaseCancellable] = []
            let (rudeRecorders, isolatedRecorders) = (
                (0..<3).map { _ in Recorder<Int>() }, (0..<3).map { _ in Recorder<String>() }
            )
            for index in 0..<3 {
                cancellables.append(rudeRecorders[index].startImmediately(rude, in: pool))
                cancellables.append(isolatedRecorders[index].startImmediately(isolated, in: pool))
            }
            for count in 1...10 {
                try pool.write { try $0.addPlayer() }
                for recorder in rudeRecorders { try recorder.wait(last: count) }
                for recorder in isolatedRecorders { try recorder.wait(last: "\(count) 0") }
            }
            for recorder in rudeRecorders { #expect(recorder.error == nil) }
            for recorder in isolatedRecorders { #expect(recorder.error == nil) }
            for cancellable in cancellables { cancellable.cancel() }
        }
    }
}
