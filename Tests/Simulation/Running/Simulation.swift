import Amalgam
import CFaults
import Foundation

/// The run of one program: the world, the model, and the oracles that compare both after each step.
///
/// One thread runs the steps. It has a `faults` object, which counts the memory that SQLite allocates on it, and makes
/// operations fail in steps that ask for it.
final class Simulation {
    let world: World
    var model = Model()
    var undo = UndoModel()
    var observations: [ObservationRecord] = []
    var coverage = Coverage()

    /// A snapshot, and the content at its time.
    var snapshot: (reader: any DatabaseReader, model: Model)?
    /// A copy of the database, and the content at its time.
    var copy: (queue: DatabaseQueue, model: Model)?
    /// The tables that migrations have created.
    var migrations = 0
    /// Whether the database has the file that `attach` writes, and the values in it.
    var attached: [Int64] = []
    /// The tables whose rows have new rowids since a VACUUM, so that the audit log has other ones.
    var renumbered: Set<String> = []
    var process: SecondProcess?

    /// Whether the step under way does nothing, because the world lacks what it needs. The coverage doesn't count it.
    private var isSkipped = false

    /// The time in seconds after which an awaited value counts as lost.
    let patience: Double

    private let faults: OpaquePointer

    private init(_ options: World.Options, patience: Double, faults: OpaquePointer) throws {
        self.faults = faults
        self.patience = patience
        world = try World(options)
    }

    /// Runs a program.
    ///
    /// - Parameter patience: the time in seconds after which an awaited value counts as lost.
    /// - Throws: the contradiction that an oracle has found.
    static func run(_ program: Program, patience: Double, coverage: inout Coverage) throws {
        if faults_install_files() != 0 { throw SimulationError("faults: the VFS can't be registered") }
        let faults: OpaquePointer = faults_create()
        let previous = faults_exchange(faults)
        defer {
            faults_exchange(previous)
            faults_free(faults)
        }
        do {
            // Released before the memory is counted.
            let simulation = try Simulation(program.options, patience: patience, faults: faults)
            defer { simulation.world.removeFiles() }
            do {
                try simulation.run(program.steps)
                try simulation.finish()
            } catch {
                simulation.abandon()
                throw error
            }
            coverage.add(simulation.coverage)
        }
        let lost = faults_live_allocations(faults)
        coverage.compare(.memory, isMeaningful: true)
        if let count = Resources.threadCount, count > Resources.threadLimit {
            throw SimulationError("resources: there are \(count) threads")
        }
        if lost != 0 { throw SimulationError("memory: \(lost) allocations remain after the close") }
    }

    private func run(_ steps: [Step]) throws {
        countOptions()
        _ = try world.connection(0)
        for (index, step) in steps.enumerated() {
            do {
                isSkipped = false
                try run(step)
                if !isSkipped { coverage.count("steps", step.name) }
                for kind in Set(step.transactions.flatMap(\.statements).map(\.spec.kind)) {
                    coverage.count("steps and tables", "\(step.name), \(kind)")
                }
                try check(isDue: index.isMultiple(of: 5), isRisky: step.mayDamageFiles)
            } catch {
                throw SimulationError("step \(index) (\(step.name)): \(error)")
            }
        }
    }

    /// Notes that the step under way does nothing.
    func skip() { isSkipped = true }

    private func countOptions() {
        let options = world.options
        coverage.count("connections", options.isPool ? "pool" : "queue")
        coverage.count("connections", options.isSecondPool ? "second pool" : "second queue")
        coverage.count("connections", options.audited == nil ? "no audit" : "audit")
    }

    // MARK: Oracles

    /// Compares an answer with the expected one.
    func expect(
        _ oracle: Coverage.Oracle, _ isRight: Bool, isMeaningful: Bool = true, _ complaint: @autoclosure () -> String
    ) throws {
        coverage.compare(oracle, isMeaningful: isMeaningful)
        if !isRight { throw SimulationError("\(oracle.rawValue): \(complaint())") }
    }

    /// Notes a commit that a connection has made, for the observations.
    func didCommit(_ model: Model, connection: Int, isReported: Bool = true) {
        for observation in observations { observation.note(model, connection: connection, isReported: isReported) }
    }

    /// Compares the state of the world with the model.
    private func check(isDue: Bool, isRisky: Bool) throws {
        for connection in world.connections {
            guard let connection else { continue }
            try connection.read { db in try checkContent(db) }
        }
        try world.connection(0).read { db in
            if isDue || isRisky { try checkIntegrity(db) }
            if isDue { try checkAudit(db) }
        }
        if isDue || isRisky {
            for table in ["book", "page", "bare"] {
                try rank(world.connection(0), table, .either(.word("a"), .prefix("b")), 3)
            }
        }
        for observation in observations {
            if let complaint = observation.settle() {
                throw SimulationError("observations: \(observation.plan): \(complaint)")
            }
        }
        // Those that a planned fault has ended make room for others.
        let ended = observations.filter(\.hasEnded)
        for observation in ended { try finish(observation) }
        observations.removeAll { observation in ended.contains { $0 === observation } }
    }

