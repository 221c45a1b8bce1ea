import Amalgam
import Foundation
import TestSupport
import Testing

/// Folders are moved while a loop waits for changes of a database file in them.
@Suite(.watchdog)
struct MovedFoldersTests {
    enum Moved: String, CaseIterable {
        case folder = "a/b"
        case parent = "a"
    }

    /// Opens a pool in the folder `a/b`.
    private func withPool(_ body: (_ folder: Folder, _ pool: DatabasePool) async throws -> Void) async throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        try Self.makeFolders(folder)
        let pool = try DatabasePool(path: folder.path("a/b/db.sqlite"), configuration: .tested)
        try await pool.write { try $0.createPlayers() }
        try await body(folder, pool)
        try? pool.close()
    }

    private static func makeFolders(_ folder: Folder) throws {
        try FileManager.default.createDirectory(atPath: folder.path("a/b"), withIntermediateDirectories: true)
    }

    /// The loop throws, because other processes that open the path find a different database, or none.
    @Test(arguments: Moved.allCases, [true, false])
    func theLoopThrows(moved: Moved, isReplaced: Bool) async throws {
        try await withPool { folder, pool in
            var changes = try await pool.externalChanges().makeAsyncIterator()
            #expect(rename(folder.path(moved.rawValue), folder.path("elsewhere")) == 0)
            if isReplaced {
                try Self.makeFolders(folder)
                let other = try DatabasePool(path: folder.path("a/b/db.sqlite"), configuration: .tested)
                try await other.write { try $0.createPlayers() }
            }
            let error = await #expect(throws: DatabaseError.self) { while try await changes.next() != nil {} }
            #expect(error?.extendedResultCode == .SQLITE_READONLY_DBMOVED)
        }
    }

    @Test(arguments: Moved.allCases)
    func aFolderThatComesBackIsTheSame(moved: Moved) async throws {
        try await withPool { folder, pool in
            let path = folder.path(moved.rawValue)
            try await pool.writeWithoutTransaction { _ in
                // The writer's queue handles the events.
                #expect(rename(path, folder.path("elsewhere")) == 0)
                #expect(rename(folder.path("elsewhere"), path) == 0)
            }
            var changes = try await pool.externalChanges().makeAsyncIterator()
            try await pool.writeWithoutTransaction { _ in
                #expect(rename(path, folder.path("elsewhere")) == 0)
                #expect(rename(folder.path("elsewhere"), path) == 0)
            }
            let other = try DatabasePool(path: pool.path, configuration: .tested)
            try await other.write { try $0.addPlayer() }
            #expect(try await changes.next() != nil)
        }
    }
}
