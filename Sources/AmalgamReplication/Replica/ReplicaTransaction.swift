#if Replication && (os(Linux) || os(macOS))
public import Foundation

/// A transaction of a replica: the changes of one or several transactions of the database, which Litestream uploaded
/// together.
///
/// ```swift
/// let last = try await Replica(url: "file:///Volumes/Backup/players").transactions().last
/// ```
public struct ReplicaTransaction: Hashable, Sendable {
    /// The number of the transaction in the replica, which begins at 1.
    public let number: UInt64

    /// The end of the second in which Litestream read the transaction from the WAL file, to upload it: a restore to this
    /// time has the transaction, and others of the same second.
    public let date: Date
}

/// A file of the replica, as the command `litestream ltx -json` lists it.
struct ReplicaFile: Decodable {
    let level: Int
    let minimum: UInt64
    let maximum: UInt64
    let size: Int
    let date: Date

    private enum CodingKeys: String, CodingKey {
        case level, size
        case minimum = "min_txid"
        case maximum = "max_txid"
        case date = "timestamp"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        level = try container.decode(Int.self, forKey: .level)
        size = try container.decode(Int.self, forKey: .size)
        date = try container.decode(Date.self, forKey: .date)
        minimum = UInt64(try container.decode(String.self, forKey: .minimum), radix: 16) ?? 0
        maximum = UInt64(try container.decode(String.self, forKey: .maximum), radix: 16) ?? 0
    }
}

extension ReplicaFile {
    /// The name of the file in a folder of a replica, and in Litestream's local folder.
    var name: String { "\(minimum.engineText)-\(maximum.engineText).ltx" }
}

extension Replica {
    /// Returns the transactions that ``restore(to:at:progress:)`` accepts, oldest first.
    ///
    /// ```swift
    /// let transactions = try await replica.transactions()
    /// ```
    ///
    /// Litestream merges older transactions, so this list has gaps.
    ///
    /// - Returns: the transactions. Empty if the address has no replica.
    /// - Throws: ``ReplicationError`` if the store can't be read, or doesn't answer within 30 seconds.
    /// - Complexity: The files of the replica are listed.
    public func transactions() async throws -> [ReplicaTransaction] {
        var dates: [UInt64: Date] = [:]
        for file in try await files() { dates[file.maximum] = min(file.date, dates[file.maximum] ?? file.date) }
        // Litestream lists the beginning of the second.
        return dates.map { ReplicaTransaction(number: $0, date: $1.addingTimeInterval(1)) }.sorted {
            $0.number < $1.number
        }
    }

    /// Lists the files of the replica. Litestream would wait for an answer of the store without a limit, and repeats
    /// requests for two minutes.
    ///
    /// - Parameter level: the level of compaction. 0 is that of the latest transactions. Nil for all levels.
    /// - Throws: ``ReplicationError`` if the store can't be read, or doesn't answer within 30 seconds.
    func files(level: Int? = nil) async throws -> [ReplicaFile] {
        try check()
        let arguments = ["ltx", "-json", "-level", level.map(String.init) ?? "all", url]
        let output = try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await engine.run(arguments, environment, redact) }
            group.addTask {
                try await Task.sleep(for: .seconds(30))
                throw isAway
            }
            defer { group.cancelAll() }
            return try await group.next() ?? ""
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode([ReplicaFile]?.self, from: Data(output.utf8)) ?? []
    }

    var isAway: ReplicationError { ReplicationError(.engineFailed, "The store of \(self) doesn't answer.") }
}
#endif
