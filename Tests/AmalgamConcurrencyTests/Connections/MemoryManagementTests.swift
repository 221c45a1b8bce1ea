import Amalgam
import Foundation
import TestSupport
import Testing

/// The option `Configuration.automaticMemoryManagement`.
@Suite(.watchdog)
struct MemoryManagementTests {
    private func withPool(_ isWanted: Bool, _ body: (_ pool: DatabasePool, _ closed: Box<Int>) throws -> Void) throws {
        let closed = Box(0)
        let configuration = Configuration.tested { configuration in
            configuration.automaticMemoryManagement = isWanted
            configuration.onConnectionWillClose { _ in closed.increment() }
        }
        try AmalgamConcurrencyTests.withPool(configuration) { pool, _ in
            try pool.read { _ in }
            try body(pool, closed)
        }
    }

    private func post() {
        for name in ["UIApplicationDidReceiveMemoryWarningNotification", "UIApplicationDidEnterBackgroundNotification"]
        {
            NotificationCenter.default.post(name: Notification.Name(name), object: nil)
        }
    }

    #if canImport(Darwin)
    @Test func readersAreClosedWhenTheSystemAsks() throws {
        try withPool(true) { pool, closed in
            post()
            try waitUntil("the reader is closed") { closed.value == 1 }
            let count = try pool.read { try $0.playerCount() }
            #expect(count == 0)
        }
    }

    @Test func nothingHappensUnlessItIsWanted() throws {
        try withPool(false) { _, closed in
            post()
            #expect(closed.value == 0)
        }
    }
    #else
    /// On systems without memory notifications, the option has no effect.
    @Test(arguments: [true, false])
    func thereIsNoEffect(isWanted: Bool) throws {
        try withPool(isWanted) { pool, closed in
            post()
            let count = try pool.read { try $0.playerCount() }
            #expect(count == 0)
            #expect(closed.value == 0)
        }
    }
    #endif
}
