import Amalgam
import AmalgamTesting
import Foundation
import Testing

/// Public protocols of AmalgamTesting, adopted by types of a test.
@Suite("Protocols of AmalgamTesting that tests adopt")
struct AdoptedTestingTests {
    @Test("TestDisk")
    func disks() throws {
        struct LockFiles: TestDisk {
            let vfsName = "unix-dotfile"
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("AdoptedTesting-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration()
        configuration.disk = LockFiles()
        #expect(configuration.vfsName == "unix-dotfile")
        let path = folder.appendingPathComponent("db.sqlite").path
        let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
        let name = try dbQueue.read { db in try db.vfsName() }
        #expect(name == "unix-dotfile")
        try dbQueue.close()
        configuration.disk = nil
        #expect(configuration.vfsName == nil)
    }
}
