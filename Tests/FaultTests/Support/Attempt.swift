import Amalgam
import AmalgamCore
import CAmalgam
import CFaults
import Foundation

/// One run of a scenario, in which at most the n-th operation fails, and its effects.
///
/// A scenario calls `connect`, `step` and `note`. Faults occur inside steps only. A step is completely done when it
/// returns, and completely undone when it throws: the contents of the database are checked against that.
final class Attempt {
    let place: Place
    let path: String
    private let fault: Fault
    private let n: Int
    private let setUp: (Database) throws -> Void

    /// Counts the allocations of this attempt, on its thread.
    let faults: OpaquePointer

    private(set) var writer: (any DatabaseWriter)?
    /// Other connections that a scenario has opened, which are closed before the writer.
    private var others: [any DatabaseReader] = []

    /// The results that the scenario has noted, equal in each successful attempt.
    private(set) var notes: [String] = []

    /// The number of completed steps.
    private(set) var finishedSteps = 0
    private(set) var hasFailedStep = false

    /// The number of operations that could fail, and the number of those that did.
    private(set) var calls = 0
    private(set) var failures = 0

    /// Called after each completed step, while nothing fails.
    var didFinishStep: () throws -> Void = {}

    init(_ weather: Weather, n: Int, path: String, setUp: @escaping (Database) throws -> Void) {
        place = weather.place
        fault = weather.fault
        self.n = n
        self.path = path
        self.setUp = setUp
        faults = faults_create()
    }

    deinit { faults_free(faults) }

    // MARK: Methods for scenarios

    /// Opens the database. Outside of steps, nothing fails during this.
    @discardableResult
    func connect(_ configuration: Configuration = .inFaults) throws -> any DatabaseWriter {
        var configuration = configuration
        if place == .wal { configuration.journalMode = .wal }
        let writer: any DatabaseWriter =
            switch place {
            case .memory: try DatabaseQueue(configuration: configuration)
            case .journal, .wal: try DatabaseQueue(path: path, configuration: configuration)
            case .pool: try DatabasePool(path: path, configuration: configuration)
            }
        self.writer = writer
        if place == .memory { try calmly { try writer.writeWithoutTransaction(setUp) } }
        return writer
    }

    /// Retains another connection until the end.
    func keep<Reader: DatabaseReader>(_ reader: Reader) -> Reader {
        others.append(reader)
        return reader
    }

    /// Runs a closure in which operations fail. It is done when it returns, and must have no effect when it throws.
    @discardableResult
    func step<T>(_ body: () throws -> T) throws -> T {
        arm()
        do {
            let result = try body()
            disarm()
            finishedSteps += 1
            try didFinishStep()
            return result
        } catch {
            disarm()
            hasFailedStep = true
            throw error
        }
    }

    /// Runs a step on the writing connection, outside of a transaction unless it opens one.
    @discardableResult
    func step<T>(_ body: (Database) throws -> T) throws -> T {
        guard let writer else { fatalError("a scenario connects before it writes") }
        return try step { try writer.writeWithoutTransaction(body) }
    }

    /// Runs a step that reads.
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        guard let writer else { fatalError("a scenario connects before it reads") }
        return try step { try writer.read(body) }
    }

    /// Notes a result, to be compared with that of the run in which nothing failed.
    func note(_ value: some Any) { notes.append("\(value)") }

    /// Runs a part of a step in which nothing fails.
    func calmly<T>(_ body: () throws -> T) rethrows -> T {
        let wasArmed = isArmed
        disarm()
        defer { if wasArmed { arm() } }
        return try body()
    }

    // MARK: Faults

    private var isArmed = false

    private func arm() {
        isArmed = true
        let next = n == 0 ? 0 : fault.persists ? max(1, n - calls) : max(0, n - calls)
        faults_plan(
            faults, fault.operations, UInt32(FAULTS_ANY_FILE), Int64(next), fault.persists ? 1 : 0,
            fault.code, fault.tears ? 1 : 0)
    }

    private func disarm() {
        if !isArmed { return }
        isArmed = false
        calls += Int(faults_calls(faults))
        failures += Int(faults_failures(faults))
        faults_plan(faults, 0, 0, 0, 0, 0, 0)
    }

    // MARK: The end

    /// The contents that the writing connection sees; nil if there is none.
    func contents() throws -> String? {
        try writer?.unsafeReentrantWrite { try $0.contents() }
    }

    /// Closes all connections. Memory that is still allocated afterwards is leaked.
    func close() throws {
        defer { (writer, others) = (nil, []) }
        for other in others { try other.close() }
        try writer?.close()
    }

    var liveAllocations: Int { Int(faults_live_allocations(faults)) }
}

extension Configuration {
    /// A configuration that tries a lock three times.
    static var inFaults: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .callback { $0 < 2 }
        return configuration
    }
}

extension Database {
    /// Returns the schema, and all rows of all tables.
    func contents() throws -> String {
        let schema = try Row.fetchAll(self, sql: "SELECT name, type, sql FROM sqlite_schema ORDER BY name")
        var lines: [String] = []
        for entry in schema {
            let name: String = entry["name"]
            lines.append("\(entry["type"] as String) \(name): \(entry["sql"] as String? ?? "")")
            guard entry["type"] as String == "table" else { continue }
            for row in try Row.fetchAll(self, sql: "SELECT * FROM \(name.quotedDatabaseIdentifier)") {
                lines.append("  " + row.databaseValues.map { "\($0)" }.joined(separator: ", "))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The SQL of the statements that are running.
    var busyStatements: [String] {
        var names: [String] = []
        var statement = sqlite3_next_stmt(sqliteConnection, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { names.append(String(cString: sqlite3_sql(current))) }
            statement = sqlite3_next_stmt(sqliteConnection, current)
        }
        return names
    }
}
