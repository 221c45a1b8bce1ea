import Amalgam
import Foundation

// The functions and collations whose calls perform the steps of a scenario.

/// The sum of integers.
struct CallbackAggregate: DatabaseAggregate {
    private var sum = 0

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        try ScenarioRun.current?.call(.aggregateStep)
        sum += Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
        try ScenarioRun.current?.call(.aggregateResult)
        return sum
    }
}

/// The sum of the integers in a window.
struct CallbackWindow: DatabaseWindowAggregate {
    private var sum = 0

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        try ScenarioRun.current?.call(.windowStep)
        sum += Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    mutating func inverse(_ dbValues: [DatabaseValue]) throws {
        try ScenarioRun.current?.call(.windowInverse)
        sum -= Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    func value() throws -> (any DatabaseValueConvertible)? {
        try ScenarioRun.current?.call(.windowValue)
        return sum
    }
}

extension ScenarioRun {
    static var function: DatabaseFunction {
        DatabaseFunction("f") { (x: Int?) in
            try ScenarioRun.current?.call(.function)
            return x.map { $0 + 1 }
        }
    }

    static var collation: DatabaseCollation {
        DatabaseCollation("staged") { left, right in
            try? ScenarioRun.current?.call(.collation)
            return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
        }
    }

    /// Adds all functions, collations, modules and tokenizers to a connection.
    static func prepare(_ db: Database) throws {
        db.add(function: function)
        db.add(function: DatabaseFunction("total", argumentCount: 1, aggregate: CallbackAggregate.self))
        db.add(function: DatabaseFunction("moving", argumentCount: 1, aggregate: CallbackWindow.self))
        db.add(collation: collation)
        db.add(tokenizer: CallbackTokenizer.self)
        try db.add(module: CallbackTable.module)
        try db.add(
            auxiliaryFunction: FTS5Function("hits") { match, _ in
                try ScenarioRun.current?.call(.auxiliaryFunction)
                return 1
            })
    }
}
