import Amalgam
import Foundation
import TestSupport
import Testing

/// Notifications of commits that other connections make to the file of a queue or a pool.
@Suite(.watchdog)
struct ExternalChangesTests {
    /// A queue in a journal mode, or a pool.
    enum Mode: String, CaseIterable, Sendable {
        case delete, truncate, persist, memory, walQueue, pool

        static let wal: [Mode] = [.walQueue, .pool]

        func open(_ path: String, _ change: (inout Configuration) -> Void = { _ in }) throws -> any DatabaseWriter {
            var configuration = Configuration.tested
            configuration.busyMode = .timeout(600)
            change(&configuration)
            if self == .pool { return try DatabasePool(path: path, configuration: configuration) }
            let mode = journalMode
            configuration.prepareDatabase { db in
                if !db.configuration.readonly { try db.execute(sql: "PRAGMA journal_mode = \(mode)") }
            }
            return try DatabaseQueue(path: path, configuration: configuration)
        }

        var journalMode: String { Mode.wal.contains(self) ? "wal" : rawValue }

        /// The other connection also sets the modes that aren't stored in the file.
        var pragma: String { "PRAGMA journal_mode = \(journalMode)" }
    }

    /// Opens a database with a table. `others` is a separate connection.
    private func withDatabase(
        _ mode: Mode, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (_ writer: any DatabaseWriter, _ others: any DatabaseWriter) async throws -> Void
    ) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let writer = try mode.open(folder.path("db.sqlite"), change)
        try await writer.write { try $0.createPlayers() }
        let others = try mode.open(folder.path("db.sqlite"))
        try await body(writer, others)
        try others.close()
        try writer.close()
    }

    private static let insert = "INSERT INTO player (name) VALUES ('Anna')"

    // MARK: Committing connections

    @Test(arguments: Mode.allCases)
    func commitsOfAnotherProcessAreTold(mode: Mode) async throws {
        try await withDatabase(mode) { writer, _ in
            let process = try ExternalWriter(writer.path)
            try await process.execute(mode.pragma)
            var changes = try await writer.externalChanges().makeAsyncIterator()
            var versions: Set<Int> = []
            var delays: [Duration] = []
            for count in 1...20 {
                try await process.execute(Self.insert)
                let committed = ContinuousClock.now
                let change = try #require(try await changes.next())
                delays.append(.now - committed)
                #expect(versions.insert(change.dataVersion).inserted)
                #expect(try await writer.read { try $0.playerCount() } == count)
            }
            print("external changes: \(mode): \(delays.sorted()[10]) after the answer of the writer (median)")
        }
    }

    @Test(arguments: Mode.allCases)
    func commitsOfAnotherConnectionAreTold(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            for count in 1...20 {
                try await others.write { try $0.addPlayer() }
                _ = try #require(try await changes.next())
                #expect(try await writer.read { try $0.playerCount() } == count)
            }
        }
    }

    /// The version in a change is that of `PRAGMA data_version`.
    @Test(arguments: [Mode.delete, .walQueue, .pool])
    func versionIsThatOfThePragma(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            try await others.write { try $0.addPlayer() }
            let change = try #require(try await changes.next())
            let version = try await writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") }
            #expect(change.dataVersion == version)
            #expect(change.date <= Date())
        }
    }

    @Test(arguments: Mode.allCases)
    func ownCommitsAreNotTold(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            let changes = try await writer.externalChanges()
            let version = try await writer.dataVersion()
            try await writer.write { try $0.addPlayer() }
            try await writer.vacuum()
            try await writer.writeWithoutTransaction { db in
                if Mode.wal.contains(mode) { try db.checkpoint(.truncate) }
                try db.addPlayer()
                try db.execute(sql: "PRAGMA user_version = 7")
            }
            let log = Log<Int>()
            let told = Signal("change")
            let task = Task {
                for try await change in changes {
                    log.append(change.dataVersion)
                    told.fire()
                }
            }
            // This triggers a check, so that every visible commit is found.
            _ = try await writer.externalChanges()
            #expect(try await writer.dataVersion() == version)
            _ = try await onThread { Signal.giveOthersAChance() }
            #expect(log.count == 0)
            try await others.write { try $0.addPlayer() }
            try await told.value()
            #expect(log.elements.first != version)
            #expect(log.count == 1)
            task.cancel()
            try await task.value
        }
    }

    @Test func rolledBackTransactionsAreNotTold() async throws {
        try await withDatabase(.delete) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            let version = try await writer.dataVersion()
            try await others.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA cache_spill = 1; PRAGMA cache_size = 2")
                try db.inTransaction {
                    for _ in 1...50 { try db.addPlayer(String(repeating: "x", count: 5000)) }
                    return .rollback
                }
            }
            #expect(try await writer.dataVersion() == version)
            try await others.write { try $0.addPlayer() }
            let change = try #require(try await changes.next())
            #expect(try await writer.dataVersion() == change.dataVersion)
        }
    }

    // MARK: When

    @Test(arguments: [Mode.delete, .walQueue, .pool])
    func aCommitBeforeTheIterationIsTold(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            let changes = try await writer.externalChanges()
            try await others.write { try $0.addPlayer() }
            // A later loop doesn't receive the earlier change.
            let later = try await writer.externalChanges()
            var iterator = changes.makeAsyncIterator()
            let first = try #require(try await iterator.next())
            try await others.write { try $0.addPlayer() }
            var laterIterator = later.makeAsyncIterator()
            let second = try #require(try await laterIterator.next())
            #expect(first.dataVersion != second.dataVersion)
            #expect(try await iterator.next() == second)
        }
    }

    @Test(arguments: [Mode.persist, .pool])
    func manyCommitsAreOneChange(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            let changes = try await writer.externalChanges()
            for _ in 1...50 { try await others.write { try $0.addPlayer() } }
            // All of them are reported.
            _ = try await writer.externalChanges()
            var iterator = changes.makeAsyncIterator()
            let change = try #require(try await iterator.next())
            #expect(try await writer.dataVersion() == change.dataVersion)
            try await others.write { try $0.addPlayer() }
            let next = try #require(try await iterator.next())
            #expect(try await writer.dataVersion() == next.dataVersion)
        }
    }

    /// When many commits follow each other, the last one is reported.
    @Test(arguments: Mode.allCases)
    func theLastOfManyCommitsIsSeen(mode: Mode) async throws {
        try await withDatabase(mode) { writer, _ in
            let process = try ExternalWriter(writer.path)
            try await process.execute(mode.pragma)
            let changes = try await writer.externalChanges()
            let task = Task {
                for try await _ in changes where try await writer.read({ try $0.playerCount() }) == 300 { return true }
                return false
            }
            for _ in 1...300 { try await process.execute(Self.insert) }
            #expect(try await task.value)
        }
    }

    @Test func aChangeDuringALongAccessIsToldAfterwards() async throws {
        try await withDatabase(.pool) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            let (began, goOn) = (Signal("access"), Signal("go on"))
            writer.asyncWriteWithoutTransaction { _ in
                began.fire()
                try? goOn.wait()
            }
            try await began.value()
            try await others.write { try $0.addPlayer() }
            goOn.fire()
            _ = try #require(try await changes.next())
        }
    }

    /// During its own open transaction, a connection doesn't see other commits. They are reported afterwards.
    @Test func aChangeDuringATransactionLeftOpenIsToldAfterwards() async throws {
        try await withDatabase(.walQueue, { $0.allowsUnsafeTransactions = true }) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            try await writer.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                _ = try db.playerCount()
            }
            try await others.write { try $0.addPlayer() }
            #expect(try await writer.unsafeRead { try $0.playerCount() } == 0)
            try await writer.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            _ = try #require(try await changes.next())
            #expect(try await writer.read { try $0.playerCount() } == 1)
        }
    }

    // MARK: Suspension

    /// If a suspended connection must not read, missed commits are reported after it is resumed.
    @Test(arguments: Mode.allCases)
    func aSuspendedConnectionLooksLater(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            let log = Log<Int>()
            let told = Signal("change")
            let changes = try await writer.externalChanges()
            let task = Task {
                for try await change in changes {
                    log.append(change.dataVersion)
                    told.fire()
                }
            }
            writer.suspend()
            for _ in 1...3 { try await others.write { try $0.addPlayer() } }
            if Mode.wal.contains(mode) {
                try await told.value()
            } else {
                // The checks that the writes cause are enqueued before this access.
                _ = try await onThread { Signal.giveOthersAChance() }
                try await writer.writeWithoutTransaction { _ in }
                #expect(log.count == 0)
                // A loop that begins now receives the same change.
                _ = try await writer.externalChanges()
            }
            writer.resume()
            try await told.value()
            #expect(try await writer.read { try $0.playerCount() } == 3)
            // The loop hasn't ended.
            let count = log.count
            try await others.write { try $0.addPlayer() }
            try await waitUntil("next change") { log.count > count }
            task.cancel()
            try await task.value
        }
    }

    @Test(arguments: [Mode.delete, .pool])
    func aLoopThatBeginsWhileSuspended(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            try await others.write { try $0.addPlayer() }
            writer.suspend()
            var changes = try await writer.externalChanges().makeAsyncIterator()
            try await others.write { try $0.addPlayer() }
            writer.resume()
            _ = try #require(try await changes.next())
            #expect(try await writer.read { try $0.playerCount() } == 2)
        }
    }

    // MARK: During a commit

    /// A process is stopped after each of its writes, and all checks that the write causes run each time. The system
    /// sends no event for the last step that makes the writes a commit, but the commit is reported.
    @Test(arguments: Mode.allCases)
    func aProcessStopsInTheMiddleOfACommit(mode: Mode) async throws {
        try await withDatabase(mode) { writer, _ in
            let process = try ExternalWriter(writer.path)
            try await process.execute(mode.pragma)
            let reader = try DatabaseQueue(
                path: writer.path, configuration: .tested { $0.busyMode = .immediateError })
            let log = Log<ExternalChange>()
            let told = Signal("change")
            let changes = try await writer.externalChanges()
            let task = Task {
                for try await change in changes {
                    log.append(change)
                    told.fire()
                }
            }
            let version = try await reader.dataVersion()
            try await process.executeStopping(Self.insert)
            var stops = 1
            while try await reader.mayStillCommit(version) {
                // The checks after the write are done, except for those repeated at intervals.
                _ = try await onThread { Signal.giveOthersAChance() }
                if try await !reader.mayStillCommit(version) { break }
                #expect(log.count == 0, "told before the commit")
                try await process.goOn()
                stops += 1
            }
            #expect(stops > 1)
            try await told.value()
            try await process.end()
            #expect(try await writer.read { try $0.playerCount() } == 1)
            task.cancel()
            try await task.value
        }
    }

    @Test(arguments: [Mode.delete, .walQueue, .pool])
    func aProcessIsKilledInTheMiddleOfACommit(mode: Mode) async throws {
        try await withDatabase(mode) { writer, others in
            var process = try ExternalWriter(writer.path)
            try await process.execute(mode.pragma)
            var changes = try await writer.externalChanges().makeAsyncIterator()
            try await process.executeStopping(Self.insert)
            try await process.goOn()
            try await process.kill()
            #expect(try await writer.read { try $0.playerCount() } == 0)
            process = try ExternalWriter(writer.path)
            try await process.execute(Self.insert)
            _ = try #require(try await changes.next())
            #expect(try await writer.read { try $0.playerCount() } == 1)
        }
    }

    // MARK: Files that are created and removed

    @Test func aWALFileThatIsCreatedIsWatched() async throws {
        try await withDatabase(.walQueue) { writer, others in
            try others.close()
            let watch = try await writer.externalChanges()
            for mode in ["DELETE", "WAL", "TRUNCATE", "WAL"] {
                try await writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
                // SQLite's data version may change with the mode.
                var changes = try await writer.externalChanges().makeAsyncIterator()
                let process = try ExternalWriter(writer.path)
                for _ in 1...3 {
                    let version = try await writer.dataVersion()
                    try await process.execute(Self.insert)
                    // The commit before may cause two changes: a file was created, and a transaction was written.
                    var change = try #require(try await changes.next())
                    if change.dataVersion == version { change = try #require(try await changes.next()) }
                    #expect(change.dataVersion != version)
                }
                // While another connection is open, the mode doesn't change.
                try await process.kill()
            }
            withExtendedLifetime(watch) {}
        }
    }

    @Test func othersSwitchToWAL() async throws {
        try await withDatabase(.delete) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            try await others.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
            _ = try #require(try await changes.next())
            for count in 1...5 {
                try await others.write { try $0.addPlayer() }
                while try await writer.read({ try $0.playerCount() }) != count {
                    _ = try #require(try await changes.next())
                }
            }
        }
    }

    @Test func checkpointsOfOthers() async throws {
        try await withDatabase(.pool) { writer, others in
            var changes = try await writer.externalChanges().makeAsyncIterator()
            for count in 1...5 {
                try await others.writeWithoutTransaction { db in
                    try db.checkpoint(.truncate)
                    try db.addPlayer()
                }
                while try await writer.read({ try $0.playerCount() }) != count {
                    _ = try #require(try await changes.next())
                }
            }
        }
    }

    /// The loop ends with an error if other processes would open a different file at the path.
    @Test(arguments: ["moved", "replaced", "removed", "folder removed"])
    func theFileIsGone(how: String) async throws {
        let folder = Folder()
        let (path, other) = (folder.path("db.sqlite"), folder.path("other"))
        let writer = try DatabasePool(path: path, configuration: .tested)
        var changes = try await writer.externalChanges().makeAsyncIterator()
        switch how {
        case "moved": #expect(rename(path, other) == 0)
        case "replaced":
            #expect(FileManager.default.createFile(atPath: other, contents: nil))
            #expect(rename(other, path) == 0)
        case "removed": #expect(unlink(path) == 0)
        default: try FileManager.default.removeItem(at: folder.url)
        }
        let error = await #expect(throws: DatabaseError.self) { while try await changes.next() != nil {} }
        #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
        #expect(error?.message == "cannot watch \(path): the file was moved, replaced or removed")
        #expect(try await changes.next() == nil)
        try? writer.close()
    }

    // MARK: Ends

    @Test func cancellationEndsTheLoop() async throws {
        try await withDatabase(.pool) { writer, _ in
            let changes = try await writer.externalChanges()
            let task = Task { for try await _ in changes {} }
            task.cancel()
            try await task.value
            // The other loops continue.
            let process = try ExternalWriter(writer.path)
            try await process.execute(Self.insert)
            var iterator = changes.makeAsyncIterator()
            _ = try #require(try await iterator.next())
        }
    }

    @Test(arguments: [Mode.delete, .pool])
    func closingEndsTheLoop(mode: Mode) async throws {
        let folder = Folder()
        let writer = try mode.open(folder.path("db.sqlite"))
        let changes = try await writer.externalChanges()
        let tasks = (1...3).map { _ in Task { for try await _ in changes {} } }
        try writer.close()
        for task in tasks { try await task.value }
        let error = await #expect(throws: DatabaseError.self) { _ = try await writer.externalChanges() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test(arguments: [Mode.delete, .pool])
    func releasingEndsTheLoop(mode: Mode) async throws {
        let folder = Folder()
        var writer: (any DatabaseWriter)? = try mode.open(folder.path("db.sqlite"))
        let changes = try await writer!.externalChanges()
        let task = Task { for try await _ in changes {} }
        writer = nil
        try await task.value
    }

    // MARK: Several loops

    @Test func loopsShareOneWatch() async throws {
        try await withDatabase(.pool) { writer, others in
            let iterators = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...8 {
                    let changes = try await writer.externalChanges()
                    group.addTask {
                        var count = 0
                        for try await _ in changes where try await writer.read({ try $0.playerCount() }) == 10 {
                            count += 1
                            break
                        }
                        return count
                    }
                }
                for _ in 1...10 { try await others.write { try $0.addPlayer() } }
                return try await group.reduce(0, +)
            }
            #expect(iterators == 8)
        }
    }

    #if canImport(Glibc)
    /// Runs in a separate process, because other tests open files, too.
    @Test func descriptorsAreClosed() async throws {
        await #expect(processExitsWith: .success) {
            let pool = try DatabasePool(path: temporaryPath())
            try await pool.write { try $0.createPlayers() }
            _ = try await pool.read { try $0.playerCount() }
            let before = openFiles()
            for _ in 1...20 {
                var all: [ExternalChanges] = []
                for _ in 1...10 { try await all.append(pool.externalChanges()) }
                precondition(openFiles().filter { $0.contains("inotify") }.count == 1, "\(openFiles())")
                all = []
                // The system closes the descriptor on another thread.
                let end = ContinuousClock.now + .seconds(20)
                while openFiles() != before && .now < end { try await Task.sleep(for: .milliseconds(1)) }
            }
            precondition(openFiles() == before, "\(openFiles()), not \(before)")
        }
    }

    /// Disabled with sanitizers, which open files when threads begin.
    @Test(.disabled(if: isSanitized)) func limitsAreReported() async throws {
        await #expect(processExitsWith: .success) {
            let pool = try DatabasePool(path: temporaryPath())
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let result: Result<Void, any Error>
            do {
                _ = try await pool.externalChanges()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            limit.rlim_cur = usual
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard case .failure(let error as DatabaseError) = result else { preconditionFailure("no error") }
            precondition(error.resultCode == .SQLITE_CANTOPEN && error.message!.contains("EMFILE"), "\(error)")
            // When descriptors are available again, it works.
            _ = try await pool.externalChanges()
        }
    }
    #endif

    // MARK: Misuse

    @Test(arguments: [Store.memoryQueue, .namedQueue])
    func databasesInMemoryHaveNone(store: Store) async throws {
        try await store.withWriter { writer in
            let error = await #expect(throws: DatabaseError.self) { _ = try await writer.externalChanges() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(
                error?.message == "External changes need a database file: no other process can write this database.")
        }
    }

    @Test func temporaryDatabasesHaveNone() async throws {
        let queue = try DatabaseQueue(path: "")
        let error = await #expect(throws: DatabaseError.self) { _ = try await queue.externalChanges() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test func readOnlyAndErasedWriters() async throws {
        try await withDatabase(.pool) { writer, others in
            var configuration = Configuration()
            configuration.readonly = true
            let pool = try DatabasePool(path: writer.path, configuration: configuration)
            var changes = try await AnyDatabaseWriter(pool).externalChanges().makeAsyncIterator()
            try await others.write { try $0.addPlayer() }
            _ = try #require(try await changes.next())
            #expect(try await pool.read { try $0.playerCount() } == 1)
        }
    }
}

extension DatabaseWriter {
    /// The data version that the writing connection knows.
    fileprivate func dataVersion() async throws -> Int {
        try await writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version")! }
    }

    /// Whether the version is unchanged, or a commit holds a lock against readers, for which this connection doesn't
    /// wait.
    fileprivate func mayStillCommit(_ version: Int) async throws -> Bool {
        do {
            return try await dataVersion() == version
        } catch DatabaseError.SQLITE_BUSY {
            return true
        }
    }
}

#if canImport(Glibc)
/// The files that the process has open, except for those of Dispatch.
private func openFiles() -> [String] {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        .filter { !$0.hasPrefix("/proc/") && (!$0.hasPrefix("anon_inode:") || $0.contains("inotify")) }.sorted()
}
#endif