    /// Compares all rows with the model.
    func checkContent(_ db: Database) throws {
        let differences = try Model(db).differences(from: model)
        try expect(
            .rows, differences.isEmpty, isMeaningful: model.tables.values.contains { !$0.rows.isEmpty },
            differences.joined(separator: "\n"))
    }

    private func checkIntegrity(_ db: Database) throws {
        let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        try expect(.integrity, problems == ["ok"], "\(problems)")
        let violations = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
        try expect(.foreignKeys, violations.isEmpty, isMeaningful: !model.rows("child").isEmpty, "\(violations)")
        for (table, words) in [("book", "book"), ("page", "page"), ("bare", "bare"), ("words", "noted")] {
            for word in ["a", "b*", "ab OR c"] {
                let query: SearchQuery =
                    word == "a" ? .word("a") : word == "b*" ? .prefix("b") : .either(.word("ab"), .word("c"))
                let expected = Query.search(table, query).result(in: model)
                let found = try Query.search(table, query).fetch(db)
                try expect(
                    .fullText, found == expected, isMeaningful: !expected.isEmpty && !model.rows(words).isEmpty,
                    "\(table) MATCH \(query.text) finds \(found), and not \(expected)")
            }
        }
    }

    private func checkAudit(_ db: Database) throws {
        guard let audited = world.options.audited?.filter({ !renumbered.contains($0) }) else { return }
        let complaint = try AuditReplay.complaint(db, audited, model)
        try expect(
            .audit, complaint == nil, isMeaningful: audited.contains { !model.rows($0).isEmpty }, complaint ?? "")
    }

    // MARK: The end

    private func finish() throws {
        try check(isDue: true, isRisky: true)
        for observation in observations { try finish(observation) }
        observations = []
        snapshot = nil
        try copy?.queue.close()
        copy = nil
        try process?.end()
        process = nil
        // While the first connection is open, so are its files: the oracle must see them.
        let open = Resources(of: world.folder)
        for index in world.connections.indices { try world.close(index) }
        let resources = Resources(of: world.folder)
        try expect(.resources, resources.isEmpty, isMeaningful: !open.descriptors.isEmpty, "\(resources)")
        try checkClosedFile()
    }

    func finish(_ observation: ObservationRecord) throws {
        let complaint = observation.finish()
        try expect(
            .observations, complaint == nil, isMeaningful: observation.isMeaningful,
            "\(observation.plan): \(complaint ?? "")")
    }

    /// Opens the file again, and reads all of it.
    private func checkClosedFile() throws {
        let queue = try DatabaseQueue(path: world.path)
        try queue.read { db in
            try checkContent(db)
            try checkIntegrity(db)
            try checkAudit(db)
        }
        try queue.close()
    }

    /// Closes everything after a failure.
    private func abandon() {
        for observation in observations { observation.cancel() }
        observations = []
        snapshot = nil
        copy = nil
        process = nil
        for index in world.connections.indices { try? world.close(index) }
    }

    // MARK: Faults

    /// Runs a closure in which operations fail on this thread.
    ///
    /// - Returns: whether one has failed.
    func failing(_ fault: Step.Fault, _ n: Int, _ body: () -> Void) -> Bool {
        let plan = fault.plan
        faults_plan(
            faults, plan.operations, UInt32(FAULTS_ANY_FILE), Int64(n), plan.persists ? 1 : 0, plan.code,
            plan.tears ? 1 : 0)
        body()
        let hasFailed = faults_failures(faults) > 0
        faults_plan(faults, 0, 0, 0, 0, 0, 0)
        return hasFailed
    }
}

extension Step.Fault {
    fileprivate var plan: (operations: UInt32, code: CInt, persists: Bool, tears: Bool) {
        let (allocation, write) = (UInt32(FAULTS_ALLOCATION), UInt32(FAULTS_WRITE))
        switch self {
        case .allocation: return (allocation, 0, false, false)
        case .allocations: return (allocation, 0, true, false)
        case .file: return (.max & ~allocation, 0, false, false)
        case .files: return (.max & ~allocation, 0, true, false)
        case .fullDisk: return (write, ResultCode.SQLITE_FULL.rawValue, true, false)
        case .tornWrite: return (write, 0, false, true)
        case .busy: return (UInt32(FAULTS_LOCK | FAULTS_SHM_LOCK), ResultCode.SQLITE_BUSY.rawValue, false, false)
        }
    }
}
