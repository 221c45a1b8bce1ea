import Amalgam
import AmalgamCore
import Foundation
import Synchronization

/// What a test shares with the functions it adds. They run on the thread of the test.
final class Shared<Value>: @unchecked Sendable {
    // Sendable: used from the thread of one test.
    var value: Value

    init(_ value: Value) { self.value = value }
}

/// A variable that functions on several threads change.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}

extension Database {
    /// The connection, for functions that use it: they run inside of its access.
    var shared: Shared<Database> { Shared(self) }

    /// Adds a function of one argument, or of any number, and calls it.
    func result<Value: DatabaseValueConvertible>(
        of sql: String, as type: Value.Type = Value.self, _ arguments: StatementArguments = [],
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) throws -> Value? {
        add(function: DatabaseFunction("f", function: function))
        return try Value.fetchOne(self, sql: sql, arguments: arguments)
    }
}

/// `SELECT value FROM numbers` gives 1, 2, 3, …
func numbers(_ count: Int) -> String {
    "WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count)) "
}

/// A reference whose number of instances is counted, to see that nothing leaks.
final class Token: Sendable {
    private let counter: LiveCounter

    init(_ counter: LiveCounter) {
        self.counter = counter
        counter.change(by: 1)
    }

    deinit { counter.change(by: -1) }
}

/// The number of tokens alive.
final class LiveCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func change(by difference: Int) { count.add(difference, ordering: .relaxed) }
}
