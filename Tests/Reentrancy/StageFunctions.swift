import Amalgam
import Foundation

// The functions and collations whose calls take steps.

/// The sum of integers.
struct StageAggregate: DatabaseAggregate {
    private var sum = 0

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        try Stage.current?.call(.aggregateStep)
        sum += Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
        try Stage.current?.call(.aggregateResult)
        return sum
    }
}

/// The sum of the integers in a window.
struct StageWindow: DatabaseWindowAggregate {
    private var sum = 0

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        try Stage.current?.call(.windowStep)
        sum += Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    mutating func inverse(_ dbValues: [DatabaseValue]) throws {
        try Stage.current?.call(.windowInverse)
        sum -= Int.fromDatabaseValue(dbValues[0]) ?? 0
    }

    func value() throws -> (any DatabaseValueConvertible)? {
        try Stage.current?.call(.windowValue)
        return sum
    }
}

extension Stage {
    static var function: DatabaseFunction {
        DatabaseFunction("f") { (x: Int?) in
            try Stage.current?.call(.function)
            return x.map { $0 + 1 }
        }
    }

    static var collation: DatabaseCollation {
        DatabaseCollation("staged") { left, right in
            try? Stage.current?.call(.collation)
            return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
        }
    }

    /// Adds all functions, collations, modules and tokenizers to a connection.
    static func prepare(_ db: Database) throws {
        db.add(function: function)
        db.add(function: DatabaseFunction("total", argumentCount: 1, aggregate: StageAggregate.self))
        db.add(function: DatabaseFunction("moving", argumentCount: 1, aggregate: StageWindow.self))
        db.add(collation: collation)
        db.add(tokenizer: StageTokenizer.self)
        try db.add(module: StageTable.module)
        try db.add(
            auxiliaryFunction: FTS5Function("hits") { match, _ in
                try Stage.current?.call(.auxiliaryFunction)
                return 1
            })
    }
}
