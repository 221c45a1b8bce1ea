import Amalgam
import Foundation

/// The settings of a run.
struct Plan {
    var path = ""
    var seconds = 60.0
    var processCount = 3
    var journalMode = "wal"

    /// The number of this process among the workers; nil for the process that starts them.
    var worker: Int?

    /// - Throws: `Refusal` for invalid arguments.
    init(arguments: [String]) throws {
        var arguments = arguments[...]
        while let name = arguments.popFirst() {
            guard let value = arguments.popFirst() else { throw Refusal("\(name) wants a value") }
            switch name {
            case "--path": path = value
            case "--seconds": seconds = try Self.number(name, value, atLeast: 0.1)
            case "--processes": processCount = Int(try Self.number(name, value, atLeast: 1))
            case "--journal" where ["wal", "delete", "truncate", "persist"].contains(value): journalMode = value
            case "--worker": worker = Int(try Self.number(name, value, atLeast: 0))
            default: throw Refusal("\(name) \(value) is unknown")
            }
        }
        if path.isEmpty { throw Refusal("--path is missing") }
    }

    struct Refusal: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private static func number(_ name: String, _ value: String, atLeast minimum: Double) throws -> Double {
        guard let number = Double(value), number >= minimum else { throw Refusal("\(name) wants a number") }
        return number
    }

    /// Returns the arguments of a worker.
    func arguments(worker: Int) -> [String] {
        [
            "--path", path, "--seconds", "\(seconds)", "--processes", "\(processCount)", "--journal", journalMode,
            "--worker", "\(worker)",
        ]
    }

    /// Opens the database of a worker. Workers wait for locks in different ways, and open different types: two pools
    /// and a queue in WAL mode.
    func open(worker: Int) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.busyMode = worker % 3 == 1 ? .immediateError : .timeout(20)
        if journalMode == "wal" {
            configuration.journalMode = .wal
            if worker % 3 == 2 { return try DatabaseQueue(path: path, configuration: configuration) }
            return try openPool(configuration)
        }
        let mode = journalMode
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = \(mode)") }
        configuration.busyMode = .timeout(20)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Opens a pool. If another process writes, a pool that doesn't wait for locks may find the file locked, and tries
    /// again.
    private func openPool(_ configuration: Configuration) throws -> DatabasePool {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try DatabasePool(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }
}
