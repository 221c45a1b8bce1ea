import Amalgam

/// A broken promise.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension ProgramRun {
    /// Replaces the files with a state after a crash, opens them, and checks what the setting promises.
    ///
    /// - Parameter promise: the promise to check; by default, the promise of the setting.
    /// - Throws: a ``Violation``.
    package func verify(_ crash: Crash, promise: Promise? = nil) throws {
        let promise = promise ?? program.profile.setting.promise(crash.behavior)
        try disk.crash(crash)
        let recovery = Disk(disk.folder)
        try check(crash.position, promise)
        var random = Random(seed: crash.seed)
        guard random.next(below: 4) == 0 else { return }
        // A second power failure, while SQLite recovers the files, must not make a difference. The connection that
        // recovers them has SQLite's own settings, by which the recovery survives.
        let second = Crash(
            position: Int64.random(in: 0...recovery.count, using: &random), behavior: crash.behavior,
            seed: random.next())
        try recovery.crash(second)
        let secondRecovery = Disk(disk.folder)
        do {
            try withExtendedLifetime(secondRecovery) { try check(crash.position, promise) }
        } catch let violation as Violation {
            throw Violation("\(violation) (after a second crash, during the recovery)")
        }
    }

    private func check(_ position: Int64, _ promise: Promise) throws {
        do {
            let queue = try program.profile.openRecovered(disk.folder)
            defer { try? queue.close() }
            let (problems, state) = try queue.writeWithoutTransaction { db in
                try (db.integrityCheck(), History.State(db, program.profile))
            }
            if !problems.isEmpty { throw Violation("integrity_check: \(problems.prefix(3).joined(separator: "; "))") }
            try check(state, position, promise)
        } catch let error as DatabaseError {
            throw Violation("\(error)")
        }
    }

    private func check(_ state: History.State, _ position: Int64, _ promise: Promise) throws {
        guard let expected = expected(position, promise) else { return }
        let states = history.commits[expected].map(\.state.digests)
        let files = state.digests.indices
        let isWhole =
            program.profile.setting.isAtomicAcrossFiles
            ? states.contains(state.digests)
            : files.allSatisfy { file in states.contains { $0[file] == state.digests[file] } }
        if isWhole { return }
        let found = files.map { file in
            history.commits.lastIndex { $0.state.digests[file] == state.digests[file] }.map(String.init) ?? "none"
        }
        throw Violation(
            "the files hold the states \(found.joined(separator: ", ")), not one of \(expected.first!) to \(expected.last!)"
        )
    }

    /// The states that the files may have after a crash. Nil before the tables are created durably: any state.
    private func expected(_ position: Int64, _ promise: Promise) -> Range<Int>? {
        let acknowledged = history.acknowledgedCount(at: position)
        let count =
            switch promise {
            case .nothing: 0
            case .intact: history.durableCount(at: position)
            case .allButLast: max(history.durableCount(at: position), acknowledged - 1)
            case .everyCommit: acknowledged
            }
        if count == 0 { return nil }
        // The next commit may be on the disk before it is acknowledged.
        return count - 1..<min(acknowledged + 1, history.commits.count)
    }
}
