import Amalgam
import Foundation
import Testing

/// Each program prints what its README shows.
struct ProgramTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ProgramTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test func hello() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try run("hello") == shown(by: "Hello"))
        #expect(try run("hello") == shown(by: "Hello"), "a second run finds its file")
    }

    @Test func tour() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try run("tour") == shown(by: "Tour"))
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "copy.sqlite").path))
    }

    @Test func notes() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try run("notes", "add", "Home", "Water the plants") == "")
        #expect(try run("notes", "add", "Home", "Call Bo") == "")
        #expect(try run("notes", "done", "1") == "")
        #expect(try run("notes", "list") == shown(by: "Notes"))
    }

    @Test func notesOfTheFirstVersion() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let dbQueue = try DatabaseQueue(path: folder.appending(path: "notes.sqlite").path)
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in
            var home = Folder(name: "Home")
            try home.insert(db)
            for text in ["Water the plants", "Call Bo"] {
                var note = Note(folderId: home.id!, text: text)
                try note.insert(db)
            }
        }
        try dbQueue.close()

        #expect(try run("notes", "done", "1") == "")
        #expect(try run("notes", "list") == shown(by: "Notes"))
    }

    /// Runs a program in the folder of the test, and returns what it printed.
    private func run(_ program: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = try Self.products().appending(path: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }

    /// Programs are built next to the test bundle.
    private static func products() throws -> URL {
        let own = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
        return folder
    }

    /// The last indented block of a program's README.
    private func shown(by program: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "\(program)/README.md")
        let paragraphs = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n\n")
        let block = try #require(paragraphs.last { $0.hasPrefix("    ") })
        return block.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst(4) }.joined(
            separator: "\n") + "\n"
    }
}
