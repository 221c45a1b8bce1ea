import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite(.watchdog)
struct DatabasePoolTests {
    let folder = Folder()

    var path: String { folder.path("db.sqlite") }

    // MARK: The WAL mode

    /// The pool doesn't wait for the disk to write the first frame of a new WAL file, but keeps the chosen durability
    /// of commits.
    ///
    ///     PRAGMA synchronous
    @Test(arguments: ["OFF", "NORMAL", "FULL", "EXTRA"])
    func openingKeepsTheDurabilityThatWasChosen(level: String) throws {
        let folder = Folder()
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = \(level)") }
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: configuration)
        let number = try #require(["OFF", "NORMAL", "FULL", "EXTRA"].firstIndex(of: level))
        let synchronous = try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
        #expect(synchronous == number)
        #expect(try #require(folder.size("db.sqlite-wal")) > 0)
        try pool.close()
    }

    @Test(arguments: [Configuration.JournalModeConfiguration.default, .wal])
    func aPoolIsInWALMode(mode: Configuration.JournalModeConfiguration) throws {
        let pool = try DatabasePool(path: path, configuration: .tested { $0.journalMode = mode })
        #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        #expect(pool.path == path)
    }

    enum File: CaseIterable {
        case missing, empty, rollbackJournal, wal, truncatedWAL

        func make(_ path: String) throws {
            switch self {
            case .missing: break
            case .empty: try Data().write(to: URL(fileURLWithPath: path))
            case .rollbackJournal: try DatabaseQueue(path: path).write { try $0.createPlayers() }
            case .wal: try DatabasePool(path: path).write { try $0.createPlayers() }
            case .truncatedWAL:
                let queue = try DatabaseQueue(path: path, configuration: .tested { $0.journalMode = .wal })
                try queue.write { try $0.createPlayers() }
                try queue.inDatabase { db in
                    var persists: CInt = 1
                    #expect(sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &persists) == 0)
                    try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                }
            }
        }
    }

    @Test(arguments: File.allCases)
    func readsAndSnapshotsWorkAtOnce(file: File) throws {
        try file.make(path)
        let pool = try DatabasePool(path: path, configuration: .tested)
        #expect(folder.size("db.sqlite-shm") != nil)
        #expect(try #require(folder.size("db.sqlite-wal")) > 0)
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master WHERE 0") } == 0)
        #expect(try pool.makeSnapshotPool().read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test(arguments: [true, false])
    func theWALFilePersistsWhenAsked(persists: Bool) throws {
        let configuration = Configuration.tested {
            $0.prepareDatabase { db in
                guard !db.configuration.readonly else { return }
                var flag: CInt = persists ? 1 : 0
                #expect(sqlite3_file_control(db.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &flag) == SQLITE_OK)
            }
        }
        do {
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.write { try $0.createPlayers() }
            #expect(try pool.read { try $0.playerCount() } == 0)
        }
        #expect(folder.size("db.sqlite") != nil)
        #expect((folder.size("db.sqlite-wal") != nil) == persists)
        #expect((folder.size("db.sqlite-shm") != nil) == persists)
    }

    @Test(arguments: [":memory:", ""])
    func aPoolNeedsAFile(path: String) throws {
        let error = try databaseError(.SQLITE_ERROR) { try DatabasePool(path: path) }
        #expect(error.message == "could not activate WAL Mode at path: \(path)")
    }

    @Test func opensBesideAWriteTransaction() throws {
        let first = try DatabasePool(path: path, configuration: .tested)
        try first.write { db in
            try db.createPlayers()
        }
        try first.write { db in
            try db.addPlayer()
            let second = try DatabasePool(path: path, configuration: .tested)
            #expect(try second.read { try $0.playerCount() } == 0)
        }
    }

    // MARK: Readers

    @Test func readersAreReadOnlyAndHaveNames() throws {
        let names = Log<String>()
        let configuration = Configuration.tested {
            $0.label = "Players"
            $0.prepareDatabase { db in names.append("\(db.description) \(db.configuration.readonly)") }
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        #expect(names.take() == ["Players.writer false"])
        try pool.read { _ in
            try onThreads(1) { _ in try pool.read { db in #expect(db.configuration.readonly) } }
        }
        #expect(names.take() == ["Players.reader.1 true", "Players.reader.2 true"])
        _ = try pool.makeSnapshot()
        #expect(names.take() == ["Players.snapshot.1 true"])
        #expect(pool.configuration.maximumReaderCount == 5)
        #expect(!pool.configuration.readonly)
        let unnamed = try DatabasePool(path: path)
        #expect(unnamed.writeWithoutTransaction { $0.description } == "GRDB.DatabasePool.writer")
        #expect(try unnamed.read { $0.description } == "GRDB.DatabasePool.reader.1")
    }

    @Test(arguments: [1, 2, 5])
    func readsBeyondTheReaderCountWait(count: Int) throws {
        try withPool(.readers(count)) { pool, _ in
            let log = Log<String>()
            let goOn = Signal("goOn")
            let inside = (0..<count).map { Signal("reader \($0)") }
            let readers = (0..<count).map { index in
                Worker {
                    try pool.read { _ in
                        inside[index].fire()
                        try goOn.wait()
                        log.append("held")
                    }
                }
            }
            for signal in inside { try signal.wait() }
            let late = Worker { try pool.read { _ in log.append("late") } }
            Signal.giveOthersAChance()
            #expect(log.count == 0)
            goOn.fire()
            for worker in readers + [late] { try worker.join() }
            #expect(log.elements.first == "held")
            #expect(log.elements.filter { $0 == "late" }.count == 1)
        }
    }

    @Test func readersAreKept() throws {
        let opened = Log<String>()
        let configuration = Configuration.tested { $0.prepareDatabase { opened.append($0.description) } }
        try withPool(configuration) { pool, _ in
            _ = opened.take()
            for _ in 0..<10 { _ = try pool.read { try $0.playerCount() } }
            #expect(opened.take().count == 1)
            pool.invalidateReadOnlyConnections()
            for _ in 0..<10 { _ = try pool.read { try $0.playerCount() } }
            #expect(opened.take().count == 1)
            // Also during a read.
            try pool.read { _ in pool.invalidateReadOnlyConnections() }
            for _ in 0..<10 { _ = try pool.read { try $0.playerCount() } }
            #expect(opened.take().count == 1)
        }
    }

    @Test(arguments: [true, false])
    func readersAreClosedWithTheirMemory(persistent: Bool) throws {
        let (opened, closed) = (Log<Int>(), Log<Int>())
        let configuration = Configuration.tested {
            $0.persistentReadOnlyConnections = persistent
            $0.prepareDatabase { _ in opened.append(1) }
            $0.onConnectionWillClose { _ in closed.append(1) }
        }
        try withPool(configuration) { pool, _ in
            _ = try pool.read { try $0.playerCount() }
            #expect(opened.count == 2)
            pool.releaseMemory()
            #expect(closed.count == (persistent ? 0 : 1))
            _ = try pool.read { try $0.playerCount() }
            #expect(opened.count == (persistent ? 2 : 3))
            pool.releaseMemoryEventually()
            try pool.write { _ in }
            #expect(closed.count == (persistent ? 0 : 2))
            // Inside accesses.
            try pool.read { _ in pool.releaseMemory() }
            try pool.write { _ in pool.releaseMemory() }
            try pool.barrierWriteWithoutTransaction { _ in pool.releaseMemory() }
            #expect(try pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test func manyScheduledReadsUseTheReadersOnly() async throws {
        try await withPool { pool, _ in
            let (reads, inside, most) = (Box(0), Box(0), Box(0))
            let done = Signal("all reads")
            let one: @Sendable (Result<Database, any Error>) -> Void = { result in
                let count = inside.increment()
                most.raise(to: count)
                #expect((try? result.get().playerCount()) == 0)
                inside.decrement()
                if reads.increment() == 2_000 { done.fire() }
            }
            for _ in 0..<1_000 {
                pool.asyncRead(one)
                pool.asyncUnsafeRead(one)
            }
            try await done.value()
            #expect(most.value <= 5)
        }
    }

    @Test func readsOfAllKindsShareTheReaders() async throws {
        // Synchronous reads block the worker threads of Dispatch, which scheduled reads need.
        try await withPool(.readers(2)) { pool, _ in
            let (ended, failed) = (Box(0), Box(0))
            let done = Signal("all reads")
            let end: @Sendable (Int?) -> Void = { count in
                if count != 0 { failed.increment() }
                if ended.increment() == 1_000 { done.fire() }
            }
            for _ in 0..<500 {
                DispatchQueue.global().async { end(try? pool.read { try $0.playerCount() }) }
                pool.asyncRead { result in end(try? result.get().playerCount()) }
            }
            try await done.value()
            #expect(failed.value == 0)
        }
    }

    // MARK: Isolation

    @Test func aReadSeesOneState() throws {
        try withPool { pool, _ in
            let (first, written) = (Signal("first"), Signal("written"))
            let writer = Worker {
                try first.wait()
                try pool.write { try $0.addPlayer() }
                written.fire()
            }
            let counts = try pool.read { db in
                let before = try db.playerCount()
                first.fire()
                try written.wait()
                return [before, try db.playerCount()]
            }
            try writer.join()
            #expect(counts == [0, 0])
            #expect(try pool.read { try $0.playerCount() } == 1)
        }
    }

    @Test func anUnsafeReadSeesTheLastState() throws {
        try withPool { pool, _ in
            let (first, written) = (Signal("first"), Signal("written"))
            let writer = Worker {
                try first.wait()
                try pool.write { try $0.addPlayer() }
                written.fire()
            }
            let counts = try pool.unsafeRead { db in
                let before = try db.playerCount()
                first.fire()
                try written.wait()
                return [before, try db.playerCount()]
            }
            try writer.join()
            #expect(counts == [0, 1])
            try pool.unsafeRead { db in _ = try databaseError(.SQLITE_READONLY) { try db.addPlayer() } }
        }
    }

    @Test func readsRunBesideAWrite() throws {
        try withPool { pool, _ in
            let (inside, goOn) = (Signal("inside"), Signal("goOn"))
            let transaction = Worker {
                try pool.write { db in
                    try db.addPlayer()
                    inside.fire()
                    try goOn.wait()
                }
            }
            try inside.wait()
            #expect(try pool.read { try $0.playerCount() } == 0)
            goOn.fire()
            try transaction.join()
            #expect(try pool.read { try $0.playerCount() } == 1)
        }
    }

    @Test func readsSeeEachStatementOutsideOfATransaction() throws {
        try withPool { pool, _ in
            try pool.writeWithoutTransaction { db in
                for count in 1...3 {
                    try db.addPlayer()
                    // On this thread, because a read may be nested in a write.
                    #expect(try pool.read { try $0.playerCount() } == count)
                }
            }
        }
    }

    @Test func aWriteMayNestInARead() throws {
        try withPool(.readers(1)) { pool, _ in
            try pool.read { db in
                // The first statement opens the snapshot.
                #expect(try db.playerCount() == 0)
                try pool.write { try $0.addPlayer() }
                #expect(try db.playerCount() == 0)
                #expect(try pool.unsafeReentrantRead { try $0.playerCount() } == 0)
            }
            #expect(try pool.read { try $0.playerCount() } == 1)
        }
    }

    @Test func readsStepTheirCursorsInParallel() throws {
        try withPool { pool, _ in
            try pool.write { db in for _ in 0..<10 { try db.addPlayer() } }
            try interleavedReads(pool)
        }
    }

    private func interleavedReads(_ pool: DatabasePool) throws {
        let steps = (0...20).map { Signal("step \($0)") }
        let order = Log<Int>()
        steps[0].fire()
        try onThreads(2) { reader in
            try pool.read { db in
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player LIMIT 10")
                for index in 0..<10 {
                    try steps[index * 2 + reader].wait()
                    #expect(try cursor.next() != nil)
                    order.append(reader)
                    steps[index * 2 + reader + 1].fire()
                }
                #expect(try cursor.next() == nil)
            }
        }
        #expect(order.elements == (0..<20).map { $0 % 2 })
    }

    // MARK: Reads from a write

    @Test func aConcurrentReadSeesTheCommittedState() throws {
        try withPool { pool, _ in
            let counts = Log<Int>()
            let goOn = Signal("goOn")
            let ends = [Signal("first"), Signal("second")]
            try pool.write { try $0.addPlayer() }
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "DELETE FROM player")
                pool.asyncConcurrentRead { result in
                    try? goOn.wait()
                    counts.append((try? result.get().playerCount()) ?? -1)
                    ends[0].fire()
                }
                try db.addPlayer()
                goOn.fire()
                try ends[0].wait()
                pool.spawnConcurrentRead { result in
                    counts.append((try? result.get().playerCount()) ?? -1)
                    #expect(throws: DatabaseError.self) { try result.get().addPlayer() }
                    ends[1].fire()
                }
                try db.execute(sql: "DELETE FROM player")
                try ends[1].wait()
            }
            #expect(counts.elements == [0, 1])
            #expect(try pool.read { try $0.playerCount() } == 0)
        }
    }

    @Test func aConcurrentReadOutlivesItsWrite() throws {
        try withPool { pool, _ in
            let (goOn, end) = (Signal("goOn"), Signal("end"))
            pool.writeWithoutTransaction { db in
                pool.asyncConcurrentRead { result in
                    try? goOn.wait()
                    #expect((try? result.get().playerCount()) == 0)
                    end.fire()
                }
            }
            try pool.write { try $0.addPlayer() }
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            goOn.fire()
            try end.wait()
        }
    }

    @Test func aConcurrentReadTellsWhyItCannotRun() throws {
        let fails = Box(false)
        let configuration = Configuration.tested {
            $0.prepareDatabase { _ in if fails.value { throw Oops() } }
        }
        try withPool(configuration) { pool, _ in
            fails.value = true
            pool.writeWithoutTransaction { _ in
                pool.asyncConcurrentRead { result in #expect(throws: Oops()) { try result.get() } }
            }
            fails.value = false
            let count = try pool.read { try $0.playerCount() }
            #expect(count == 0)
        }
    }

    // MARK: Barriers

    @Test func aBarrierWaitsForReadsAndReadsWaitForIt() throws {
        try withPool { pool, _ in
            let log = Log<String>()
            let (reading, goOn, inside, finish) = (Signal(), Signal(), Signal(), Signal())
            let snapshot = try pool.makeSnapshot()
            let early = Worker {
                try pool.read { _ in
                    reading.fire()
                    try goOn.wait()
                    log.append("early")
                }
            }
            try reading.wait()
            let barrier = Worker {
                try pool.barrierWriteWithoutTransaction { db in
                    log.append("barrier")
                    inside.fire()
                    try finish.wait()
                    try db.addPlayer()
                    log.append("end")
                }
            }
            Signal.giveOthersAChance()
            // Snapshots are unaffected.
            #expect(try snapshot.read { try $0.playerCount() } == 0)
            goOn.fire()
            try inside.wait()
            let late = Worker { log.append("late \(try pool.read { try $0.playerCount() })") }
            let write = Worker { try pool.write { _ in log.append("write") } }
            Signal.giveOthersAChance()
            finish.fire()
            for worker in [early, barrier, late, write] { try worker.join() }
            #expect(log.elements.prefix(3) == ["early", "barrier", "end"])
            #expect(Set(log.elements.suffix(2)) == ["late 1", "write"])
        }
    }

    // MARK: A read-only pool

    @Test func aReadOnlyPoolTakesTheFileAsItIs() throws {
        try DatabaseQueue(path: path).write { db in
            try db.createPlayers()
            for _ in 0..<10 { try db.addPlayer() }
        }
        let pool = try DatabasePool(path: path, configuration: .tested { $0.readonly = true })
        #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
        #expect(folder.size("db.sqlite-wal") == nil)
        try interleavedReads(pool)
        try databaseError(.SQLITE_READONLY) { try pool.writeWithoutTransaction { try $0.addPlayer() } }
        try databaseError(.SQLITE_READONLY) { try pool.write { try $0.addPlayer() } }
    }

    // MARK: Closing

    @Test func aLiveStatementOfTheWriterKeepsThePoolOpen() throws {
        try withPool { pool, _ in
            try pool.writeWithoutTransaction { db in
                let statement = try db.makeStatement(sql: "SELECT * FROM sqlite_master")
                let error = try databaseError(.SQLITE_BUSY) { try pool.close() }
                #expect(error.message == "unable to close due to unfinalized statements or unfinished backups")
                #expect(try Row.fetchAll(statement).count == 1)
            }
            try pool.write { try $0.addPlayer() }
            #expect(try pool.read { try $0.playerCount() } == 1)
        }
    }

    @Test func aLiveStatementOfAReaderMakesAZombie() throws {
        try withPool { pool, _ in
            var statement: Statement? = try pool.read { try $0.makeStatement(sql: "SELECT * FROM sqlite_master") }
            try databaseError(.SQLITE_BUSY) { try pool.close() }
            try databaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
            try databaseError(.SQLITE_MISUSE) { try pool.write { _ in } }
            try pool.close()
            pool.releaseMemory()
            pool.releaseMemoryEventually()
            statement = nil
            _ = statement
        }
    }

    @Test func closingWaitsForReadsAndRefusesTheNextOnes() throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("db.sqlite"), configuration: .readers(1))
        let (reading, goOn) = (Signal("reading"), Signal("goOn"))
        let log = Log<String>()
        let reader = Worker {
            try pool.read { _ in
                reading.fire()
                try goOn.wait()
                log.append("read")
            }
        }
        try reading.wait()
        let closer = Worker {
            try pool.close()
            log.append("closed")
        }
        Signal.giveOthersAChance()
        let late = Worker { try pool.read { _ in log.append("late") } }
        Signal.giveOthersAChance()
        goOn.fire()
        try reader.join()
        try closer.join()
        do {
            try late.join()
        } catch DatabaseError.SQLITE_MISUSE {
        }
        #expect(log.elements.filter { $0 != "late" } == ["read", "closed"])
        #expect(log.elements.last == "closed")
    }

    /// The file of a closed pool is complete, so it can be copied.
    @Test func closingRemovesTheWALFile() throws {
        let pool = try DatabasePool(path: path, configuration: .tested)
        try pool.write { try $0.createPlayers() }
        try onThreads(3) { _ in _ = try pool.read { try $0.playerCount() } }
        #expect(folder.size("db.sqlite-wal") != nil)
        try pool.close()
        #expect(folder.size("db.sqlite-wal") == nil)
        #expect(folder.size("db.sqlite-shm") == nil)
    }

    /// Closing removes the WAL file even if it has to wait for reads, and these write.
    @Test(arguments: [true, false])
    func closingDuringReadsRemovesTheWALFile(writes: Bool) throws {
        let pool = try DatabasePool(path: path, configuration: .tested)
        try pool.write { try $0.createPlayers() }
        let (reading, goOn, log) = (Signal("reading"), Signal("goOn"), Log<Int>())
        let reader = Worker {
            try pool.read { db in
                #expect(try db.playerCount() == 0)
                reading.fire()
                try goOn.wait()
                #expect(try db.playerCount() == 0)
                if writes { try databaseError(.SQLITE_MISUSE) { try pool.write { try $0.addPlayer() } } }
            }
        }
        try reading.wait()
        pool.asyncWriteWithoutTransaction { _ in log.append(1) }
        let closer = Worker { try pool.close() }
        // The writer refuses accesses, while reads still run.
        try eventually("closing") { (try? pool.write { _ in }) == nil }
        pool.asyncBarrierWriteWithoutTransaction { result in if case .success = result { log.append(2) } }
        goOn.fire()
        try reader.join()
        try closer.join()
        try databaseError(.SQLITE_MISUSE) { try pool.read { _ in } }
        #expect(log.elements == [1])
        #expect(folder.size("db.sqlite-wal") == nil)
    }

    /// If `close()` throws, the pool is unchanged: reads succeed, and the file is watched.
    @Test func aPoolThatCannotBeClosedGoesOn() async throws {
        let pool = try DatabasePool(path: path, configuration: .tested)
        try await pool.write { try $0.createPlayers() }
        var changes = try await pool.externalChanges().makeAsyncIterator()
        var statement: Statement? = try liveStatement(pool)
        try databaseError(.SQLITE_BUSY) { try pool.close() }
        #expect(try await pool.read { try $0.playerCount() } == 0)
        let others = try DatabaseQueue(path: path)
        try await others.write { try $0.addPlayer() }
        #expect(try await changes.next() != nil)
        try others.close()
        withExtendedLifetime(statement) {}
        statement = nil
        try pool.close()
        #expect(try await changes.next() == nil)
        #expect(folder.size("db.sqlite-wal") == nil)
    }

    private func liveStatement(_ pool: DatabasePool) throws -> Statement {
        try pool.writeWithoutTransaction { try $0.makeStatement(sql: "SELECT 1") }
    }

    @Test func allConnectionsAreClosedWithThePool() throws {
        let (opened, closed) = (Log<Int>(), Log<Int>())
        let configuration = Configuration.tested {
            $0.prepareDatabase { _ in opened.append(1) }
            $0.onConnectionWillClose { _ in closed.append(1) }
        }
        do {
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.write { try $0.createPlayers() }
            try pool.read { _ in try onThreads(2) { _ in _ = try pool.read { try $0.playerCount() } } }
            #expect(closed.count == 0)
        }
        #expect(opened.count >= 3)
        #expect(closed.count == opened.count)
        #expect(folder.size("db.sqlite-wal") == nil)
    }
}
