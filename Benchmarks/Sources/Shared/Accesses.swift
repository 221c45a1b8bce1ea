import Dispatch
import Foundation
import Synchronization
import Workload

extension Configuration {
    /// A configuration with the same durability in all programs. A pool sets its WAL mode itself.
    static var accesses: Configuration {
        var configuration = Configuration()
        configuration.maximumReaderCount = Int(ACCESSES_READERS)
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(sql: ACCESSES_SYNCHRONOUS)
            try db.execute(sql: ACCESSES_CHECKPOINTS)
        }
        return configuration
    }
}

extension Folder {
    /// Opens a pool on the rows of integers, with an additional empty table.
    func poolWithNotes() throws -> DatabasePool {
        let pool = try DatabasePool(path: fixture(ACCESSES_FILE, script: Self.notes), configuration: .accesses)
        try pool.write { db in try db.execute(sql: NOTES_DELETE) }
        return pool
    }

    /// Opens a queue on rows of the same kind, in the journal mode of a queue.
    func queueWithNotes() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: fresh("notes.sqlite"), configuration: .unsynchronized)
        try queue.write { db in try db.execute(sql: NOTES_TABLE) }
        return queue
    }

    private static let notes = [ACCESSES_WAL, INTEGERS_TABLE, INTEGERS_FILL, NOTES_TABLE]
}

extension DatabasePool {
    func addNote(_ number: Int) throws {
        try write { db in try db.execute(sql: NOTES_INSERT, arguments: [number]) }
    }

    func tinyRead() throws -> Int {
        try read { db in try Int.fetchOne(db, sql: INTEGERS_SELECT_TINY)! }
    }
}

/// Threads that run a closure, and the sum of its results.
final class Crew: Sendable {
    private let group = DispatchGroup()
    private let sum = Mutex(Result<Int, any Error>.success(0))

    init(_ count: Int, _ body: @escaping @Sendable () throws -> Int) {
        for _ in 0..<count {
            group.enter()
            Thread.detachNewThread { [self] in
                let result = Result { try body() }
                sum.withLock { sum in sum = sum.flatMap { sum in result.map { sum &+ $0 } } }
                group.leave()
            }
        }
    }

    func join() throws -> Int {
        group.wait()
        return try sum.withLock { $0 }.get()
    }
}

/// Ends threads that run until it is blown.
final class Whistle: Sendable {
    private let wasBlown = Atomic(false)

    var isSilent: Bool { !wasBlown.load(ordering: .relaxed) }

    func blow() { wasBlown.store(true, ordering: .relaxed) }
}

/// Runs a part of a task, and waits for it on this thread.
func inTask<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    let outcome = Outcome<T>()
    Task.detached {
        do {
            outcome.tell(.success(try await body()))
        } catch {
            outcome.tell(.failure(error))
        }
    }
    return try outcome.wait()
}

private final class Outcome<T: Sendable>: Sendable {
    private let end = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<T, any Error>?>(nil)

    func tell(_ newResult: Result<T, any Error>) {
        result.withLock { $0 = newResult }
        end.signal()
    }

    func wait() throws -> T {
        end.wait()
        return try result.withLock { $0! }.get()
    }
}
