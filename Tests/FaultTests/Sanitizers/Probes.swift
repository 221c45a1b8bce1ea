import CFaults
import Foundation
import Synchronization
import Testing

/// Intended errors, and code that looks like one: `scripts/proof/sanitize --self-test` runs them to check that the
/// sanitizers report errors.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["AMALGAM_SANITIZER_PROBE"] != nil), .serialized)
struct SanitizerProbes {
    /// ThreadSanitizer reports it.
    @Test func race() {
        let box = Unprotected()
        onTwoThreads { for _ in 0..<1000 { box.count += 1 } }
        #expect(box.count > 0)
    }

    /// No sanitizer reports it: the mutex protects the counter, and has waiting threads most of the time.
    @Test func contendedMutex() {
        let box = Protected()
        onTwoThreads { for _ in 0..<20000 { box.increment() } }
        #expect(box.value == 40000)
    }

    /// AddressSanitizer reports it.
    @Test func overflow() {
        #expect(faults_probe_overflow(8) == 0)
    }

    /// LeakSanitizer reports it.
    @Test func leak() {
        faults_probe_leak()
    }

    /// UndefinedBehaviorSanitizer reports it.
    @Test func undefined() {
        #expect(faults_probe_undefined(CInt.max) != 0)
    }

    private func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
        let end = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            Thread.detachNewThread {
                body()
                end.signal()
            }
        }
        end.wait()
        end.wait()
    }
}

private final class Unprotected: @unchecked Sendable {
    // Sendable: intentionally false.
    var count = 0
}

private final class Protected: @unchecked Sendable {
    // Sendable: the mutex guards the counter, which is in an object so that the compiler can't prove it.
    private let mutex = Mutex(())
    private var count = 0

    func increment() { mutex.withLock { _ in count += 1 } }

    var value: Int { mutex.withLock { _ in count } }
}
