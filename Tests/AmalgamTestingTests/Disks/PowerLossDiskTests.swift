import Amalgam
import AmalgamTesting
import Foundation
import Testing

struct PowerLossDiskTests {
    private let disk: PowerLossDisk

    init() throws { disk = try PowerLossDisk() }

    private func configuration(synchronous: String) -> Configuration {
        var configuration = Configuration()
        configuration.disk = disk
        configuration.prepareDatabase { db in
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA synchronous = \(synchronous)") }
        }
        return configuration
    }

    private func open(_ synchronous: String) throws -> DatabasePool {
        try DatabasePool(path: disk.path("db.sqlite"), configuration: configuration(synchronous: synchronous))
    }

    /// Runs two transactions.
    ///
    /// - Returns: the moments after which they have happened.
    private func insertTwice(_ synchronous: String) throws -> [Int] {
        let dbPool = try open(synchronous)
        try dbPool.write { db in try db.execute(sql: "CREATE TABLE note (text)") }
        let moments = try (1...2).map { number in
            try dbPool.write { db in
                try db.execute(sql: "INSERT INTO note VALUES (?), (zeroblob(20000))", arguments: [number])
            }
            return disk.operationCount
        }
        try dbPool.close()
        return moments
    }

    /// The number of rows. 0 if there is no table.
    private func count(_ writer: any DatabaseWriter) throws -> Int {
        try writer.read { db in
            #expect(try db.integrityCheck() == [])
            return try db.tableExists("note") ? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") ?? 0 : 0
        }
    }

    @Test func commitsWithASyncAreKept() throws {
        let moments = try insertTwice("FULL")
        var found: Set<Int> = []
        try disk.forEachPowerLoss(count: 60, seed: 1) { loss in
            let dbPool = try open("FULL")
            let rows = try count(dbPool)
            let acknowledged = moments.count { $0 <= loss.operationCount }
            #expect([2 * acknowledged, 2 * acknowledged + 2].contains(rows), "\(loss)")
            found.insert(rows)
            try dbPool.close()
        }
        #expect(found == [0, 2, 4])
    }

    @Test func commitsWithoutASyncMayBeLost() throws {
        let moments = try insertTwice("NORMAL")
        var lossCount = 0
        for seed: UInt64 in 1...20 {
            try disk.losePower(PowerLoss(after: moments[1], seed: seed))
            let dbPool = try open("NORMAL")
            if try count(dbPool) < 4 { lossCount += 1 }
            try dbPool.close()
        }
        #expect(lossCount > 0)
    }

    @Test func aPowerLossIsRepeatable() throws {
        let moments = try insertTwice("NORMAL")
        func bytes(_ seed: UInt64) throws -> [String: Data] {
            try disk.losePower(PowerLoss(after: moments[0], seed: seed))
            var files: [String: Data] = [:]
            let folder = URL(fileURLWithPath: disk.path(""))
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
            }
            return files
        }
        let first = try bytes(7)
        // What happens after a loss doesn't change the next one.
        let dbPool = try open("NORMAL")
        try dbPool.write { db in try db.execute(sql: "CREATE TABLE later (a)") }
        try dbPool.close()
        #expect(try bytes(7) == first)
        let others = try (1...20).map { try bytes($0) }
        #expect(Set(others).count > 1)
    }

    @Test func theErrorOfATest() throws {
        struct Refusal: Error {}
        _ = try insertTwice("FULL")
        let failure = try failure { try disk.forEachPowerLoss(count: 3, seed: 1) { _ in throw Refusal() } }
        #expect(failure?.message.hasPrefix("The test throws an error after PowerLoss(after: ") == true)
        #expect(failure?.message.hasSuffix("): Refusal()") == true)
    }

    @Test func filesOfOtherFoldersLoseNothing() throws {
        let folder = try Folder()
        let other = try DatabaseQueue(
            path: folder.path("other.sqlite"), configuration: configuration(synchronous: "OFF"))
        try other.write { db in try db.execute(sql: "CREATE TABLE note (text); INSERT INTO note VALUES ('a')") }
        #expect(disk.operationCount == 0)
        _ = try insertTwice("FULL")
        try disk.losePower(PowerLoss(after: 0, seed: 1))
        #expect(try count(other) == 1)
        #expect(!FileManager.default.fileExists(atPath: disk.path("db.sqlite")))
    }

    @Test func theFolderIsRemovedWithTheDisk() throws {
        var path = ""
        do {
            let disk = try PowerLossDisk()
            path = disk.path("")
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
