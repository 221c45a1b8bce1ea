import Amalgam
import Foundation
import TestSupport
import Testing

/// The reports of a WAL policy, as they come.
final class Reports: Sendable {
    private let condition = NSCondition()
    private let reports = Log<WALReport>()

    /// A policy that reports here.
    func policy(
        size: Int = 100_000, age: Duration? = nil, backpressure: WALPolicy.Backpressure? = nil
    ) -> WALPolicy {
        WALPolicy(maximumSize: size, maximumAge: age, backpressure: backpressure) { [self] in append($0) }
    }

    private func append(_ report: WALReport) {
        condition.lock()
        reports.append(report)
        condition.broadcast()
        condition.unlock()
    }

    var all: [WALReport] { reports.elements }

    /// Waits for a report that is as it should be.
    @discardableResult
    func wait(for what: String, _ isExpected: (WALReport) -> Bool = { _ in true }) throws -> WALReport {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: 20)
        while true {
            if let report = reports.elements.first(where: isExpected) { return report }
            if !condition.wait(until: end) { throw Timeout(what: what) }
        }
    }
}

extension Configuration {
    static func tested(_ policy: WALPolicy) -> Configuration {
        tested { configuration in
            configuration.label = "pool"
            configuration.walPolicy = policy
        }
    }
}

extension DatabaseWriter {
    /// Writes a number of bytes to the WAL file, or some more, in one transaction.
    func fillWAL(_ size: Int) throws {
        try write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(?))", arguments: [size])
        }
    }
}

/// Waits until a condition is true that nobody signals.
func eventually(_ what: String, _ isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(20)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        Thread.sleep(forTimeInterval: 0.001)
    }
}
