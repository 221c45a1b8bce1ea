import Amalgam
import AmalgamCore
import Testing

/// Aggregates and window functions: no state is lost, or confused with that of another group.
@Suite struct AggregateFaults {
    private struct Names: DatabaseAggregate {
        private var names: [String] = []

        mutating func step(_ dbValues: [DatabaseValue]) throws {
            names.append(String.fromDatabaseValue(dbValues[0]) ?? "none")
        }

        func finalize() throws -> (any DatabaseValueConvertible)? { names.joined(separator: " ") }
    }

    private struct Total: DatabaseWindowAggregate {
        private var total = 0.0

        private func score(_ dbValues: [DatabaseValue]) -> Double { Double.fromDatabaseValue(dbValues[0]) ?? 0 }

        mutating func step(_ dbValues: [DatabaseValue]) throws { total += score(dbValues) }
        mutating func inverse(_ dbValues: [DatabaseValue]) throws { total -= score(dbValues) }
        func value() throws -> (any DatabaseValueConvertible)? { "total: \(total)" }
    }

    private static let names = DatabaseFunction("names", argumentCount: 1, aggregate: Names.self)
    private static let total = DatabaseFunction("myTotal", argumentCount: 1, pure: true, aggregate: Total.self)

    @Test(arguments: Weather.allocations([.memory, .pool]))
    func aggregates(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                db.add(function: Self.names)
                attempt.note(try String.fetchAll(db, sql: "SELECT names(name) FROM player GROUP BY teamId"))
                attempt.note(try String.fetchAll(db, sql: "SELECT names(DISTINCT teamId) FROM player WHERE id > 9"))
            }
        }
    }

    @Test(arguments: Weather.memory)
    func windows(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                db.add(function: Self.total)
                for window in ["ORDER BY id", "ORDER BY id ROWS 1 PRECEDING", "PARTITION BY teamId"] {
                    attempt.note(try String.fetchAll(db, sql: "SELECT myTotal(score) OVER (\(window)) FROM player"))
                }
                attempt.note(try String.fetchOne(db, sql: "SELECT myTotal(score) FROM player") ?? "none")
            }
        }
    }
}
