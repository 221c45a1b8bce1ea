import Amalgam
import Foundation
import TestSupport
import Testing

/// Collects the reports of a WAL policy.
final class Reports: Sendable {
    private let condition = NSCondition()
    private let reports = Log<WALReport>()

    /// Returns a policy that sends its reports to this object.
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

    /// Waits for a report that meets a condition.
    @discardableResult
    func wait(for what: String, _ isExpected: (WALReport) -> Bool = { _ in true }) throws -> WALReport {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: patience)
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
    /// Writes at least a number of bytes to the WAL file, in one transaction.
    func fillWAL(_ size: Int) throws {
        try write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES (zeroblob(?))", arguments: [size])
        }
    }
}

/// Polls a condition until it is true.
func eventually(_ what: String, _ isTrue: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(patience)
    while try !isTrue() {
        if ContinuousClock.now > end { throw Timeout(what: what) }
        Thread.sleep(forTimeInterval: 0.001)
    }
}
