import Amalgam
import TestSupport
import Testing

/// Databases that a pool attaches to each of its connections have their own versions: those of the main database don't
/// tell which database has changed.
@Suite struct AttachedDatabaseTests {
    @Test func changesOfAnAttachedDatabaseAreObserved() throws {
        let folder = Folder()
        defer { withExtendedLifetime(folder) {} }
        let archive = try DatabasePool(path: folder.path("archive.sqlite"))
        try archive.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        var configuration = Configuration()
        configuration.prepareDatabase { [path = archive.path] db in
            try db.execute(sql: "ATTACH DATABASE ? AS archive", arguments: [path])
        }
        let pool = try DatabasePool(path: folder.path("main.sqlite"), configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT COUNT(*) FROM archive.note) * 10 + COUNT(*) FROM player")!
        }
        let recorder = Recorder<Int>()
        let cancellable = recorder.start(observation, in: pool)
        try recorder.wait(last: 0)
        try pool.write { try $0.execute(sql: "INSERT INTO archive.note VALUES ('Hello')") }
        try recorder.wait(last: 10)
        try pool.write { try $0.execute(sql: "INSERT INTO player VALUES ('Anna')") }
        try recorder.wait(last: 11)
        try pool.write { db in
            try db.execute(sql: "INSERT INTO player VALUES ('Ben'); INSERT INTO archive.note VALUES ('Bye')")
        }
        try recorder.wait(last: 22)
        cancellable.cancel()
        try pool.close()
        try archive.close()
    }
}
