import Foundation
import TestSupport
import Testing

/// An intended deadlock: `scripts/test --self-test` runs it to check that it is reported.
@Suite(.enabled(if: environment("AMALGAM_WATCHDOG_PROBE") != nil), .watchdog)
struct WatchdogProbes {
    @Test func twoThreadsWaitForEachOther() {
        let (first, second) = (NSLock(), NSLock())
        let (hasFirst, hasSecond) = (Signal(), Signal())
        let worker = Worker { try waitForFirst(first, second, hasFirst, hasSecond) }
        try? waitForSecond(first, second, hasFirst, hasSecond)
        withExtendedLifetime(worker) {}
    }

    @Test func aTestThatEndsIsLeftAlone() {}
}

@inline(never)
private func waitForFirst(_ first: NSLock, _ second: NSLock, _ hasFirst: Signal, _ hasSecond: Signal) throws {
    second.lock()
    hasSecond.fire()
    try hasFirst.wait()
    first.lock()
    first.unlock()
    second.unlock()
}

@inline(never)
private func waitForSecond(_ first: NSLock, _ second: NSLock, _ hasFirst: Signal, _ hasSecond: Signal) throws {
    first.lock()
    hasFirst.fire()
    try hasSecond.wait()
    second.lock()
    second.unlock()
    first.unlock()
}
