import Amalgam
import Foundation
import TestSupport
import Testing

/// Errors of opening a file name the path, and describe the problem. Codes and messages are SQLite's.
struct FileProblemTests {
    private let folder: Folder

    init() throws {
        folder = Folder()
    }

    private func description(_ path: String, readonly: Bool = false) throws -> String {
        var configuration = Configuration()
        configuration.readonly = readonly
        let error = try #require(throws: DatabaseError.self) {
            try DatabaseQueue(path: path, configuration: configuration)
        }
        return error.description
    }

    private func start(_ path: String) -> String { "SQLite error 14: unable to open database file - \(path): " }

    @Test(arguments: [true, false])
    func aMissingFolder(readonly: Bool) throws {
        let path = folder.path("missing/db.sqlite")
        #expect(
            try description(path, readonly: readonly)
                == start(path) + "the folder \(folder.path("missing")) doesn't exist: create it first")
    }

    @Test func aMissingFile() throws {
        let path = folder.path("db.sqlite")
        #expect(try description(path, readonly: true) == start(path) + "the file doesn't exist")
    }

    @Test func aFolder() throws {
        let path = folder.url.path
        #expect(try description(path) == start(path) + "it is a folder: give the path of a file")
        let text = try description(path, readonly: true)
        #expect(text == "SQLite error 10: disk I/O error - \(path): it is a folder: give the path of a file")
    }

    @Test func aFileInThePlaceOfTheFolder() throws {
        #expect(FileManager.default.createFile(atPath: folder.path("file"), contents: nil))
        let path = folder.path("file/db.sqlite")
        #expect(
            try description(path) == start(path) + "\(folder.path("file")) is a file, and can't contain the database")
    }

    @Test(.enabled(if: getuid() != 0, "nothing is forbidden to root"))
    func aFileThatMustNotBeOpened() throws {
        let path = folder.path("db.sqlite")
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0]))
        #expect(try description(path) == start(path) + "the process has no permission to open it")
    }

    @Test(.enabled(if: getuid() != 0, "nothing is forbidden to root"))
    func aFileInAFolderThatMustNotBeWritten() throws {
        let path = folder.path("db.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        #expect(
            try description(path)
                == start(path) + "the file doesn't exist, and the process has no permission to create files in "
                + folder.url.path)
        #expect(try description(path, readonly: true) == start(path) + "the file doesn't exist")
    }

    /// SQLite follows the link, whose target is in a missing folder.
    @Test func aFileThatCannotBeCreated() throws {
        let path = folder.path("db.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: folder.path("missing/db.sqlite"))
        #expect(try description(path) == start(path) + "the file doesn't exist, and can't be created")
    }

    @Test(arguments: [true, false])
    func aFileThatIsNoDatabase(readonly: Bool) throws {
        let path = folder.path("text")
        try Data(String(repeating: "This is not a database. ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
        #expect(try description(path, readonly: readonly) == "SQLite error 26: \(notADatabase) - \(path)")
    }

    /// Pools open their files in the same way.
    @Test func pools() throws {
        let path = folder.path("missing/db.sqlite")
        let error = #expect(throws: DatabaseError.self) { try DatabasePool(path: path) }
        #expect(error?.message == "unable to open database file")
        #expect(error?.description.hasPrefix(start(path)) == true)
    }
}
