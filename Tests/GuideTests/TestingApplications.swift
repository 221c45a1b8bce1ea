import Amalgam
import Foundation
import Testing

@Suite("Guide: Testing an application")
struct TestingApplications {
    // guide: application
    struct AppDatabase {
        let writer: any DatabaseWriter

        init(_ writer: any DatabaseWriter) throws {
            self.writer = writer
            try Self.migrator.migrate(writer)
        }

        static var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            }
            return migrator
        }

        func addPlayer(named name: String) throws {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
            }
        }
    }
    // end

    // guide: test
    @Test func aPlayerIsAdded() throws {
        let app = try AppDatabase(DatabaseQueue())  // in memory: each test has its own
        try app.addPlayer(named: "Anna")
        let names = try app.writer.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
        #expect(names == ["Anna"])
    }
    // end

    @Test("A copy of a file, and fixed dates")
    func fixtures() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("fixture.sqlite")
        try AppDatabase(DatabaseQueue(path: path)).addPlayer(named: "Anna")
        // guide: copy
        let copy = try DatabaseQueue.inMemoryCopy(fromPath: path)
        // end
        #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") } == 1)
        // guide: clock
        var config = Configuration()
        config.transactionClock = .custom { _ in Date(timeIntervalSince1970: 0) }
        let dbQueue = try DatabaseQueue(configuration: config)
        let date = try dbQueue.write { db in try db.transactionDate }
        // end
        #expect(date == Date(timeIntervalSince1970: 0))
    }
}
