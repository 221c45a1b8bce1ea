import Amalgam
import CAmalgam
import TestSupport
import Testing

/// Observations of a database whose other accesses leave statements before their last row.
struct LeftStatementTests {
    @Test(arguments: [Store.memoryQueue, .fileQueue, .pool], [true, false])
    func anObservationContinues(store: Store, usesCCode: Bool) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try store.withWriter(configuration) { writer in
            let recorder = Recorder<Int>()
            let cancellable = recorder.start(
                ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM player")! },
                in: writer)
            try recorder.wait(count: 1)
            var rows: [RowCursor] = []
            let first = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player")! }
            for number in 1...5 {
                try writer.read { db in
                    if usesCCode {
                        sqlite3_step(try db.cachedStatement(sql: "SELECT * FROM player, team").sqliteStatement)
                    } else {
                        rows.append(try Row.fetchCursor(db, sql: "SELECT * FROM player"))
                        _ = try rows.last?.next()
                    }
                }
                try writer.write { try $0.addPlayer() }
                try recorder.wait(for: "\(number) more players") { $0.last == first + number }
            }
            cancellable.cancel()
            rows = []
        }
    }
}
