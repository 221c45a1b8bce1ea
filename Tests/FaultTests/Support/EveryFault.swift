import Amalgam
import AmalgamCore
import CFaults
import Dispatch
import Foundation
import Testing

/// Runs a scenario repeatedly: its first operation fails, then its second one, and so on, until no operation fails.
///
/// ```swift
/// @Test(arguments: Weather.all)
/// func insertions(weather: Weather) throws {
///     try everyFault(of: weather, setUp: { db in try db.createTeams() }) { attempt in
///         try attempt.connect()
///         try attempt.step { db in try db.execute(sql: "INSERT INTO team (name) VALUES ('Greens')") }
///     }
/// }
/// ```
///
/// After each failure:
/// - an error was thrown that names the failure, or the result is correct nevertheless;
/// - the connection is in no transaction, no statement is running, and it reads and writes;
/// - the database contains all steps that returned, and nothing of the one that threw;
/// - closing succeeds, and releases all of SQLite's memory;
/// - the file passes `PRAGMA integrity_check`, and has the same content.
///
/// In the environment, `AMALGAM_FAULT_REPORT` prints how many points each scenario visited, `AMALGAM_FAULT_VERBOSE`
/// prints each point before it is visited (the last one before a crash is the cause), and `AMALGAM_FAULT_STRIDE` sets
/// the stride, 1 for all points.
///
/// - Parameters:
///   - stride: The distance between the points that are visited, for long scenarios.
///   - errors: Errors that are acceptable in addition to those that name the failure.
///   - preparing: Prepares the connections of the setup and of the checks, for files that need a key, and tables that need
///     functions or tokenizers of the scenario.
func everyFault(
    of weather: Weather, stride: Int = 1, allowing errors: Set<ResultCode> = [],
    preparing: @escaping @Sendable (Database) throws -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation,
    setUp: @escaping (Database) throws -> Void = { _ in }, _ scenario: (Attempt) throws -> Void
) throws {
    let search = try FaultSearch(weather, errors, preparing, setUp, sourceLocation)
    defer { search.end() }
    try search.run(stride: stride * weather.fault.stride, scenario)
}

private final class FaultSearch {
    private let weather: Weather
    private let errors: Set<ResultCode>
    private let preparing: @Sendable (Database) throws -> Void
    private let setUp: (Database) throws -> Void
    private let sourceLocation: SourceLocation
    private let folder: URL
    private let start = ContinuousClock.now
    private let watchdog = DispatchSemaphore(value: 0)

    /// The contents before the first step, and after each of them; and the notes of the scenario.
    private var states: [String] = []
    private var notes: [String] = []

    private var points = 0
    private var thrown = 0
    private var complaints = 0

    init(
        _ weather: Weather, _ errors: Set<ResultCode>, _ preparing: @escaping @Sendable (Database) throws -> Void,
        _ setUp: @escaping (Database) throws -> Void,
        _ sourceLocation: SourceLocation
    ) throws {
        #expect(faults_memory_is_installed() == 1, "SQLite was used before the allocator could be installed")
        #expect(faults_install_files() == 0)
        self.weather = weather
        self.errors = weather.fault.errors.union(errors)
        self.preparing = preparing
        self.setUp = setUp
        self.sourceLocation = sourceLocation
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        watch()
        try makeTemplate()
    }

    func end() {
        watchdog.signal()
        try? FileManager.default.removeItem(at: folder)
        guard ProcessInfo.processInfo.environment["AMALGAM_FAULT_REPORT"] != nil else { return }
        let place = "\(sourceLocation.fileName):\(sourceLocation.line)"
        let time = ContinuousClock.now - start
        print("faults: \(place): \(weather.testDescription): \(points) points, \(thrown) errors, \(time)")
    }

    /// The time limit of a scenario, in seconds.
    private static let patience =
        ProcessInfo.processInfo.environment["AMALGAM_WATCHDOG_SECONDS"].flatMap(Double.init) ?? 300

