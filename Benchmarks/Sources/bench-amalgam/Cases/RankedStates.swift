import CAmalgam
import Foundation

/// Ranked searches of 100,000 documents while something writes. Only the searches are timed.
protocol RankedStateCase: Case {
    /// Whether FTS5 itself ranks the rows.
    static var usesFTS5: Bool { get }
    static var situation: RankedSituation { get }
    var table: RankedTable { get }
    init(table: RankedTable)
}

enum RankedSituation {
    case quiet, sparse, transaction, commits, rest, busy
}

extension RankedStateCase {
    static var usesFTS5: Bool { false }

    init(folder: Folder) throws {
        self.init(table: try RankedTable(folder: folder, Self.name, Self.situation, usesFTS5: Self.usesFTS5))
    }

    func run() throws -> Int { try table.run(Self.situation) }
    func countedTime() -> Duration? { table.time }
}

/// A table in a file in WAL mode, and the time of its searches.
final class RankedTable {
    private(set) var time: Duration = .zero
    private let writer: DatabaseQueue
    private let reader: DatabaseQueue
    private var number = 0

    init(folder: Folder, _ name: String, _ situation: RankedSituation, usesFTS5: Bool) throws {
        let path = try folder.fresh("\(name).sqlite")
        var configuration = Configuration.unsynchronized
        configuration.prepareDatabase { db in
            _ = amalgam_ranked_set_enabled(db.sqliteConnection, usesFTS5 ? 0 : 1)
        }
        writer = try DatabaseQueue(path: path, configuration: configuration)
        let factor = situation == .sparse ? "7919000000007" : "1"
        try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
                    CREATE VIRTUAL TABLE document USING fts5(body);
                    CREATE TABLE other (bytes);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
                    INSERT INTO document(rowid, body)
                    SELECT i * \(factor), 'w' || i % 20 || ' v' || i % 37 || ' u' || i % 9999 || ' lorem ipsum' FROM n;
                    INSERT INTO document(document) VALUES ('optimize');
                    """)
        }
        reader = try DatabaseQueue(path: path, configuration: configuration)
        for _ in 0..<3 { _ = try reader.read(search) }
    }

    /// Does 20 searches; after 1,000 commits each, three. At rest, these were each searched once before.
    func run(_ situation: RankedSituation) throws -> Int {
        time = .zero
        switch situation {
        case .quiet, .sparse: return try (0..<20).reduce(0) { sum, _ in sum &+ (try reader.read(search)) }
        case .transaction:
            return try writer.write { db in
                try (0..<20).reduce(0) { sum, _ in
                    try insert(db)
                    return sum &+ (try search(db))
                }
            }
        case .commits, .rest:
            return try (0..<3).reduce(0) { sum, _ in
                for _ in 0..<1_000 { try writer.write(insert) }
                if situation == .rest {
                    let before = time
                    _ = try reader.read(search)
                    time = before
                }
                return sum &+ (try reader.read(search))
            }
        case .busy:
            return try (0..<20).reduce(0) { sum, _ in
                try writer.write { db in try db.execute(sql: "INSERT INTO other VALUES (randomblob(40000))") }
                return sum &+ (try reader.read(search))
            }
        }
    }

    private func insert(_ db: Database) throws {
        number += 1
        try db.execute(
            sql: "INSERT INTO document(body) VALUES (?)", arguments: ["a message v\(number % 37) u\(number % 9999)"])
    }

    private func search(_ db: Database) throws -> Int {
        let clock = ContinuousClock()
        var found = 0
        time += try clock.measure {
            let sql = "SELECT rowid FROM document WHERE document MATCH 'w5 OR v7' ORDER BY rank, rowid LIMIT 20"
            found = try Int64.fetchAll(db, sql: sql).count
        }
        return found
    }
}

let rankedStateCases: [any Case.Type] = [
    RankedQuiet.self, RankedQuietFTS5.self, RankedTransaction.self, RankedTransactionFTS5.self, RankedCommits.self,
    RankedCommitsFTS5.self, RankedRest.self, RankedRestFTS5.self, RankedSparse.self, RankedSparseFTS5.self,
    RankedBusy.self, RankedBusyFTS5.self,
]

struct RankedQuiet: RankedStateCase {
    static let name = "ranked-quiet"
    static let situation = RankedSituation.quiet
    let table: RankedTable
}

struct RankedQuietFTS5: RankedStateCase {
    static let name = "ranked-quiet-fts5"
    static let situation = RankedSituation.quiet
    static let usesFTS5 = true
    let table: RankedTable
}

/// Inside a transaction that writes a row before each search.
struct RankedTransaction: RankedStateCase {
    static let name = "ranked-transaction"
    static let situation = RankedSituation.transaction
    let table: RankedTable
}

struct RankedTransactionFTS5: RankedStateCase {
    static let name = "ranked-transaction-fts5"
    static let situation = RankedSituation.transaction
    static let usesFTS5 = true
    let table: RankedTable
}

/// After 1,000 commits of one row each.
struct RankedCommits: RankedStateCase {
    static let name = "ranked-commits"
    static let situation = RankedSituation.commits
    let table: RankedTable
}

struct RankedCommitsFTS5: RankedStateCase {
    static let name = "ranked-commits-fts5"
    static let situation = RankedSituation.commits
    static let usesFTS5 = true
    let table: RankedTable
}

/// The second search after 1,000 commits of one row each: of the same segments, which FTS5 has merged in part.
struct RankedRest: RankedStateCase {
    static let name = "ranked-rest"
    static let situation = RankedSituation.rest
    let table: RankedTable
}

struct RankedRestFTS5: RankedStateCase {
    static let name = "ranked-rest-fts5"
    static let situation = RankedSituation.rest
    static let usesFTS5 = true
    let table: RankedTable
}

/// Rowids that are far apart.
struct RankedSparse: RankedStateCase {
    static let name = "ranked-sparse"
    static let situation = RankedSituation.sparse
    let table: RankedTable
}

struct RankedSparseFTS5: RankedStateCase {
    static let name = "ranked-sparse-fts5"
    static let situation = RankedSituation.sparse
    static let usesFTS5 = true
    let table: RankedTable
}

/// Next to a table that is written before each search.
struct RankedBusy: RankedStateCase {
    static let name = "ranked-busy"
    static let situation = RankedSituation.busy
    let table: RankedTable
}

struct RankedBusyFTS5: RankedStateCase {
    static let name = "ranked-busy-fts5"
    static let situation = RankedSituation.busy
    static let usesFTS5 = true
    let table: RankedTable
}
