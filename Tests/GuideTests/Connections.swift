import Amalgam
import Foundation
import Testing

@Suite("Guide: Queue or pool")
struct Connections {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("A queue and a pool are used in the same way")
    func opening() async throws {
        let queuePath = folder.path("queue.sqlite")
        let poolPath = folder.path("pool.sqlite")
        // guide: open
        let dbQueue = try DatabaseQueue(path: queuePath)
        let dbPool = try DatabasePool(path: poolPath)
        // end
        // guide: functions
        func createPlayers(in database: some DatabaseWriter) throws {
            try database.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            }
        }

        func playerCount(in database: some DatabaseReader) async throws -> Int {
            try await database.read { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
            }
        }

        try createPlayers(in: dbPool)
        // end
        try createPlayers(in: dbQueue)
        #expect(try await playerCount(in: dbQueue) == 0)
        #expect(try await playerCount(in: dbPool) == 0)
    }

    @Test("A configuration prepares each connection")
    func configuration() throws {
        let path = folder.path("app.sqlite")
        // guide: configuration
        var config = Configuration()
        config.label = "players"  // the name of its threads and queues
        config.busyMode = .timeout(5)  // seconds to wait for a lock of another process
        config.maximumReaderCount = 10  // for pools; 5 by default
        config.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("initial", argumentCount: 1, pure: true) { values in
                    String.fromDatabaseValue(values[0]).map { String($0.prefix(1)) }
                })
        }
        let configuredPool = try DatabasePool(path: path, configuration: config)
        // end
        #expect(try configuredPool.read { try String.fetchOne($0, sql: "SELECT initial('Anna')") } == "A")
        #expect(configuredPool.configuration.maximumReaderCount == 10)
    }

    @Test("A read of a pool sees the last commit, and a write beside it changes nothing for it")
    func isolation() throws {
        let dbPool = try DatabasePool(path: folder.path("isolation.sqlite"))
        try dbPool.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        // guide: isolation
        try dbPool.read { db in
            let before = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
            try dbPool.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
            }
            let after = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")!
            assert(before == after)  // this read sees the database as it was when it began
        }
        // end
        #expect(try dbPool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") } == 1)
        try dbPool.read { db in
            let before = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
            try dbPool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Bo')") }
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == before)
        }
    }

    @Test("A database in memory")
    func memory() throws {
        // guide: memory
        let memory = try DatabaseQueue()
        let shared = try DatabaseQueue(named: "shared")  // two queues of one name open one database
        // end
        try shared.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        #expect(try DatabaseQueue(named: "shared").read { try $0.tableExists("player") })
        #expect(try !memory.read { try $0.tableExists("player") })
    }

    @Test("A snapshot shows one state of the database for as long as it lives")
    func snapshot() throws {
        let dbPool = try DatabasePool(path: folder.path("snapshot.sqlite"))
        try dbPool.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        // guide: snapshot
        let snapshot = try dbPool.makeSnapshot()
        try dbPool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Anna')") }
        let count = try snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        print(count!)  // the number of players before the insertion
        // end
        #expect(count == 0)
    }
}
