package import Amalgam
import CAmalgamTesting
import Foundation

/// The states that the commits of a program leave, and their positions in the log of the disk.
///
/// The program and its observer run one after the other, so nothing is guarded.
package final class History: TransactionObserver, @unchecked Sendable {
    /// The content of the files.
    package struct State: Hashable, Sendable {
        /// A number for each file.
        let digests: [UInt64]

        init(_ db: Database, _ profile: Profile) throws { digests = try profile.schemas.map { try db.digest(of: $0) } }
    }

    /// A state whose commit was acknowledged when the log had `position` operations.
    package struct Commit: Sendable {
        package let position: Int64
        package let state: State
    }

    /// The commits before `count` are on the disk when the log has `position` operations.
    private struct DurablePoint {
        let position: Int64
        let count: Int
    }

    package private(set) var commits: [Commit] = []
    private var durablePoints: [DurablePoint] = []
    private var error: (any Error)?
    private let disk: Disk
    private let profile: Profile

    init(_ disk: Disk, _ profile: Profile) {
        self.disk = disk
        self.profile = profile
    }

    /// Adds the current state.
    func record(_ db: Database) throws {
        let position = disk.count
        commits.append(Commit(position: position, state: try State(db, profile)))
    }

    /// Notes that all commits so far are on the disk, whatever the setting is.
    func markDurable() { durablePoints.append(DurablePoint(position: disk.count, count: commits.count)) }

    /// Throws the error of an observed commit.
    func check() throws {
        if let error { throw error }
    }

    /// The number of commits that were acknowledged before an operation of the log.
    package func acknowledgedCount(at position: Int64) -> Int { commits.count { $0.position <= position } }

    /// The number of commits that were on the disk by a checkpoint before an operation of the log.
    package func durableCount(at position: Int64) -> Int {
        durablePoints.last { $0.position <= position }?.count ?? 0
    }

    package func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    package func databaseDidChange(with event: DatabaseEvent) {}
    package func databaseDidRollback(_ db: Database) {}

    package func databaseDidCommit(_ db: Database) {
        do {
            try record(db)
        } catch {
            self.error = self.error ?? error
        }
    }
}

extension Database {
    /// A number that changes with the schema and all rows of a database.
    fileprivate func digest(of schema: String) throws -> UInt64 {
        var digest = Digest()
        digest.add(try Int64.fetchOne(self, sql: "PRAGMA \(schema).user_version")!.databaseValue)
        let entries = try Row.fetchAll(
            self,
            sql: "SELECT type, name, sql, rootpage > 0 AS isStored FROM \(schema).sqlite_master ORDER BY type, name"
        )
        for entry in entries {
            for column in ["type", "name", "sql"] { digest.add(entry[column]) }
        }
        for entry in entries where entry["type"] == "table" && entry["isStored"] {
            let name: String = entry["name"]
            let rows = try Row.fetchCursor(self, sql: "SELECT * FROM \(schema).\"\(name)\" NOT INDEXED")
            while let row = try rows.next() {
                for (_, value) in row { digest.add(value) }
            }
        }
        return digest.value
    }
}

/// FNV-1a over database values.
private struct Digest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ dbValue: DatabaseValue) {
        switch dbValue.storage {
        case .null: add(0, [])
        case .int64(let number): add(1, withUnsafeBytes(of: number) { Array($0) })
        case .double(let number): add(2, withUnsafeBytes(of: number) { Array($0) })
        case .string(let string): add(3, Array(string.utf8))
        case .blob(let data): add(4, Array(data))
        }
    }

    private mutating func add(_ type: UInt8, _ bytes: [UInt8]) {
        let length = withUnsafeBytes(of: bytes.count) { Array($0) }
        for part in [[type], length, bytes] {
            value = part.withUnsafeBytes { amalgam_power_hash(value, $0.baseAddress, Int64($0.count)) }
        }
    }
}
