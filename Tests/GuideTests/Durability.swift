import Amalgam
import Foundation
import Testing

@Suite("Guides: What a power failure leaves")
struct Durability {
    let folder: TemporaryFolder
    let path: String
    let otherPath: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("app.sqlite")
        otherPath = folder.path("other.sqlite")
    }

    @Test("Settings of a pool")
    func settings() throws {
        try DatabasePool(path: otherPath).close()
        // guide: full
        var config = Configuration()
        config.prepareDatabase { db in
            if !db.configuration.readonly {
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
        }
        let dbPool = try DatabasePool(path: path, configuration: config)
        // end
        try dbPool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        // guide: checkpoint
        try dbPool.writeWithoutTransaction { db in
            let (frameCount, checkpointedCount) = try db.checkpoint()
            print(checkpointedCount == frameCount)  // true, unless a read holds the checkpoint back
        }
        // end
        #expect(try synchronous(dbPool, "main") == 2)
        try dbPool.close()
        let otherPath = otherPath
        // guide: attached
        config.prepareDatabase { db in
            if !db.configuration.readonly {
                try db.execute(sql: "ATTACH ? AS other", arguments: [otherPath])
                try db.execute(sql: "PRAGMA other.synchronous = FULL")
            }
        }
        // end
        #expect(try synchronous(try DatabasePool(path: path, configuration: config), "other") == 2)
    }

    @Test("The settings of connections that set none")
    func defaults() throws {
        let pool = try DatabasePool(path: path)
        #expect(try synchronous(pool, "main") == 1)
        #expect(try synchronous(try DatabaseQueue(path: otherPath), "main") == 2)
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS other; PRAGMA other.journal_mode = WAL", arguments: [otherPath])
        }
        #expect(try synchronous(pool, "other") == 1)
    }

    private func synchronous(_ writer: some DatabaseWriter, _ schema: String) throws -> Int? {
        try writer.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA \(schema).synchronous") }
    }
}
