#if Replication && (os(Linux) || os(macOS))
import Amalgam
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

// A program that replicates, restores or follows a database until it is killed, for tests that kill it.
//
// usage: amalgam-replication-host write PATH URL [PAUSE]   numbered transactions, and prints the number of each one that
//                                                          is in the replica; restores a missing database first
//        amalgam-replication-host follow FOLDER URL        prints the largest number, and the delay of the oldest new
//                                                          transaction, after each change
//        amalgam-replication-host restore PATH URL         prints the largest number and the integrity
//        amalgam-replication-host insert PATH URL          writes rows without replication, and prints their numbers
//        amalgam-replication-host checkpoint PATH URL      checkpoints and truncates the WAL file again and again
//        amalgam-replication-host fill PATH URL            writes until the disk is full, waits for room, goes on, and
//                                                          prints the number of each full disk
//        amalgam-replication-host burst PATH URL           32 writers that wait for the replica at the same time, again
//                                                          and again
//        amalgam-replication-host speed PATH URL MODE      prints the number of small writes per second, with replication if
//                                                          MODE is `replicated`
//
// PAUSE is the time between two transactions, in milliseconds. The variable AMALGAM_LITESTREAM has the path of the engine.
// The credentials are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.

let variables = ProcessInfo.processInfo.environment
let arguments = CommandLine.arguments

let credentials = variables["AWS_ACCESS_KEY_ID"].map { key in
    ReplicaCredentials(accessKeyID: key, secretAccessKey: variables["AWS_SECRET_ACCESS_KEY"] ?? "")
}
let replica = Replica(
    url: arguments[3], credentials: credentials, engine: ReplicationEngine(path: variables["AMALGAM_LITESTREAM"]))

@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

@Sendable func logHandler(_ label: String) -> any LogHandler {
    var handler = StreamLogHandler.standardError(label: label)
    handler.logLevel = .error
    return handler
}

let logger = Logger(label: "host", factory: logHandler)

func run(_ service: any Service) -> Task<Void, Never> {
    let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger)
    return Task {
        do {
            try await group.run()
            exit(0)
        } catch {
            say("error \(error)")
            exit(1)
        }
    }
}

func last(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "SELECT MAX(number) FROM entry") ?? 0 }

/// Opens the database, and starts its replication.
func openReplicated() async throws -> DatabasePool {
    var configuration = Configuration()
    configuration.walPolicy = .replicated
    let pool = try await DatabasePool(path: arguments[2], restoringFrom: replica, configuration: configuration)
    try await pool.write { db in
        try db.execute(sql: "CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY, time REAL, content BLOB)")
    }
    var options = ReplicationService.Configuration()
    options.uploadInterval = .milliseconds(250)
    _ = run(try ReplicationService(pool, to: replica, configuration: options, logger: logger))
    return pool
}

func write(pause: Duration) async throws {
    let pool = try await openReplicated()
    say("opened \(try await pool.read(last))")
    while true {
        do {
            let number = try await pool.write(durability: .replicated(timeout: .seconds(5))) { db in
                let number = try last(db) + 1
                try db.execute(
                    sql: "INSERT INTO entry VALUES (?, ?, randomblob(abs(random() % 3000)))",
                    arguments: [number, Date().timeIntervalSince1970])
                return number
            }
            say("replicated \(number)")
        } catch let error as ReplicationError where error.isCommitted {
            say("committed")
        }
        try await Task.sleep(for: pause)
    }
}

func follow() async throws {
    var options = Follower.Configuration()
    options.pollInterval = .milliseconds(250)
    let follower = Follower(replica, folder: arguments[2], configuration: options, logger: logger)
    _ = run(follower)
    let values = follower.values { db in
        try Row.fetchAll(db, sql: "SELECT number, time FROM entry ORDER BY number DESC LIMIT 500").map { row in
            (number: row[0] as Int, time: row[1] as Double)
        }
    }
    var last = 0
    for try await entries in values {
        // The oldest of the transactions that this change brings.
        guard let newest = entries.first, newest.number > last, let first = entries.last(where: { $0.number > last })
        else { continue }
        last = newest.number
        say("follows \(newest.number) \(Date().timeIntervalSince1970 - first.time)")
    }
}

