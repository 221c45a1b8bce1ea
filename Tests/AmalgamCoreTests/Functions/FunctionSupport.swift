import Amalgam
import AmalgamCore
import Foundation
import Synchronization
import TestSupport

extension Database {
    /// Adds a function of one argument, or of any number, and calls it.
    func result<Value: DatabaseValueConvertible>(
        of sql: String, as type: Value.Type = Value.self, _ arguments: StatementArguments = [],
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) throws -> Value? {
        add(function: DatabaseFunction("f", function: function))
        return try Value.fetchOne(self, sql: sql, arguments: arguments)
    }
}

/// The beginning of a query: `SELECT n FROM numbers` returns 1, 2, 3, …
func numbers(_ count: Int) -> String {
    "WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count)) "
}

/// An object whose instances are counted, to detect leaks.
final class Token: Sendable {
    private let counter: LiveCounter

    init(_ counter: LiveCounter) {
        self.counter = counter
        counter.change(by: 1)
    }

    deinit { counter.change(by: -1) }
}

/// The number of live tokens.
final class LiveCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func change(by difference: Int) { count.add(difference, ordering: .relaxed) }
}
