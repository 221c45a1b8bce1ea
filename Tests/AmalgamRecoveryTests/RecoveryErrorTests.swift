import Amalgam
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite("Recoveries that end early", hasRecovery)
struct RecoveryErrorTests {
    private func makeDatabase(rowCount: Int = 3) throws -> DamagedDatabase {
        try DamagedDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.inTransaction {
                for number in 0..<rowCount { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
                return .commit
            }
        }
    }

    private func expectNothing(_ database: DamagedDatabase, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!FileManager.default.fileExists(atPath: database.newPath), sourceLocation: sourceLocation)
        #expect(database.leftovers == [], sourceLocation: sourceLocation)
    }

    @Test("A file at the new path stays", arguments: ["", "-wal", "-journal"])
    func existingFile(suffix: String) throws {
        let database = try makeDatabase()
        let content = Data("precious".utf8)
        try content.write(to: URL(fileURLWithPath: database.newPath + suffix))
        expectCode(.SQLITE_CANTOPEN) { try DatabaseRecovery(of: database.path).recover(into: database.newPath) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: database.newPath + suffix)) == content)
    }

    @Test("Paths that lead nowhere")
    func paths() throws {
        let database = try makeDatabase()
        expectCode(.SQLITE_CANTOPEN) { try DatabaseRecovery(of: database.path + "x").recover(into: database.newPath) }
        expectCode(.SQLITE_CANTOPEN) { try DatabaseRecovery(of: ":memory:").recover(into: database.newPath) }
        expectCode(.SQLITE_CANTOPEN) { try DatabaseRecovery(of: database.path).recover(into: "") }
        expectCode(.SQLITE_CANTOPEN) {
            try DatabaseRecovery(of: database.path).recover(into: database.folder.path("none/recovered.sqlite"))
        }
        expectNothing(database)
    }

    @Test("Bytes that were never a database")
    func notADatabase() throws {
        let database = try makeDatabase()
        try database.damage { bytes in bytes = Array(bytes[100..<200]) }
        expectCode(.SQLITE_NOTADB) { try DatabaseRecovery(of: database.path).recover(into: database.newPath) }
        expectNothing(database)
        var generator = SeededGenerator(seed: 45)
        try database.damage { bytes in bytes = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        #expect(try database.recover().savedRowCount == 0)
    }

    @Test("An empty file has nothing to be saved")
    func empty() throws {
        let database = try makeDatabase()
        try database.damage { bytes in bytes = [] }
        #expect(try database.recover().description == "Nothing was found.")
    }

    @Test("A connection that writes makes the database busy")
    func busy() throws {
        let database = try makeDatabase()
        let queue = try DatabaseQueue(path: database.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            expectCode(.SQLITE_BUSY) { try DatabaseRecovery(of: database.path).recover(into: database.newPath) }
            try db.execute(sql: "ROLLBACK")
        }
        expectNothing(database)
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("app.sqlite"))
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            expectCode(.SQLITE_BUSY) { try DatabaseRecovery(of: pool.path).recover(into: folder.path("new.sqlite")) }
        }
        let report = try DatabaseRecovery(of: pool.path).recover(into: folder.path("new.sqlite"))
        #expect(report.tables.map(\.name) == ["t"])
    }

    private struct Stop: Error {}

    @Test("The progress closure can end the recovery in each phase", arguments: RecoveryProgress.Phase.allCases)
    func progress(phase: RecoveryProgress.Phase) throws {
        let database = try DamagedDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE INDEX i ON t (a); CREATE VIRTUAL TABLE f USING fts5 (x)")
            try db.execute(sql: "INSERT INTO t VALUES (1); INSERT INTO f VALUES ('word')")
        }
        var phases: [RecoveryProgress.Phase] = []
        #expect(throws: Stop.self) {
            try DatabaseRecovery(of: database.path).recover(into: database.newPath) { progress in
                phases.append(progress.phase)
                #expect((0...1).contains(progress.fractionCompleted))
                if progress.phase == phase { throw Stop() }
                if progress.phase.rawValue > phase.rawValue { throw Stop() }
            }
        }
        expectNothing(database)
        #expect(phases == phases.sorted { $0.rawValue < $1.rawValue })
        let report = try database.recover()
        #expect(report.savedRowCount == 1)
    }

    @Test("The cancellation of the task ends a recovery")
    func cancellation() async throws {
        let database = try makeDatabase(rowCount: 20_000)
        let path = database.path, newPath = database.newPath
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let isCancelled = DispatchSemaphore(value: 0)
        let recovery = Task {
            try await DatabaseRecovery(of: path).recover(into: newPath) { progress in
                guard progress.savedRowCount > 0 else { return }
                continuation.finish()
                isCancelled.wait()
                isCancelled.signal()
            }
        }
        for await _ in begun {}
        recovery.cancel()
        isCancelled.signal()
        await #expect(throws: CancellationError.self) { try await recovery.value }
        expectNothing(database)
        let report = try await DatabaseRecovery(of: path).recover(into: newPath)
        #expect(report.savedRowCount == 20_000)
    }

    @Test("A task that is cancelled before doesn't begin")
    func cancelledBefore() async throws {
        let database = try makeDatabase()
        let path = database.path, newPath = database.newPath
        let recovery = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await DatabaseRecovery(of: path).recover(into: newPath)
        }
        await #expect(throws: CancellationError.self) { try await recovery.value }
        expectNothing(database)
    }

    @Test("An error of prepareDatabase that doesn't come of the damage is thrown")
    func preparation() throws {
        let database = try makeDatabase()
        var configuration = Configuration()
        configuration.prepareDatabase { _ in throw Stop() }
        #expect(throws: Stop.self) {
            try DatabaseRecovery(of: database.path, configuration: configuration).recover(into: database.newPath)
        }
        expectNothing(database)
        configuration = Configuration()
        configuration.prepareDatabase { _ in throw DatabaseError(message: "The key can't be read.") }
        expectCode(.SQLITE_ERROR) {
            try DatabaseRecovery(of: database.path, configuration: configuration).recover(into: database.newPath)
        }
        expectNothing(database)
        configuration = Configuration()
        configuration.prepareDatabase { db in try db.execute(sql: "CREATE TABLE IF NOT EXISTS other (a)") }
        configuration.prepareDatabase { db in try db.execute(sql: "SELECT * FROM missing") }
        #expect(
            try DatabaseRecovery(of: database.path, configuration: configuration).recover(into: database.newPath)
                .tables.map(\.name) == ["t"])
    }
}

@Suite("A build without recovery", .enabled(if: !SQLiteBuild.hasRecovery))
struct MissingRecoveryTests {
    @Test("The error names the way out")
    func error() throws {
        let database = try DamagedDatabase("CREATE TABLE t (a)")
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseRecovery(of: database.path).recover(into: database.newPath)
        }
        #expect(error?.message?.contains("scripts/bootstrap") == true)
    }
}