func restore() async throws {
    try await replica.restore(to: arguments[2])
    let pool = try DatabaseQueue(path: arguments[2])
    try await pool.read { db in
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM entry")!
        say("restored \(try last(db)) \(count) \(try db.integrityCheck().isEmpty ? "ok" : "corrupt")")
    }
}

func fill() async throws {
    let pool = try await openReplicated()
    var (count, isFull) = (0, false)
    let insert: @Sendable (Database) throws -> Int = { db in
        try db.execute(sql: "INSERT INTO entry (content) VALUES (randomblob(20000))")
        return try last(db)
    }
    var waits = true
    // 100 transactions after the disk was full. Each tenth one waits for the replica, unless the engine has no room.
    while count < 100 {
        do {
            let isDurable = try await pool.read(last) % 10 == 9 && (waits || isFull)
            let number = try await pool.write(
                durability: isDurable ? .replicated(timeout: .seconds(5)) : .local, insert)
            if isDurable { say("written \(number)") }
            if isFull { count += 1 }
        } catch let error as DatabaseError where [.SQLITE_FULL, .SQLITE_IOERR].contains(error.resultCode) {
            if !isFull { say("full \(try await pool.read(last))") }
            (isFull, count) = (true, 0)
            try await Task.sleep(for: .milliseconds(100))
        } catch let error as ReplicationError where error.isCommitted {
            say("committed \(error)")
            waits = false
        }
    }
    say("replicated \(try await pool.write(durability: .replicated(timeout: .seconds(60)), insert))")
    try await Task.sleep(for: .seconds(3600))
}

func burst() async throws {
    let pool = try await openReplicated()
    while true {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    try await pool.write(durability: .replicated(timeout: .seconds(60))) { db in
                        try db.execute(sql: "INSERT INTO entry (content) VALUES ('a few words')")
                    }
                }
            }
            try await group.waitForAll()
        }
        say("replicated \(try await pool.read(last))")
        try await Task.sleep(for: .milliseconds(500))
    }
}

/// Writes or checkpoints, as a process does that knows nothing of the replication.
func disturb(_ word: String, _ busyTime: Double, _ change: @escaping @Sendable (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(busyTime)
    let queue = try DatabaseQueue(path: arguments[2], configuration: configuration)
    for number in 1... {
        try queue.writeWithoutTransaction(change)
        say("\(word) \(number)")
        usleep(20_000)
    }
}

func measure(isReplicated: Bool) async throws {
    var configuration = Configuration()
    if isReplicated { configuration.walPolicy = .replicated }
    let pool = try DatabasePool(path: arguments[2], configuration: configuration)
    try await pool.write { db in try db.execute(sql: "CREATE TABLE entry (number INTEGER PRIMARY KEY, content TEXT)") }
    let service: ReplicationService? = isReplicated ? try ReplicationService(pool, to: replica, logger: logger) : nil
    if let service {
        _ = run(service)
        while service.status(of: pool)?.lastUpload == nil { try await Task.sleep(for: .milliseconds(20)) }
    }
    say("rate \(try writesPerSecond(pool))")
    exit(0)
}

func writesPerSecond(_ pool: DatabasePool) throws -> Int {
    let start = ContinuousClock.now
    var count = 0
    while ContinuousClock.now - start < .seconds(4) {
        try pool.write { try $0.execute(sql: "INSERT INTO entry (content) VALUES ('a few words')") }
        count += 1
    }
    return Int(Double(count) / ((ContinuousClock.now - start) / .seconds(1)))
}

func runCommand() async throws {
    switch arguments[1] {
    case "write": try await write(pause: .milliseconds(arguments.count > 4 ? Int(arguments[4])! : 0))
    case "follow": try await follow()
    case "restore": try await restore()
    case "fill": try await fill()
    case "burst": try await burst()
    case "insert":
        try disturb("inserted", 10) { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO entry DEFAULT VALUES")
        }
    case "checkpoint":
        // The checkpoint holds the lock of the writer while it waits for Litestream's read transaction: SQLITE_BUSY.
        try disturb("checkpointed", 0.02) { _ = try? $0.checkpoint(.truncate) }
    case "speed": try await measure(isReplicated: arguments[4] == "replicated")
    default: exit(2)
    }
}

do {
    try await runCommand()
} catch let error as ReplicationError where error.code == .unsuitableDatabase {
    // The service has ended: its task prints the reason, and ends the process.
    try await Task.sleep(for: .seconds(60))
}
#endif
