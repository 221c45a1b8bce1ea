import Dispatch
import Foundation
import Synchronization

/// A serial queue of accesses, whose thread stays awake for a moment when a task is about to ask for the next one.
///
/// A thread takes about 20 µs to wake up, more than a small access takes. A task that makes one access after the other
/// asks for the next one as soon as it has a value. So where it did, the thread looks out for the next access, for a
/// moment, before it sleeps. All others are let in at once.
final class AccessQueue: @unchecked Sendable {
    // Sendable: `begun` and `lastEnd` are used on the queue only.

    /// A thread that looks out on the only processor keeps tasks from asking.
    private static let hasProcessors = ProcessInfo.processInfo.activeProcessorCount > 1

    let queue: DispatchQueue
    private let patience: Duration
    private let line = Line()

    /// How many accesses have begun. Those who ask join the line around that time, before or after.
    private var begun = 0
    /// When the last access of a task ended.
    private var lastEnd: ContinuousClock.Instant?

    /// - Parameters:
    ///   - hasTarget: whether accesses run on a queue of the application, whose thread is not ours.
    ///   - patience: how soon tasks have to ask, and how long the thread looks out for them.
    init(_ queue: DispatchQueue, hasTarget: Bool, patience: Duration = .microseconds(50)) {
        self.queue = queue
        self.patience = hasTarget || !Self.hasProcessors ? .zero : patience
    }

    deinit { line.join() }

    /// Runs an access, and waits for its end.
    func sync<T>(_ access: () throws -> T) rethrows -> T {
        line.join()
        return try queue.sync {
            begun += 1
            return try access()
        }
    }

    /// Schedules an access.
    func async(_ access: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            begun += 1
            access()
        }
        line.join()
    }

    /// Schedules the access of a task, which may ask for another one as soon as this one has ended.
    func asyncForTask(_ access: @escaping @Sendable () -> Void) {
        if patience == .zero { return async(access) }
        let asked = ContinuousClock.now
        async { [self] in
            let cameSoon = lastEnd.map { asked - $0 < patience } ?? false
            access()
            let end = ContinuousClock.now
            lastEnd = end
            if cameSoon { lookOut(until: end + patience) }
        }
    }

    /// Keeps the thread awake until somebody asks for an access. It retains no connection meanwhile: one that is not
    /// used any more is closed at once.
    private func lookOut(until deadline: ContinuousClock.Instant) {
        queue.async { [line, begun] in
            while line.count <= begun, ContinuousClock.now < deadline {}
        }
    }

    /// Counts those who have asked for an access, for the thread that looks out for them.
    private final class Line: Sendable {
        private let joined = Atomic<Int>(0)

        var count: Int { joined.load(ordering: .relaxed) }

        /// To be called once the thread will find the access in its queue.
        func join() { joined.add(1, ordering: .relaxed) }
    }
}
