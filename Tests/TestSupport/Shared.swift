package import AmalgamCore
import Foundation
import Synchronization

/// A variable that a test shares with the functions it adds. They run on the thread of the test.
package final class Shared<Value>: @unchecked Sendable {
    // Sendable: only the thread of one test uses it.
    package var value: Value

    package init(_ value: Value) { self.value = value }
}

/// A variable that functions on several threads change.
package final class CallCounter: Sendable {
    private let count = Atomic(0)

    package init() {}

    package var value: Int { count.load(ordering: .relaxed) }

    package func increment() { count.add(1, ordering: .relaxed) }
}

extension Database {
    /// The connection, for functions that use it inside its access.
    package var shared: Shared<Database> { Shared(self) }
}

/// Runs a closure on a new thread, and waits for it.
package func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        end.signal()
    }
    end.wait()
}
