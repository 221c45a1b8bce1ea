import Amalgam
import AmalgamTesting
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
            migrator.registerMigration("v2") { db in
                try db.execute(sql: "CREATE INDEX player_on_name ON player(name)")
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

    // guide: query
    struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    @Test func playersAreFoundByTheirNames() throws {
        let app = try AppDatabase(DatabaseQueue())
        try app.addPlayer(named: "Anna")
        try app.writer.read { db in
            let request = Player.filter(Column("name") == "Anna")
            try expectQuery(db, request) {
                #"SELECT * FROM "player" WHERE "name" = 'Anna'"#
            } rows: {
                "1|Anna"
            }
            try expectPlan(db, request, usesIndex: "player_on_name")
        }
    }
    // end

    // guide: recorder
    @Test func aPlayerIsAddedByOneStatement() throws {
        let recorder = SQLRecorder()
        var config = Configuration()
        config.recordSQL(in: recorder)
        let app = try AppDatabase(DatabaseQueue(configuration: config))
        let statements = try recorder.statements { try app.addPlayer(named: "Anna") }
        let sql = statements.filter { !$0.controlsTransaction }.map(\.expandedSQL)
        #expect(sql == ["INSERT INTO player (name) VALUES ('Anna')"])
    }
    // end

    @Test("A full disk")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("players.sqlite")
        // guide: disk
        let disk = try FailingDisk()
        var config = Configuration()
        config.disk = disk
        let app = try AppDatabase(DatabasePool(path: path, configuration: config))

        disk.freeBytes = 0
        #expect(throws: DatabaseError.self) { try app.addPlayer(named: "Anna") }
        disk.recover()
        try app.addPlayer(named: "Anna")
        // end
        #expect(try app.writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") } == 1)
    }

    // guide: every-failure
    @Test func aPlayerIsAddedOrNot() throws {
        try FailingDisk.everyFailure(.io) { attempt in
            let path = attempt.path("players.sqlite")
            let app = try AppDatabase(DatabaseQueue(path: path, configuration: attempt.configuration()))
            let result = Result { try attempt.failing { try app.addPlayer(named: "Anna") } }
            let names = try app.writer.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
            switch result {
            case .success: #expect(names == ["Anna"])
            case .failure: #expect(names == [])
            }
        }
    }
    // end

    // guide: power
    @Test func aPlayerSurvivesAPowerFailure() throws {
        let disk = try PowerLossDisk()
        var config = Configuration()
        config.disk = disk
        config.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = FULL") }
        }
        let path = disk.path("players.sqlite")
        let dbPool = try DatabasePool(path: path, configuration: config)
        try AppDatabase(dbPool).addPlayer(named: "Anna")
        let count = disk.operationCount  // from now on, Anna must be there
        try dbPool.close()

        try disk.forEachPowerLoss(count: 20, seed: 1) { loss in
            let dbPool = try DatabasePool(path: path, configuration: config)
            let app = try AppDatabase(dbPool)
            let names = try app.writer.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
            if loss.operationCount >= count { #expect(names == ["Anna"], "\(loss)") }
            try dbPool.close()
        }
    }
    // end

    // guide: migrations
    @Test func databasesOfTheFirstVersionAreMigrated() throws {
        let tester = MigrationTester(AppDatabase.migrator)
        let start = EarlierDatabase.version("v1") { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        try tester.expectMigration(from: start) { db in
            try String.fetchAll(db, sql: "SELECT name FROM player")  // the same before and after
        }
        try tester.expectInterruptions(from: start) { db in
            try String.fetchAll(db, sql: "SELECT name FROM player")
        }
    }
    // end

    @Test("Files of earlier versions")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("v1.sqlite")
        let tester = MigrationTester(AppDatabase.migrator)
        // guide: file
        try tester.makeFile(at: path, version: "v1") { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Anna')")
        }
        // end
        // guide: from-file
        try tester.expectMigration(from: .file(path)) { db in
            try String.fetchAll(db, sql: "SELECT name FROM player")
        }
        // end
    }

    @Test("A failure on its line")
    func failures() throws {
        let dbQueue = try DatabaseQueue()
        try AppDatabase.migrator.migrate(dbQueue)
        let plan = try dbQueue.read { db in try db.queryPlan(sql: "SELECT * FROM player") }
        try withKnownIssue {
            try recordingFailures { try expectPlan(plan, usesIndex: "player_on_name") }
        } matching: { issue in
            issue.sourceLocation?.fileName == "TestingApplications.swift"
        }
    }

    // guide: recording
    func recordingFailures(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as ExpectationFailed {
            let location = failure.location
            Issue.record(
                "\(failure.message)",
                sourceLocation: SourceLocation(
                    fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column))
        }
    }
    // end
}
