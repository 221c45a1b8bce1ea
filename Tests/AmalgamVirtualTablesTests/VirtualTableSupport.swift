import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import Synchronization

/// A table-valued function: `SELECT value FROM series(start, stop [, step])`.
let series = DatabaseTableFunction(
    "series", arguments: ["start", "stop", .optional("step")], columns: ["value"]
) { arguments -> StrideThrough<Int> in
    let (start, stop, step): (Int, Int, Int?) = (try arguments[0], try arguments[1], try arguments[2])
    return stride(from: start, through: stop, by: step ?? 1)
}

/// Counts live objects, and all that were ever created.
final class Census: Sendable {
    private let counts = Mutex((alive: 0, total: 0))

    var alive: Int { counts.withLock { $0.alive } }
    var total: Int { counts.withLock { $0.total } }

    func birth() -> Member { Member(self) }

    /// An object that is counted.
    final class Member {
        private let census: Census

        fileprivate init(_ census: Census) {
            self.census = census
            census.counts.withLock {
                $0.alive += 1
                $0.total += 1
            }
        }

        deinit {
            census.counts.withLock { $0.alive -= 1 }
        }
    }
}

/// Events, in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    func write(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns and removes the lines since the last call.
    func read() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

extension Database {
    func rows(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> [[DatabaseValue]] {
        try Row.fetchAll(self, sql: sql, arguments: arguments).map { Array($0.databaseValues) }
    }

    func integers(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> [Int] {
        try Int.fetchAll(self, sql: sql, arguments: arguments)
    }

    func plan(_ sql: String) throws -> [String] {
        try Row.fetchAll(self, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] }
    }
}
