import Amalgam
import Foundation
import TestSupport
import Testing

/// The types of snapshots: single connections and pools.
enum SnapshotKind: String, CaseIterable, Sendable {
    case snapshot, pool, poolOfConnection, poolOfFile

    func make(_ pool: DatabasePool) throws -> any DatabaseSnapshotReader {
        switch self {
        case .snapshot: try pool.makeSnapshot()
        case .pool: try pool.makeSnapshotPool()
        case .poolOfConnection: try pool.read { try DatabaseSnapshotPool($0) }
        case .poolOfFile: try DatabaseSnapshotPool(path: pool.path, configuration: pool.configuration)
        }
    }
}

@Suite(.watchdog)
struct DatabaseSnapshotReaderTests {
    @Test(arguments: SnapshotKind.allCases)
    func theContentIsThatOfTheCreation(kind: SnapshotKind) async throws {
        try await withPool { pool, _ in
            try await pool.write { try $0.addPlayer() }
            let snapshot = try kind.make(pool)
            try await pool.write { try $0.addPlayer() }
            #expect(try await snapshot.read { try $0.playerCount() } == 1)
            let newer = try kind.make(pool)
            try await pool.write { db in
                try db.execute(sql: "DELETE FROM player; DROP TABLE player")
            }
            #expect(try await snapshot.read { try $0.playerCount() } == 1)
            #expect(try await snapshot.read { try $0.playerCount() } == 1)
            #expect(try await snapshot.unsafeRead { try $0.playerCount() } == 1)
            #expect(try await snapshot.unsafeRead { try $0.playerCount() } == 1)
            #expect(try snapshot.unsafeReentrantRead { try $0.playerCount() } == 1)
            #expect(try snapshot.reentrantRead { try $0.playerCount() } == 1)
            let counts = Log<Int>()
            snapshot.asyncRead { counts.append((try? $0.get().playerCount()) ?? -1) }
            snapshot.asyncUnsafeRead { counts.append((try? $0.get().playerCount()) ?? -1) }
            while counts.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(counts.elements == [1, 1])
            #expect(try await newer.read { try $0.playerCount() } == 2)
            try databaseError(.SQLITE_ERROR) { try pool.read { try $0.playerCount() } }
        }
    }

