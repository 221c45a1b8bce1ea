import Amalgam
import AmalgamTesting
import Foundation
import Testing

struct EveryFailureTests {
    private func makeQueue(_ attempt: FailureAttempt) throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue(path: attempt.path("db.sqlite"), configuration: attempt.configuration())
        try dbQueue.write { db in try db.createTeams() }
        return dbQueue
    }

    private func insertTwo(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO player (name, teamId) VALUES ('Dora', 2), ('Eve', 2)")
    }

    private func count(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") }

    @Test(arguments: [DiskFailure.io, .io.persisting, .full, .full.persisting, .tornWrite, .busy])
    func aTransactionIsWholeOrWithoutEffect(failure: DiskFailure) throws {
        var numbers: [Int] = []
        let failures = try FailingDisk.everyFailure(failure) { attempt in
            numbers.append(attempt.number)
            let dbQueue = try makeQueue(attempt)
            var expected = 5
            do {
                try attempt.failing { try dbQueue.write(insertTwo) }
                #expect(attempt.hasFailed == false || attempt.number > 0)
            } catch let error as DatabaseError {
                #expect(attempt.hasFailed, "\(error)")
                expected = 3
            }
            #expect(try dbQueue.read(count) == expected)
            #expect(try dbQueue.read { db in try db.integrityCheck() } == [])
            try dbQueue.close()
        }
        #expect(failures >= 1)
        // The first attempt and the last one have no failure.
        #expect(numbers == Array(0...(failures + 1)))
    }

    @Test func asynchronousTests() async throws {
        let failures = try await FailingDisk.everyFailure(.full, stride: 3) { attempt in
            let dbPool = try DatabasePool(path: attempt.path("db.sqlite"), configuration: attempt.configuration())
            try await dbPool.write { db in try db.createTeams() }
            let result: Void? = try? await attempt.failing { try await dbPool.write(insertTwo) }
            let found = try await dbPool.read(count)
            #expect(found == (result == nil ? 3 : 5))
            try dbPool.close()
        }
        #expect(failures >= 1)
    }

    @Test func eachAttemptHasAnEmptyFolder() throws {
        var paths: [String] = []
        try FailingDisk.everyFailure(DiskFailure(.open, of: .journal)) { attempt in
            let path = attempt.path("db.sqlite")
            #expect(!FileManager.default.fileExists(atPath: path))
            paths.append(path)
            let dbQueue = try makeQueue(attempt)
            _ = try? attempt.failing { try dbQueue.write(insertTwo) }
            try dbQueue.close()
        }
        #expect(paths.count == 3)
        #expect(Set(paths).count == 3)
        #expect(!paths.contains { FileManager.default.fileExists(atPath: $0) })
    }

    @Test func operationsAreCountedAcrossCalls() throws {
        var failed: [Int] = []
        let failures = try FailingDisk.everyFailure(DiskFailure(.open, of: .journal)) { attempt in
            let dbQueue = try makeQueue(attempt)
            for call in 1...3 {
                do { try attempt.failing { try dbQueue.write(insertTwo) } } catch { failed.append(call) }
            }
            try dbQueue.close()
        }
        #expect(failures == 3)
        #expect(failed == [1, 2, 3])
    }

    /// A disk that is full in each attempt doesn't make the attempts endless.
    @Test func failuresForWantOfSpaceAreNotPlanned() throws {
        let failures = try FailingDisk.everyFailure(DiskFailure(.open, of: .journal)) { attempt in
            let dbQueue = try makeQueue(attempt)
            attempt.disk.freeBytes = 0
            _ = try? attempt.failing { try dbQueue.write(insertTwo) }
            #expect(attempt.hasFailed)
            attempt.disk.recover()
            try dbQueue.close()
        }
        #expect(failures == 1)
    }

    @Test func aTestWithoutOperations() throws {
        let failure = try failure { try FailingDisk.everyFailure(.io) { _ in } }
        #expect(failure?.message == "No operation could fail: run the code under test in attempt.failing.")
    }

    @Test func theErrorOfATest() throws {
        struct Refusal: Error {}
        let failure = try failure {
            try FailingDisk.everyFailure(DiskFailure(.open, of: .journal)) { attempt in
                let dbQueue = try makeQueue(attempt)
                do { try attempt.failing { try dbQueue.write(insertTwo) } } catch { throw Refusal() }
            }
        }
        #expect(failure?.message == "The test throws an error when operation 1 fails: Refusal()")
    }
}
