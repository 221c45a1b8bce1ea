package import Foundation

/// Looks for power failures that break a promise.
package struct Search: Sendable {
    /// A program, and a crash after which a promise is broken.
    package struct Failure: Error, CustomStringConvertible {
        package let program: Program
        package let droppedSync: Int64
        /// Nil if the program itself throws.
        package let crash: Crash?
        package let reason: String
        /// The last operations before the crash.
        package let operations: [String]
        /// Whether the program goes on after a crash of another one.
        package var followsCrash = false

        package var description: String {
            let steps = program.steps.map(\.description).joined(separator: " ")
            let place = crash.map { "crash \($0.position) \($0.behavior.rawValue) \($0.seed)" } ?? "no crash"
            return """
                \(reason)
                \(program.profile)\(program.createsFiles ? ", new files" : ""): \(steps)
                \(place)\(operations.map { "\n    \($0)" }.joined())
                """
        }
    }

    /// A temporary folder. Each run has its own folder in it.
    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-power-\(UUID().uuidString)")
            .resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    package func removeFiles() { try? FileManager.default.removeItem(at: folder) }

    private func withFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = folder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Runs a program, and checks a number of crashes of it, at random moments.
    ///
    /// - Parameters:
    ///   - crashCount: the number of crashes. In a quarter of them, the recovery crashes, too.
    ///   - droppedSync: the number of a sync that the disk ignores. 0 for none.
    ///   - promise: the promise to check; by default, the promise of the setting.
    /// - Returns: the first failure.
    package func failure(
        of program: Program, crashCount: Int, seed: UInt64, behavior: Crash.Behavior? = nil, droppedSync: Int64 = 0,
        promise: Promise? = nil
    ) throws -> Failure? {
        let behavior = behavior ?? program.profile.behavior
        return try withFolder { folder in
            let run: ProgramRun
            do {
                run = try program.run(in: folder, droppedSync: droppedSync)
            } catch {
                return Failure(
                    program: program, droppedSync: droppedSync, crash: nil, reason: "\(error)", operations: [])
            }
            var random = Random(seed: seed)
            for _ in 0..<crashCount {
                let crash = Crash(
                    position: Int64.random(in: 0...run.disk.count, using: &random), behavior: behavior,
                    seed: random.next())
                if let failure = try failure(of: run, crash, droppedSync: droppedSync, promise: promise) {
                    return failure
                }
            }
            return nil
        }
    }

    /// Checks one crash.
    package func failure(
        of run: ProgramRun, _ crash: Crash, droppedSync: Int64 = 0, promise: Promise? = nil
    ) throws -> Failure? {
        do {
            try run.verify(crash, promise: promise)
            return nil
        } catch let violation as Violation {
            let first = max(0, crash.position - 24)
            return Failure(
                program: run.program, droppedSync: droppedSync, crash: crash, reason: "\(violation)",
                operations: run.disk.description(of: first..<min(crash.position, run.disk.count)))
        }
    }

    /// Checks a program that goes on after a crash, and crashes again.
    package func failureAfterCrash(of program: Program, seed: UInt64, crashCount: Int) throws -> Failure? {
        try withFolder { folder in
            var random = Random(seed: seed)
            // Without the tables, there is nothing to go on with.
            var program = program
            program.createsFiles = false
            let run: ProgramRun
            do {
                run = try program.run(in: folder)
            } catch {
                return Failure(program: program, droppedSync: 0, crash: nil, reason: "\(error)", operations: [])
            }
            let crash = Crash(
                position: Int64.random(in: 0...run.disk.count, using: &random), behavior: program.profile.behavior,
                seed: random.next())
            try run.disk.crash(crash)
            let next = Program(program.profile, Array(Program(program.profile, seed: random.next()).steps.prefix(5)))
            let nextRun: ProgramRun
            do {
                nextRun = try next.run(in: folder)
            } catch {
                return Failure(
                    program: next, droppedSync: 0, crash: nil, reason: "\(error) (after a crash of a program before)",
                    operations: [], followsCrash: true)
            }
            for _ in 0..<crashCount {
                let crash = Crash(
                    position: Int64.random(in: 0...nextRun.disk.count, using: &random),
                    behavior: program.profile.behavior, seed: random.next())
                if let failure = try failure(of: nextRun, crash) {
                    return Failure(
                        program: next, droppedSync: 0, crash: crash,
                        reason: "\(failure.reason) (after a crash of a program before)",
                        operations: failure.operations, followsCrash: true)
                }
            }
            return nil
        }
    }

    /// Leaves out steps of a program, as long as it fails.
    package func shrunk(_ failure: Failure, crashCount: Int, seed: UInt64, promise: Promise? = nil) throws -> Failure {
        var smallest = failure
        var index = 0
        while index < smallest.program.steps.count {
            var program = smallest.program
            program.steps.remove(at: index)
            let smaller = try self.failure(
                of: program, crashCount: crashCount, seed: seed, behavior: failure.crash?.behavior,
                droppedSync: failure.droppedSync, promise: promise)
            if let smaller {
                smallest = smaller
            } else {
                index += 1
            }
        }
        return smallest
    }

    /// The number of syncs of a program.
    package func syncCount(of program: Program) throws -> Int64 {
        try withFolder { folder in try program.run(in: folder).disk.syncCount }
    }

    /// The numbers of the syncs of a program whose loss breaks a promise, and the number of all syncs.
    package func noticedSyncs(
        of program: Program, crashCount: Int, seed: UInt64
    ) throws -> (noticed: [Int64], count: Int64) {
        let count = try syncCount(of: program)
        let noticed = try (1...max(1, count)).filter { number in
            try failure(of: program, crashCount: crashCount, seed: seed, droppedSync: number) != nil
        }
        return (noticed, count)
    }
}
