#if Encryption
import Amalgam
import CAmalgam
import Foundation

extension EncryptedFile {
    /// Prints the number of derived keys when the pool is open, and after five readers and a snapshot have read.
    func printDerivations() throws {
        let pool = try DatabasePool(path: path, configuration: configuration)
        print(amalgam_derivation_count())
        let arrived = DispatchSemaphore(value: 0)
        let proceed = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        for _ in 0..<5 {
            Thread.detachNewThread { [group] in
                // Each read holds its reader until all five have one.
                _ = try? pool.read { db in
                    _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
                    arrived.signal()
                    proceed.wait()
                }
                group.leave()
            }
            group.enter()
        }
        for _ in 0..<5 { arrived.wait() }
        for _ in 0..<5 { proceed.signal() }
        group.wait()
        _ = try pool.makeSnapshot().read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
        print(amalgam_derivation_count())
        try pool.close()
        // No database is open, so no derived key is kept.
        try queue().close()
        print(amalgam_derivation_count())
    }

    /// Ends the process as a program does, by `exit`, while two threads decrypt pages. Another exit handler takes its time.
    func exitWhileReading() throws {
        atexit { usleep(200_000) }
        let started = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            let queue = try queue()
            Thread.detachNewThread {
                try? queue.inDatabase { db in
                    try db.execute(sql: "PRAGMA cache_size = 10")
                    started.signal()
                    while true { _ = try Int.fetchOne(db, sql: "SELECT SUM(LENGTH(a)) FROM t") }
                }
            }
        }
        started.wait()
        started.wait()
        usleep(50_000)
        exit(0)
    }

    /// The first pass phrase is "even".
    func changeUntilKilled() throws {
        let queue = try queue()
        for number in 1... {
            let passphrase = number % 2 == 0 ? "even" : "odd"
            try queue.changePassphrase(passphrase)
            FileHandle.standardOutput.write(Data("\(passphrase)\n".utf8))
        }
    }
}
#endif
