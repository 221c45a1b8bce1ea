import Amalgam
import Foundation
import TestSupport
import Testing

/// A process that is killed in the middle of a commit.
@Suite(.watchdog)
struct KilledWriterTests {
    /// The WAL index begins with two copies of its header: <https://sqlite.org/walformat.html#the_wal_index_header>. SQLite
    /// writes the second one first. When the writer is killed in between, the next read recovers the header, and sees the
    /// commit. So the loop must receive a change.
    @Test func betweenTheCopiesOfTheHeader() async throws {
        let folder = Folder()
        let (path, index) = (folder.path("db.sqlite"), folder.path("db.sqlite-shm"))
        let pool = try DatabasePool(path: path, configuration: .tested)
        try await pool.write { try $0.createPlayers() }
        let other = try DatabasePool(path: path, configuration: .tested)
        try await other.read { _ in }
        var changes = try await pool.externalChanges().makeAsyncIterator()
        try await pool.writeWithoutTransaction { _ in
            // The files are checked after this access.
            let header = try Self.bytes(of: index, count: 48)
            try other.write { try $0.addPlayer() }
            try Self.replace(header, in: index)
        }
        #expect(try await changes.next() != nil)
        #expect(try await pool.read { try $0.playerCount() } == 1)
        try other.close()
        try pool.close()
    }

    // A process that closes a descriptor of the file loses its locks on it. No other process uses the file here.

    private static func bytes(of path: String, count: Int) throws -> Data {
        let file = try #require(FileHandle(forReadingAtPath: path))
        return try #require(try file.read(upToCount: count))
    }

    private static func replace(_ bytes: Data, in path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: bytes)
    }
}
