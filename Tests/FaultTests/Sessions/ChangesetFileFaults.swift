import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Changesets in files: a file is complete, or unchanged.
@Suite struct ChangesetFileFaults {
    /// A folder with one file, which must not be replaced by an incomplete one.
    private final class Shelf {
        let folder: URL
        var file: URL { folder.appendingPathComponent("changes") }
        static let before = Data("what was there before".utf8)

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("amalgam-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.before.write(to: file)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// Writes the file. If this fails, the folder must be unchanged.
        func write(_ body: (ChangesetOutput) throws -> Void) throws {
            do {
                try body(.file(file))
            } catch {
                #expect(try Data(contentsOf: file) == Self.before)
                #expect(try names == ["changes"])
                throw error
            }
            #expect(try names == ["changes"])
        }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
        }
    }

    // MARK: Memory

    @Test(arguments: Weather.memory)
    func sessionToFile(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            let shelf = try Shelf()
            try attempt.connect()
            let session = try attempt.step { db in try db.makeSession() }
            try attempt.step { db in try db.execute(sql: "UPDATE player SET name = name || hex(zeroblob(2000))") }
            try attempt.step { _ in try shelf.write { try session.writeChangeset(to: $0) } }
            attempt.note(try Changeset(data: Data(contentsOf: shelf.file)).count)
        }
    }

    @Test(arguments: Weather.memory)
    func fileToFile(weather: Weather) throws {
        let (changeset, resolutions) = try Changeset.resolvedInFaults()
        try everyFault(of: weather) { attempt in
            let source = try Shelf()
            try changeset.data.write(to: source.file)
            let input = ChangesetInput.file(source.file)
            let (undo, rebased, combined) = (try Shelf(), try Shelf(), try Shelf())
            try attempt.step { try undo.write { try Changeset.writeInverse(of: input, to: $0) } }
            try attempt.step { try rebased.write { try Changeset.writeRebased(input, on: [resolutions], to: $0) } }
            try attempt.step {
                let group = try Changegroup<Changeset>()
                try group.add(from: input)
                try combined.write { try group.write(to: $0) }
            }
            for shelf in [undo, rebased, combined] {
                try attempt.note(Changeset(data: Data(contentsOf: shelf.file)))
            }
        }
    }

    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal]))
    func fileToDatabase(weather: Weather) throws {
        let shelf = try Shelf()
        try Changeset.inFaults().data.write(to: shelf.file)
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.apply(from: .file(shelf.file)) { $0.replaceOrOmit } }
            try attempt.step {
                let changes = try RecordedChangeCursor(.file(shelf.file))
                attempt.note(try changes.reduce(0) { count, _ in count + 1 })
            }
        }
    }

    // MARK: Files

    /// All methods that write changes report a full disk.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() throws {
        let (changeset, resolutions) = try Changeset.resolvedInFaults()
        let input = ChangesetInput.data(changeset.data)
        let writers: [(ChangesetOutput) throws -> Void] = [
            { try changeset.write(to: $0) },
            { try Changeset.writeInverse(of: input, to: $0) },
            { try Changeset.writeRebased(input, on: [resolutions], to: $0) },
            { output in
                let group = try Changegroup<Changeset>()
                try group.add(changeset)
                try group.write(to: output)
            },
            { output in
                try DatabaseQueue().inDatabase { db in
                    try db.createTeams()
                    let session = try db.makeSession()
                    try db.execute(sql: "DELETE FROM player")
                    #expect(throws: (any Error).self) { try session.writePatchset(to: output) }
                    // The session is complete.
                    #expect(try session.patchset().count == 3)
                    try session.writeChangeset(to: output)
                }
            },
        ]
        for write in writers {
            let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
            #expect(throws: (any Error).self) { try write(.fileHandle(full)) }
        }
    }

    /// If a path can't be written, no file is left next to it.
    @Test func unwritablePlaces() throws {
        let changeset = try Changeset.inFaults()
        let shelf = try Shelf()
        let nowhere = shelf.folder.appendingPathComponent("missing/changes")
        #expect(throws: (any Error).self) { try changeset.write(to: .file(nowhere)) }
        // A folder has the name of the file, which prevents the last step.
        let folder = shelf.folder.appendingPathComponent("folder")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("content"), withIntermediateDirectories: true)
        #expect(throws: (any Error).self) { try changeset.write(to: .file(folder)) }
        #expect(try shelf.names.sorted() == ["changes", "folder"])
    }

    /// If a file can't be read, or ends too early, nothing is applied, and nothing is written.
    @Test func unreadableFiles() throws {
        let changeset = try Changeset.inFaults()
        let (shelf, output) = (try Shelf(), try Shelf())
        let truncated = shelf.folder.appendingPathComponent("truncated")
        try changeset.data.dropLast(3).write(to: truncated)
        let missing = shelf.folder.appendingPathComponent("missing")
        for input in [shelf.folder, missing, shelf.file, truncated].map(ChangesetInput.file) {
            #expect(throws: (any Error).self) { try output.write { try Changeset.writeInverse(of: input, to: $0) } }
            #expect(throws: (any Error).self) {
                try output.write { try Changeset.writeRebased(input, on: [], to: $0) }
            }
            #expect(throws: (any Error).self) { try Changegroup<Changeset>().add(from: input) }
            #expect(throws: (any Error).self) { try RecordedChangeCursor(input).forEach { _ in } }
            try DatabaseQueue().inDatabase { db in
                try db.createTeams()
                let before = try db.contents()
                #expect(throws: (any Error).self) { try db.apply(from: input) { $0.replaceOrOmit } }
                #expect(try db.contents() == before)
                #expect(!db.isInsideTransaction)
            }
        }
    }
}
