#if Encryption
import Amalgam
import CAmalgam
import CFaults
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

    /// Lets each allocation of SQLite's initialisation fail, first alone, then with all that follow, and prints the result
    /// code of each. What comes after a failure initialises SQLite again: it reads and exports the database.
    func initializeWithoutMemory() throws {
        let plan = faults_create()!
        faults_exchange(plan)
        for persists in [0, 1] as [Int32] {
            for n in 1... {
                faults_plan(plan, UInt32(FAULTS_ALLOCATION), UInt32(FAULTS_ANY_FILE), Int64(n), persists, 0, 0)
                let code = sqlite3_initialize()
                let failed = faults_failures(plan) > 0
                faults_plan(plan, 0, 0, 0, 0, 0, 0)
                let provider = amalgam_cipher_provider().map { String(cString: $0) } ?? "none"
                let queue = try queue()
                let count = try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") } ?? 0
                let exported = "\(path)-\(persists)-\(n)"
                try queue.export(to: exported, passphrase: nil)
                try queue.close()
                print(code, provider, count)
                sqlite3_shutdown()
                if !failed { break }
            }
        }
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