    /// Ends the process if a scenario hangs, because the scenario can't be stopped.
    private func watch() {
        let (watchdog, name) = (watchdog, weather.testDescription)
        Thread.detachNewThread {
            if watchdog.wait(timeout: .now() + Self.patience) == .success { return }
            FileHandle.standardError.write(Data("A fault test hangs: \(name).\n".utf8))
            faults_print_stacks()
            abort()
        }
    }

    // MARK: Files

    private var templatePath: String { folder.appendingPathComponent("template.sqlite").path }
    private var path: String { folder.appendingPathComponent("db.sqlite").path }

    private func makeTemplate() throws {
        guard weather.place.isFile else { return }
        try withoutFaults {
            var configuration = Configuration()
            if weather.place != .journal { configuration.journalMode = .wal }
            configuration.prepareDatabase(preparing)
            let queue = try DatabaseQueue(path: templatePath, configuration: configuration)
            try queue.writeWithoutTransaction(setUp)
            try queue.close()
        }
    }

    private func renewFiles() throws {
        guard weather.place.isFile else { return }
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: folder.path) where !name.hasPrefix("template") {
            try files.removeItem(at: folder.appendingPathComponent(name))
        }
        try files.copyItem(atPath: templatePath, toPath: path)
    }

    /// Runs a closure that works on files without waiting for the disk.
    private func withoutFaults<T>(_ body: () throws -> T) rethrows -> T {
        let calm = faults_create()
        let previous = faults_exchange(calm)
        defer {
            faults_exchange(previous)
            faults_free(calm)
        }
        return try body()
    }

    // MARK: The search

    func run(stride: Int, _ scenario: (Attempt) throws -> Void) throws {
        try rehearse(scenario)
        let stride = Self.plannedStride ?? stride
        var n = 1
        while complaints < 4, try attempt(n, scenario) { n += stride }
    }

    /// Runs the scenario without failures, and records its results.
    private func rehearse(_ scenario: (Attempt) throws -> Void) throws {
        try renewFiles()
        let attempt = Attempt(weather, n: 0, path: path, setUp: setUp)
        let previous = faults_exchange(attempt.faults)
        defer { faults_exchange(previous) }
        attempt.didFinishStep = { [unowned attempt] in self.states.append(try self.contents(attempt)) }
        states = [try initialContents()]
        try scenario(attempt)
        try attempt.close()
        notes = attempt.notes
        expect(attempt.liveAllocations == 0, "\(attempt.liveAllocations) allocations are lost without any fault", 0)
    }

    private func initialContents() throws -> String {
        var configuration = Configuration()
        configuration.prepareDatabase(preparing)
        let queue =
            weather.place.isFile
            ? try DatabaseQueue(path: path, configuration: configuration)
            : try DatabaseQueue(configuration: configuration)
        if !weather.place.isFile { try queue.writeWithoutTransaction(setUp) }
        defer { try? queue.close() }
        return try queue.read { try $0.contents() }
    }

    private func contents(_ attempt: Attempt) throws -> String {
        if let contents = try attempt.contents() { return contents }
        return try initialContents()
    }

    /// Makes the n-th operation fail. Returns false if there are fewer operations.
    private func attempt(_ n: Int, _ scenario: (Attempt) throws -> Void) throws -> Bool {
        try renewFiles()
        let attempt = Attempt(weather, n: n, path: path, setUp: setUp)
        let previous = faults_exchange(attempt.faults)
        defer { faults_exchange(previous) }
        if Self.isVerbose { FileHandle.standardError.write(Data("\(weather.testDescription) \(n)\n".utf8)) }
        var failure: (any Error)?
        do {
            try scenario(attempt)
        } catch {
            failure = error
        }
        if attempt.failures > 0 { points += 1 }
        check(failure, attempt, n)
        checkConnection(attempt, failure, n)
        checkClosing(attempt, n)
        checkFile(attempt, failure, n)
        return attempt.failures > 0
    }

    private static let plannedStride = ProcessInfo.processInfo.environment["AMALGAM_FAULT_STRIDE"].flatMap { Int($0) }

    private static let isVerbose = ProcessInfo.processInfo.environment["AMALGAM_FAULT_VERBOSE"] != nil

    // MARK: Checks

    private func expect(_ condition: Bool, _ complaint: @autoclosure () -> String, _ n: Int) {
        if condition { return }
        complaints += 1
        Issue.record("\(weather.testDescription), \(n): \(complaint())", sourceLocation: sourceLocation)
    }

    private func check(_ failure: (any Error)?, _ attempt: Attempt, _ n: Int) {
        guard let failure else {
            expect(attempt.notes == notes, "no error, and a wrong result: \(attempt.notes), not \(notes)", n)
            return
        }
        thrown += 1
        expect(attempt.failures > 0, "an error although nothing failed: \(failure)", n)
        guard let error = failure as? DatabaseError else {
            return expect(false, "an error of another kind: \(type(of: failure)) \(failure)", n)
        }
        expect(errors.contains(error.resultCode), "an error that says something else: \(error)", n)
    }

    /// The allowed contents after an attempt: those after the last completed step. If a commit fails on a file, SQLite
    /// can't always know whether it is on disk.
    private func legalStates(_ attempt: Attempt, _ failure: (any Error)?) -> ArraySlice<String> {
        let done = min(attempt.finishedSteps, states.count - 1)
        let isUncertain = attempt.hasFailedStep && !weather.fault.isMemory
        return states[done...(isUncertain ? min(done + 1, states.count - 1) : done)]
    }

    private func checkContents(_ contents: String, _ attempt: Attempt, _ failure: (any Error)?, _ who: String, _ n: Int)
    {
        let legal = legalStates(attempt, failure)
        expect(
            legal.contains(contents),
            "\(who) sees, after \(String(describing: failure)):\n\(contents)\nand not:\n\(legal.joined(separator: "\nnor:\n"))",
            n)
    }

    private func checkConnection(_ attempt: Attempt, _ failure: (any Error)?, _ n: Int) {
        guard let writer = attempt.writer else { return }
        do {
            try writer.unsafeReentrantWrite { db in
                expect(!db.isInsideTransaction, "a transaction is open after \(String(describing: failure))", n)
                expect(db.busyStatements.isEmpty, "statements are busy: \(db.busyStatements)", n)
                checkContents(try db.contents(), attempt, failure, "the connection", n)
                if !db.configuration.readonly { try db.checkThatItWrites() }
            }
            let seen = try writer.read { try $0.contents() }
            checkContents(seen, attempt, failure, "a reader", n)
        } catch {
            expect(false, "the connection does not work: \(error), after \(String(describing: failure))", n)
        }
    }

    private func checkClosing(_ attempt: Attempt, _ n: Int) {
        do {
            try attempt.close()
        } catch {
            expect(false, "closing fails: \(error)", n)
        }
        expect(attempt.liveAllocations == 0, "\(attempt.liveAllocations) allocations are lost", n)
    }

    private func checkFile(_ attempt: Attempt, _ failure: (any Error)?, _ n: Int) {
        guard weather.place.isFile else { return }
        do {
            try withoutFaults {
                var configuration = Configuration()
                configuration.prepareDatabase(preparing)
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                defer { try? queue.close() }
                try queue.read { db in
                    let integrity = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                    expect(
                        integrity == ["ok"],
                        "the file is damaged: \(integrity), after \(String(describing: failure))", n)
                    checkContents(try db.contents(), attempt, failure, "who opens the file", n)
                }
            }
        } catch {
            expect(false, "the file cannot be opened any more: \(error)", n)
        }
    }
}

extension Database {
    /// Writes, reads what was written, and undoes it.
    fileprivate func checkThatItWrites() throws {
        try execute(sql: "CREATE TABLE probe (a); INSERT INTO probe VALUES (1)")
        guard try Int.fetchOne(self, sql: "SELECT a FROM probe") == 1 else {
            throw DatabaseError(message: "what was written is not there")
        }
        try execute(sql: "DROP TABLE probe")
    }
}