    @Test func whatCannotFailNeedsNoTry() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            let isReading = snapshot.read { $0.isInsideTransaction }
            let isStillReading = snapshot.unsafeRead { $0.isInsideTransaction }
            #expect(isReading && isStillReading)
            #expect(throws: DatabaseError.self) { try snapshot.unsafeRead { try $0.execute(sql: "SELECT missing") } }
        }
    }

    @Test(arguments: SnapshotKind.allCases, ["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
    func checkpointsLeaveTheContentAlone(kind: SnapshotKind, checkpoint: String) throws {
        try withPool { pool, _ in
            try pool.write { try $0.addPlayer() }
            let snapshot = try kind.make(pool)
            for _ in 0..<3 {
                for _ in 0..<10 { try pool.write { try $0.addPlayer() } }
                try pool.writeWithoutTransaction { db in
                    // The pragma may report that the database is busy, as a row or as an error.
                    do {
                        _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(\(checkpoint))")
                    } catch DatabaseError.SQLITE_BUSY {
                    } catch DatabaseError.SQLITE_LOCKED {
                    }
                }
                #expect(try snapshot.read { try $0.playerCount() } == 1)
            }
            #expect(try pool.read { try $0.playerCount() } == 31)
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func aCheckpointedFileIsProtectedAsWell(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            try pool.write { try $0.addPlayer() }
            // All frames of the WAL file are in the database: the next writer may restart it.
            try pool.writeWithoutTransaction { _ = try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(FULL)") }
            let snapshot = try kind.make(pool)
            for _ in 0..<10 { try pool.write { try $0.addPlayer() } }
            #expect(try snapshot.read { try $0.playerCount() } == 1)
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func writingIsRefused(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            let snapshot = try kind.make(pool)
            try databaseError(.SQLITE_READONLY) { try snapshot.read { try $0.addPlayer() } }
            try databaseError(.SQLITE_READONLY) { try snapshot.unsafeRead { try $0.addPlayer() } }
            #expect(try snapshot.read { $0.configuration.readonly })
            #expect(try snapshot.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func writesDoNotWaitForSnapshots(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            let snapshot = try kind.make(pool)
            try snapshot.read { db in
                try pool.write { try $0.addPlayer() }
                try pool.barrierWriteWithoutTransaction { try $0.addPlayer() }
                #expect(try db.playerCount() == 0)
            }
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func aWriteTakesSnapshotsOfWhatIsCommitted(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            try pool.writeWithoutTransaction { db in
                try db.addPlayer()
                let snapshot = try kind.make(pool)
                try db.addPlayer()
                #expect(try snapshot.read { try $0.playerCount() } == 1)
            }
            try pool.write { db in
                try db.addPlayer()
                if kind == .poolOfConnection {
                    try databaseError(.SQLITE_ERROR) { try DatabaseSnapshotPool(db) }
                } else if kind != .poolOfFile {
                    try databaseError(.SQLITE_MISUSE) { try kind.make(pool) }
                }
            }
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func readsAreReentrantWhenAsked(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            let snapshot = try kind.make(pool)
            try snapshot.read { db in
                try snapshot.reentrantRead { #expect($0 === db) }
                try snapshot.unsafeReentrantRead { #expect($0 === db) }
            }
            if let snapshot = snapshot as? DatabaseSnapshotPool {
                try snapshot.read { _ in _ = try databaseError(.SQLITE_MISUSE) { try snapshot.read { _ in } } }
            }
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func snapshotsOutliveTheirPool(kind: SnapshotKind) throws {
        let folder = Folder()
        var pool: DatabasePool? = try DatabasePool(path: folder.path("db.sqlite"), configuration: .tested)
        try pool!.write { try $0.createPlayers() }
        let snapshot = try kind.make(pool!)
        try pool!.write { try $0.addPlayer() }
        pool = nil
        #expect(try snapshot.read { try $0.playerCount() } == 0)
        #expect(try DatabaseQueue(path: snapshot.path).read { try $0.playerCount() } == 1)
    }

    @Test(arguments: SnapshotKind.allCases)
    func aReleasedSnapshotIsClosed(kind: SnapshotKind) throws {
        let (opened, closed) = (Log<String>(), Log<Int>())
        let configuration = Configuration.tested {
            $0.prepareDatabase { opened.append($0.description) }
            $0.onConnectionWillClose { _ in closed.append(1) }
        }
        try withPool(configuration) { pool, folder in
            do {
                let snapshot = try kind.make(pool)
                #expect(try snapshot.read { try $0.playerCount() } == 0)
                try pool.write { try $0.addPlayer() }
            }
            let snapshots = opened.elements.filter { $0.contains("snapshot") }.count
            #expect(closed.count == snapshots)
            // No snapshot pins the WAL file any more.
            try pool.writeWithoutTransaction { db in
                let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                #expect(row?["busy"] == 0)
            }
            #expect(folder.size("db.sqlite-wal") == 0)
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func aClosedSnapshotRefusesReads(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            let snapshot = try kind.make(pool)
            _ = try snapshot.read { try $0.playerCount() }
            try snapshot.close()
            try databaseError(.SQLITE_MISUSE) { try snapshot.read { try $0.playerCount() } }
            try snapshot.close()
            snapshot.interrupt()
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func interruptionStopsReads(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            let snapshot = try kind.make(pool)
            try pool.write { try $0.addPlayer() }
            let ended = Signal()
            let worker = Worker {
                defer { ended.fire() }
                try snapshot.read { try $0.runForever() }
            }
            while !ended.hasFired { snapshot.interrupt() }
            try databaseError(.SQLITE_INTERRUPT) { try worker.join() }
            #expect(try snapshot.read { try $0.playerCount() } == 0)
        }
    }

    @Test(arguments: SnapshotKind.allCases)
    func aSnapshotWhoseTransactionEndedIsNotNewer(kind: SnapshotKind) throws {
        try withPool(.readers(1)) { pool, _ in
            let snapshot = try kind.make(pool)
            try? snapshot.read { try $0.execute(sql: "ROLLBACK") }
            try pool.write { try $0.addPlayer() }
            // The old content, or an error.
            #expect((try? snapshot.read { try $0.playerCount() }) != 1)
        }
    }
}

extension DatabaseSnapshotReaderTests {
    @Test(arguments: SnapshotKind.allCases)
    func theVersionIsThatOfTheContent(kind: SnapshotKind) throws {
        try withPool { pool, _ in
            let snapshot = try kind.make(pool)
            let version = try snapshot.version
            #expect(try pool.currentVersion().order(relativeTo: version) == .same)
            try pool.write { try $0.addPlayer() }
            #expect(try pool.currentVersion().order(relativeTo: version) == .newer)
            let read = try snapshot.read { try $0.snapshotVersion() }
            #expect(read.order(relativeTo: version) == .same)
            #expect(try pool.read(at: version) { try $0.playerCount() } == 0)
            let newer = try kind.make(pool)
            #expect(try newer.version.order(relativeTo: version) == .newer)
        }
    }

    /// Snapshots keep their content while another process writes and empties the WAL file as often as it can.
    @Test(arguments: SnapshotKind.allCases)
    func anotherProcessWritesAndCheckpoints(kind: SnapshotKind) async throws {
        try await withPool { pool, _ in
            try await pool.write { try $0.addPlayer() }
            let snapshot = try kind.make(pool)
            let path = pool.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let pool = try DatabasePool(path: path)
                for _ in 0..<10 {
                    try pool.write { try $0.addPlayer() }
                    for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
                        pool.writeWithoutTransaction { try? $0.execute(sql: "PRAGMA wal_checkpoint(\(mode))") }
                    }
                }
            }
            #expect(try await snapshot.read { try $0.playerCount() } == 1)
            #expect(try await pool.read(at: snapshot.version) { try $0.playerCount() } == 1)
            #expect(try await pool.read { try $0.playerCount() } == 11)
        }
    }

    /// A snapshot still reads after its pool was closed. If it is the last connection to the file, it leaves the WAL
    /// file, because it only reads. No data is lost.
    @Test(arguments: SnapshotKind.allCases)
    func aSnapshotOutlivesItsPool(kind: SnapshotKind) throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.createPlayers() }
        let snapshot = try kind.make(pool)
        try pool.write { try $0.addPlayer() }
        try pool.close()
        #expect(try snapshot.read { try $0.playerCount() } == 0)
        try snapshot.close()
        #expect(folder.size("db.sqlite-wal")! > 0)
        // The next pool or queue removes the WAL file when it closes.
        let next = try DatabaseQueue(path: path)
        #expect(try next.read { try $0.playerCount() } == 1)
        try next.close()
        #expect(folder.size("db.sqlite-wal") == nil)
    }
}

@Suite(.watchdog)
struct DatabaseSnapshotTests {
    /// If the database of a read-only pool isn't in WAL mode, a snapshot blocks writers.
    @Test func outOfWALModeASnapshotKeepsOthersFromWriting() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"), configuration: .tested)
        try queue.write { try $0.createPlayers() }
        let pool = try DatabasePool(path: queue.path, configuration: .tested { $0.readonly = true })
        let snapshot = try pool.makeSnapshot()
        try databaseError(.SQLITE_BUSY) { try queue.write { try $0.addPlayer() } }
        #expect(try snapshot.read { try $0.playerCount() } == 0)
        try databaseError(.SQLITE_ERROR) { try snapshot.version }
        try databaseError(.SQLITE_ERROR) { try pool.makeSnapshotPool() }
        try snapshot.close()
        try queue.write { try $0.addPlayer() }
        #expect(try pool.makeSnapshot().read { try $0.playerCount() } == 1)
    }

    @Test func aSnapshotWhoseTransactionEndedIsLost() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            try databaseError(.SQLITE_ERROR) { try snapshot.read { try $0.execute(sql: "ROLLBACK") } }
            for _ in 0..<2 {
                let error = try databaseError { try snapshot.read { try $0.playerCount() } }
                #expect(error.extendedResultCode == .SQLITE_ERROR_SNAPSHOT)
                #expect(error.message == "Snapshot is lost. Its transaction has ended: make another snapshot.")
            }
            try snapshot.close()
            try pool.write { try $0.addPlayer() }
            let another = try pool.makeSnapshot()
            #expect(try another.read { try $0.playerCount() } == 1)
        }
    }

    @Test func accessesRunOneAfterTheOther() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshot()
            let inside = Box(0)
            try onThreads(4) { _ in
                for _ in 0..<50 {
                    snapshot.read { _ in
                        #expect(inside.increment() == 1)
                        inside.decrement()
                    }
                }
            }
        }
    }

    @Test func snapshotsAreNumberedAndNotCountedAsReaders() throws {
        try withPool(.readers(1)) { pool, _ in
            let snapshots = try (0..<10).map { _ in try pool.makeSnapshot() }
            #expect(snapshots.map { $0.read { $0.description } } == (1...10).map { "GRDB.DatabasePool.snapshot.\($0)" })
            #expect(snapshots[0].configuration.maximumReaderCount == 1)
            #expect(snapshots[0].path == pool.path)
            #expect(try pool.read { try $0.playerCount() } == 0)
            // Nested reads.
            let count = try snapshots[0].read { _ in try snapshots[1].read { try $0.playerCount() } }
            #expect(count == 0)
        }
    }

    @Test func theReadThatHoldsTheContentIsKnown() throws {
        let log = Log<String>()
        try withPool(.traced(log)) { pool, _ in
            _ = log.take()
            _ = try pool.makeSnapshot()
            #expect(
                log.take() == ["BEGIN DEFERRED TRANSACTION", "SELECT rootpage FROM sqlite_master LIMIT 1"])
        }
    }

    @Test func preparationErrorsComeOut() throws {
        let fails = Box(false)
        try withPool(.tested { $0.prepareDatabase { _ in if fails.value { throw Oops() } } }) { pool, _ in
            fails.value = true
            #expect(throws: Oops()) { try pool.makeSnapshot() }
            #expect(throws: Oops()) { try pool.makeSnapshotPool() }
            #expect(throws: Oops()) { try pool.read { _ in } }
        }
    }
}

@Suite(.watchdog)
struct DatabaseSnapshotPoolTests {
    @Test func readsRunInParallelOnOneState() throws {
        try withPool { pool, _ in
            try pool.write { try $0.addPlayer() }
            let snapshot = try pool.makeSnapshotPool()
            let inside = (0..<3).map { Signal("reader \($0)") }
            try onThreads(3) { index in
                try snapshot.read { db in
                    // Each thread waits for all others, while the database changes.
                    inside[index].fire()
                    for signal in inside { try signal.wait() }
                    try pool.write { try $0.addPlayer() }
                    #expect(try db.playerCount() == 1)
                }
            }
            #expect(try pool.read { try $0.playerCount() } == 4)
        }
    }

    @Test func readersAreBounded() throws {
        try withPool(.readers(2)) { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            #expect(snapshot.configuration.maximumReaderCount == 2)
            #expect(snapshot.path == pool.path)
            let (inside, most) = (Box(0), Box(0))
            try onThreads(6) { _ in
                for _ in 0..<20 {
                    try snapshot.read { db in
                        let count = inside.increment()
                        most.raise(to: count)
                        let players = try db.playerCount()
                        #expect(players == 0)
                        inside.decrement()
                    }
                }
            }
            #expect(most.value <= 2)
        }
    }

    @Test func tasksReadOneState() async throws {
        try await withPool(.readers(2)) { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await snapshot.read { try $0.playerCount() } }
                    group.addTask {
                        try await pool.write { try $0.addPlayer() }
                        return 0
                    }
                }
                for try await count in group { #expect(count == 0) }
            }
            #expect(try await pool.read { try $0.playerCount() } == 50)
        }
    }

    @Test func aReadsStateMayBeKept() throws {
        try withPool { pool, _ in
            try pool.read { db in
                #expect(try db.playerCount() == 0)
                try pool.write { try $0.addPlayer() }
                let snapshot = try DatabaseSnapshotPool(db)
                try pool.write { try $0.addPlayer() }
                #expect(try snapshot.read { try $0.playerCount() } == 0)
            }
            let snapshot = try pool.unsafeRead { try DatabaseSnapshotPool($0) }
            #expect(try snapshot.read { try $0.playerCount() } == 2)
            try pool.unsafeRead { #expect(!$0.isInsideTransaction) }
        }
    }

    @Test func tasksReadInParallel() async throws {
        try await withPool(.readers(3)) { pool, _ in
            try await pool.write { try $0.addPlayer() }
            let snapshot = try pool.makeSnapshotPool()
            let inside = (0..<3).map { Signal("reader \($0)") }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<3 {
                    group.addTask {
                        try await snapshot.read { db in
                            inside[index].fire()
                            for signal in inside { try signal.wait() }
                            try pool.write { try $0.addPlayer() }
                            return try db.playerCount()
                        }
                    }
                }
                for try await count in group { #expect(count == 1) }
            }
            #expect(try await pool.read { try $0.playerCount() } == 4)
        }
    }

    /// A connection is opened when all others are in use, and stays open.
    @Test func connectionsAreKept() throws {
        let opened = Log<String>()
        let configuration = Configuration.tested {
            $0.maximumReaderCount = 3
            $0.prepareDatabase { opened.append($0.description) }
        }
        try withPool(configuration) { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            _ = opened.take()
            for _ in 0..<10 { _ = try snapshot.read { try $0.playerCount() } }
            #expect(opened.take() == ["GRDB.DatabasePool.snapshot.1"])
            let inside = (0..<3).map { Signal("reader \($0)") }
            for _ in 0..<3 {
                try onThreads(3) { index in
                    try snapshot.read { _ in
                        inside[index].fire()
                        for signal in inside { try signal.wait() }
                    }
                }
            }
            #expect(Set(opened.take()) == ["GRDB.DatabasePool.snapshot.2", "GRDB.DatabasePool.snapshot.3"])
        }
    }

    /// The second read waits until the first one releases the only connection.
    @Test func readsWaitForAPlace() throws {
        try withPool(.readers(1)) { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            let (first, mayEnd) = (Signal("first read"), Signal("may end"))
            let order = Log<Int>()
            let reader = Worker {
                try snapshot.read { _ in
                    first.fire()
                    try mayEnd.wait()
                    order.append(1)
                }
            }
            try first.wait()
            let second = Worker { try snapshot.read { _ in order.append(2) } }
            Signal.giveOthersAChance()
            mayEnd.fire()
            try reader.join()
            try second.join()
            #expect(order.elements == [1, 2])
        }
    }

    @Test func closingWaitsForReads() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            let (reading, mayEnd, hasEnded) = (Signal("read"), Signal("may end"), Box(false))
            let reader = Worker {
                try snapshot.read { db in
                    reading.fire()
                    try mayEnd.wait()
                    #expect(try db.playerCount() == 0)
                    hasEnded.value = true
                }
            }
            try reading.wait()
            let closer = Worker {
                try snapshot.close()
                #expect(hasEnded.value)
            }
            Signal.giveOthersAChance()
            mayEnd.fire()
            try reader.join()
            try closer.join()
            try databaseError(.SQLITE_MISUSE) { try snapshot.read { _ in } }
            try snapshot.close()
        }
    }

    @Test func itIsNotClosedByItsOwnRead() throws {
        try withPool { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            try snapshot.read { _ in _ = try databaseError(.SQLITE_MISUSE) { try snapshot.close() } }
            #expect(try snapshot.read { try $0.playerCount() } == 0)
        }
    }

    // MARK: Snapshots pinned by a lock only

    /// A snapshot of a checkpointed database reads the database file only, so writers may restart the WAL file. Other
    /// connections of the snapshot pool still find its content.
    @Test(arguments: [true, false])
    func aStateIsFoundInTheDatabaseFile(isLate: Bool) throws {
        try withPool { pool, _ in
            try pool.write { try $0.addPlayer() }
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.full) }
            try pool.read { db in
                if isLate {
                    #expect(try db.playerCount() == 1)
                } else {
                    _ = try db.snapshotVersion()
                }
                let version = try db.snapshotVersion()
                for _ in 1...10 { try pool.write { try $0.addPlayer() } }
                pool.writeWithoutTransaction { _ = try? $0.checkpoint(.truncate) }
                let snapshot = try DatabaseSnapshotPool(db)
                #expect(snapshot.version.order(relativeTo: version) == .same)
                try expectKept(snapshot, playerCount: 1)
                #expect(try db.playerCount() == 1)
            }
            #expect(try pool.makeSnapshotPool().read { try $0.playerCount() } == 11)
        }
    }

    /// Expects that all connections of a snapshot see its content, as do reads at its version.
    private func expectKept(_ snapshot: DatabaseSnapshotPool, playerCount: Int) throws {
        try onThreads(4) { _ in
            for _ in 1...5 {
                try snapshot.read { db in
                    let count = try db.playerCount()
                    let order = try db.snapshotVersion().order(relativeTo: snapshot.version)
                    let check = try String.fetchOne(db, sql: "PRAGMA quick_check")
                    #expect(count == playerCount && order == .same && check == "ok")
                }
            }
        }
        let other = try DatabasePool(path: snapshot.path)
        #expect(try other.read(at: snapshot.version) { try $0.playerCount() } == playerCount)
        try other.close()
    }

    /// A snapshot of an empty WAL file keeps its content if a writer doesn't know that another connection has emptied
    /// the file, and starts a new generation of it.
    @Test(arguments: [1, 5000])
    func aSnapshotOfAnEmptyWALFileIsKept(rowCount: Int) throws {
        try withPool(.readers(2)) { pool, _ in
            try pool.write { try $0.addPlayer() }
            try DatabaseQueue(path: pool.path).inDatabase { _ = try $0.checkpoint(.truncate) }
            let snapshot = try pool.makeSnapshotPool()
            let version = snapshot.version
            try snapshot.read { db in
                try pool.write { db in
                    for _ in 1...rowCount { try db.addPlayer() }
                }
                try expectKept(db, snapshot)
            }
            let another = try pool.makeSnapshotPool()
            for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
                pool.writeWithoutTransaction { try? $0.execute(sql: "PRAGMA wal_checkpoint(\(mode))") }
                try pool.write { try $0.execute(sql: "DELETE FROM player WHERE id > 1") }
                try expectKept(snapshot, playerCount: 1)
            }
            try expectKept(another, playerCount: 1 + rowCount)
            try snapshot.close()
            try another.close()
            // The version isn't pinned any more, and is lost.
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try pool.write { try $0.addPlayer() }
            let error = try databaseError { try pool.read(at: version) { try $0.playerCount() } }
            #expect(error.extendedResultCode == .SQLITE_ERROR_SNAPSHOT)
        }
    }

    /// One connection is in use, and a second one is opened.
    private func expectKept(_ db: Database, _ snapshot: DatabaseSnapshotPool) throws {
        let other = Worker {
            let count = try snapshot.read { try $0.playerCount() }
            #expect(count == 1)
        }
        try other.join()
        #expect(try db.playerCount() == 1)
    }

    /// Snapshots are opened and closed while other processes empty the WAL file and write.
    @Test func snapshotsBesideAProcessThatEmptiesTheWALFile() async throws {
        try await withPool(.readers(2)) { pool, _ in
            try await pool.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (0), (0)")
            }
            let stops = Box(false)
            let reader = Worker {
                var count = 0
                while !stops.value || count < 20 {
                    let snapshot = try pool.makeSnapshotPool()
                    let name = try snapshot.read { try Int.fetchOne($0, sql: "SELECT name FROM player WHERE id = 1") }
                    try onThreads(2) { _ in
                        let names = try snapshot.read { try Int.fetchAll($0, sql: "SELECT name FROM player") }
                        #expect(names == [name, name])
                    }
                    try snapshot.close()
                    count += 1
                }
            }
            let path = pool.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                // Its checkpoints don't wait for snapshots, because snapshots would wait for them.
                let (first, second) = try (DatabasePool(path: path), DatabasePool(path: path))
                for _ in 0..<100 {
                    var isWritten = false
                    while !isWritten {
                        do {
                            try first.write { try $0.execute(sql: "UPDATE player SET name = name + 1") }
                            isWritten = true
                        } catch DatabaseError.SQLITE_BUSY {}
                    }
                    second.writeWithoutTransaction { _ = try? $0.checkpoint(.truncate) }
                }
            }
            stops.value = true
            try await reader.value()
            #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT name FROM player") } == 100)
        }
    }

    /// If a read ends the transaction, the next statement begins one at the same version. After the read, the
    /// connection is usable.
    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func aReadThatEndsTheTransactionGoesOn(end: String) throws {
        try withPool(.readers(1)) { pool, _ in
            let snapshot = try pool.makeSnapshotPool()
            try pool.write { try $0.addPlayer() }
            for _ in 0..<3 {
                try snapshot.read { db in
                    try db.execute(sql: end)
                    #expect(try db.playerCount() == 0)
                    #expect(db.isInsideTransaction)
                    try db.execute(sql: end)
                }
                #expect(try snapshot.read { try $0.playerCount() } == 0)
            }
            try snapshot.close()
        }
    }

    /// If a cursor keeps the connection in a different transaction than that of the snapshot, reads throw.
    @Test func aReadCannotGoOnBesideAnOpenCursor() throws {
        try withPool { pool, _ in
            try pool.write { db in for _ in 1...3 { try db.addPlayer() } }
            let snapshot = try pool.makeSnapshotPool()
            let error = try databaseError {
                try snapshot.read { db in
                    let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                    _ = try cursor.next()
                    try db.execute(sql: "COMMIT")
                    _ = try db.playerCount()
                    withExtendedLifetime(cursor) {}
                }
            }
            #expect(error.extendedResultCode == .SQLITE_ERROR_SNAPSHOT)
            #expect(try snapshot.read { try $0.playerCount() } == 3)
            try snapshot.close()
        }
    }

    @Test func otherJournalModesAreRefused() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(path: folder.path("db.sqlite"))
        try queue.write { try $0.createPlayers() }
        try databaseError(.SQLITE_ERROR) { try queue.read { try DatabaseSnapshotPool($0) } }
        try databaseError(.SQLITE_ERROR) { try DatabaseSnapshotPool(path: queue.path) }
        try databaseError(.SQLITE_ERROR) { try DatabaseQueue().read { try DatabaseSnapshotPool($0) } }
        try databaseError(.SQLITE_CANTOPEN) { try DatabaseSnapshotPool(path: folder.path("missing.sqlite")) }
    }

    @Test(arguments: [true, false])
    func anEmptyWALFileIsHeld(ofRead: Bool) throws {
        try withPool { pool, _ in
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            let snapshot = try ofRead ? pool.read { try DatabaseSnapshotPool($0) } : pool.makeSnapshotPool()
            for _ in 0..<3 {
                try pool.write { try $0.addPlayer() }
                pool.writeWithoutTransaction { _ = try? $0.checkpoint(.restart) }
            }
            try expectKept(snapshot, playerCount: 0)
        }
    }

    @Test func aMissingWALFileIsRefused() throws {
        let folder = Folder()
        let path = folder.path("db.sqlite")
        do {
            try DatabasePool(path: path).write { try $0.createPlayers() }
        }
        #expect(folder.size("db.sqlite-wal") == nil)
        try databaseError(.SQLITE_ERROR) { try DatabaseSnapshotPool(path: path) }
    }

    @Test func aQueueInWALModeHasSnapshots() throws {
        let folder = Folder()
        let queue = try DatabaseQueue(
            path: folder.path("db.sqlite"), configuration: .tested { $0.journalMode = .wal })
        try queue.write { try $0.createPlayers() }
        let snapshot = try queue.read { try DatabaseSnapshotPool($0) }
        try queue.write { try $0.addPlayer() }
        #expect(try snapshot.read { try $0.playerCount() } == 0)
        let other = try DatabaseSnapshotPool(path: queue.path)
        #expect(try other.read { try $0.playerCount() } == 1)
    }

    #if os(Linux)
    @Test func failedReadersLeaveNothingOpen() throws {
        // Opens the snapshot of a file whose WAL file another connection has restarted.
        try withPool { pool, folder in
            let fails = Box(false)
            let configuration = Configuration.tested {
                $0.prepareDatabase { db in
                    // Makes the transaction that the pool is about to open fail.
                    if fails.value { try db.execute(sql: "BEGIN") }
                }
            }
            let snapshot = try DatabaseSnapshotPool(path: pool.path, configuration: configuration)
            fails.value = true
            func openFiles() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { descriptor in
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\(descriptor)")
                    return target?.hasPrefix(folder.url.path) == true
                }.count
            }
            let before = try openFiles()
            for _ in 0..<10 { #expect(throws: DatabaseError.self) { try snapshot.read { _ in } } }
            #expect(try openFiles() <= before + 1)
        }
    }
    #endif
}
