import Amalgam
import ChildProcesses
import Foundation

/// A process that runs transactions on the database of a world.
///
/// The process is `amalgam-simulate serve PATH OPTIONS`. It reads a transaction from each line, and answers by a line.
final class SecondProcess {
    private let process: ChildProcess

    init(_ world: World) throws {
        let options = String(decoding: try JSONEncoder().encode(world.options), as: UTF8.self)
        process = try ChildProcess("amalgam-simulate", ["serve", world.path, options])
    }

    func run(_ transaction: Transaction) throws -> TransactionReport {
        try send(transaction)
        guard let line = process.readLine() else { throw SimulationError("the other process has ended") }
        return try JSONDecoder().decode(TransactionReport.self, from: Data(line.utf8))
    }

    /// Sends transactions, and kills the process after some answers.
    ///
    /// - Returns: the answers that the process has given until its end.
    func runUntilKilled(_ transactions: [Transaction], after count: Int) throws -> [TransactionReport] {
        for transaction in transactions { try send(transaction) }
        var lines: [String] = []
        while lines.count < count, let line = process.readLine() { lines.append(line) }
        process.kill()
        process.wait()
        lines += process.remainingLines()
        return try lines.map { try JSONDecoder().decode(TransactionReport.self, from: Data($0.utf8)) }
    }

    private func send(_ transaction: Transaction) throws {
        try process.say(String(decoding: try JSONEncoder().encode(transaction), as: UTF8.self))
    }

    /// Ends the process, and waits until it has closed its connection.
    func end() throws {
        try process.say("end")
        let end = process.wait()
        if end != .exit(0) { throw SimulationError("the other process has ended with \(end)") }
    }
}

/// Runs the transactions that come on the standard input: the work of a second process.
package func serve(_ path: String, _ options: String) throws {
    let options = try JSONDecoder().decode(World.Options.self, from: Data(options.utf8))
    let writer = try World.open(path, isPool: options.isSecondPool, options)
    while let line = readLine(), line != "end" {
        let transaction = try JSONDecoder().decode(Transaction.self, from: Data(line.utf8))
        let report = transaction.run(in: writer, isTimed: true)
        FileHandle.standardOutput.write(try JSONEncoder().encode(report) + Data("\n".utf8))
    }
    try writer.close()
}
