import CAmalgam
import Foundation
import Workload

/// The searches for the queries of some classes, in an index of short documents.
///
/// Each search is timed by itself: the second of two in a row, as the peer's cache has the titles of few searches.
final class RankedSearch {
    /// Does a search, and returns a number that depends on what it found.
    typealias Search = (Database) throws -> Int

    /// The time of each search of the last run.
    private(set) var times: [Duration] = []

    private let queue: DatabaseQueue
    private let patterns: [FTS5Pattern]
    private let searches: [Search]
    private lazy var matchCounts = Result { try countMatches() }

    init<C: RankedCase>(_ type: C.Type, folder: Folder) throws {
        let queries = try ShortCorpus().queries(C.classes)
        queue = try C.index(folder: folder).open()
        patterns = try queue.read { db in try queries.map { try C.pattern($0, db) } }
        searches = try queue.read { db in try queries.map { try C.search($0, db) } }
    }

    func run() throws -> Int {
        times = []
        return try queue.read { db in
            try searches.reduce(0) { sum, search in
                var found = 0
                let clock = ContinuousClock()
                var time = try clock.measure { found = try search(db) }
                // A search that takes longer is FTS5's: what is in a cache doesn't matter.
                if time < .milliseconds(200) { time = try clock.measure { found = try search(db) } }
                times.append(time)
                return sum &+ found
            }
        }
    }

    /// Returns how many documents match, over all queries.
    func matchCount() throws -> Int { try matchCounts.get() }

    private func countMatches() throws -> Int {
        try queue.read { db in
            try patterns.reduce(0) { try $0 + FoundDocument.matching($1).fetchCount(db) }
        }
    }
}

/// The index of a number of short documents, in one segment.
struct RankedIndex {
    var folder: Folder
    var documentCount = Int(RANKED_COUNT)

    /// Whether the index has all beginnings of one to three letters.
    var hasPrefixes = false

    func open() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try db.execute(sql: RANKED_CACHE)
            let usesFTS5 = ProcessInfo.processInfo.environment[RANKED_WAY_VARIABLE] == "fts5"
            _ = amalgam_ranked_set_enabled(db.sqliteConnection, usesFTS5 ? 0 : 1)
        }
        return try DatabaseQueue(path: path(), configuration: configuration)
    }

    private func path() throws -> String {
        let file = hasPrefixes ? RANKED_PREFIXES_FILE : RANKED_FILE
        return try folder.fixture(
            file.replacing("%lld", with: "\(documentCount)"),
            script: [
                RANKED_CACHE,
                RANKED_TABLE + (hasPrefixes ? RANKED_PREFIXES : "") + RANKED_END,
                "ATTACH '\(try ShortCorpus().path.replacing("'", with: "''"))' AS corpus",
                RANKED_FILL.replacing("%lld", with: "\(documentCount)"),
                RANKED_OPTIMIZE,
            ])
    }
}

/// The corpus that `scripts/corpus --short` creates.
struct ShortCorpus {
    let path: String

    init() throws {
        guard let path = ProcessInfo.processInfo.environment[RANKED_CORPUS_VARIABLE] else { throw MissingShortCorpus() }
        self.path = path
    }

    func queries(_ classes: [String]) throws -> [String] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            try classes.flatMap { try String.fetchAll(db, sql: RANKED_QUERIES, arguments: [$0]) }
        }
    }
}

struct MissingShortCorpus: Error, CustomStringConvertible {
    let description = "there is no corpus at \(RANKED_CORPUS_VARIABLE): scripts/corpus --short makes it"
}
