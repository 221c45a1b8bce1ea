import Amalgam
package import Foundation

/// A sequence of transactions and other work on one or two database files.
package struct Program: Sendable {
    package let profile: Profile
    package var steps: [Step]
    /// Whether the program creates the files while the disk logs.
    package var createsFiles: Bool

    package init(_ profile: Profile, _ steps: [Step], createsFiles: Bool = false) {
        self.profile = profile
        self.steps = steps
        self.createsFiles = createsFiles
    }

    /// The program of a seed.
    package init(_ profile: Profile, seed: UInt64) {
        var random = Random(seed: seed)
        let count = 4 + random.next(below: 12)
        self.init(profile, (0..<count).map { _ in .random(&random) }, createsFiles: random.next(below: 3) == 0)
    }

    /// Runs the program in a folder. If the folder holds the files already, it goes on with them.
    ///
    /// - Parameter droppedSync: the number of a sync that the disk ignores. 0 for none.
    package func run(in folder: URL, droppedSync: Int64 = 0) throws -> ProgramRun {
        let isNew = !FileManager.default.fileExists(atPath: folder.appendingPathComponent(mainName).path)
        if isNew && !createsFiles {
            let session = Session(profile, Disk(folder))
            try session.createFiles()
            try session.close()
        }
        let disk = Disk(folder)
        disk.dropSync(droppedSync)
        let session = Session(profile, disk)
        if isNew && createsFiles {
            try session.createFiles()
        } else {
            try session.resume()
        }
        for step in steps { try session.run(step) }
        try session.close()
        return ProgramRun(program: self, disk: disk, history: session.history)
    }
}

/// A program that has ended.
package struct ProgramRun: Sendable {
    package let program: Program
    package let disk: Disk
    package let history: History
}

/// The work of a program with a disk.
private final class Session {
    private let profile: Profile
    private let disk: Disk
    let history: History
    private var writer: (any DatabaseWriter)?

    init(_ profile: Profile, _ disk: Disk) {
        self.profile = profile
        self.disk = disk
        history = History(disk, profile)
    }

    deinit { try? writer?.close() }

    /// Creates the files, and leaves two commits: a rollback journal may keep all but the last one.
    func createFiles() throws {
        let writer = try open()
        try writer.write { db in try db.createTables(hasOther: profile.hasOther) }
        try writer.writeWithoutTransaction { db in try history.record(db) }
        observe(writer)
        for name in ["first", "second"] {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO account (name, balance) VALUES (?, 0)", arguments: [name])
            }
        }
        try reopen()
    }

    /// Opens the files. What they hold is on the disk.
    func resume() throws {
        let writer = try open()
        try writer.writeWithoutTransaction { db in try history.record(db) }
        history.markDurable()
        observe(writer)
    }

    private func open() throws -> any DatabaseWriter {
        let writer = try profile.open(disk.folder)
        self.writer = writer
        return writer
    }

    private func observe(_ writer: any DatabaseWriter) {
        writer.add(transactionObserver: history, extent: .databaseLifetime)
    }

    func run(_ step: Step) throws {
        switch step.action {
        case .checkpoint: try checkpoint()
        case .reopen: try reopen()
        case .secondConnection: try writeWithSecondConnection(Step(.insert, seed: step.seed))
        default: try writer!.run(step, profile)
        }
        try history.check()
    }

    private func reopen() throws {
        try close()
        observe(try open())
    }

    /// The last connection that closes a WAL file checkpoints it, and removes it.
    func close() throws {
        try writer?.close()
        writer = nil
        try history.check()
        if profile.setting.synchronous != .off, profile.setting.journal == .wal, !hasWALFile { history.markDurable() }
    }

    private var hasWALFile: Bool {
        profile.fileNames.contains { name in
            FileManager.default.fileExists(atPath: disk.folder.appendingPathComponent(name + "-wal").path)
        }
    }

    /// Opens the files a second time, whose WAL files are empty, and writes to them.
    private func writeWithSecondConnection(_ step: Step) throws {
        try checkpoint()
        let second = try profile.open(disk.folder)
        defer { try? second.close() }
        observe(second)
        try second.run(step, profile)
    }

    private func checkpoint() throws {
        let isComplete = try writer!.writeWithoutTransaction { db in
            try profile.schemas.allSatisfy { schema in
                let (frameCount, checkpointedCount) = try db.checkpoint(.truncate, on: schema)
                return frameCount >= 0 && frameCount == checkpointedCount
            }
        }
        if isComplete && profile.setting.synchronous != .off { history.markDurable() }
    }
}
