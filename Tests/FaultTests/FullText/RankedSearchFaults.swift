import Amalgam
import AmalgamCore
import CKeyedFiles
import Foundation
import Testing

/// Searches for the best rows. Either all of them are returned, with their ranks, or an error.
@Suite struct RankedSearchFaults {
    /// An index of three segments, with terms on several pages, and deleted rows.
    @Sendable private static func createDocuments(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE document USING fts5(title, body);
                INSERT INTO document(document, rank) VALUES ('pgsz', 64), ('automerge', 0), ('rank', 'bm25(4.0, 1.0)')
                """)
        for segment in 0..<3 {
            try db.inTransaction {
                for number in 1...8 {
                    try db.execute(
                        sql: "INSERT INTO document(rowid, title, body) VALUES (?, ?, ?)",
                        arguments: [
                            number * 3000 + segment, number % 3 == 0 ? "engine" : "engines \(number)",
                            number % 2 == 0 ? "a database of data" : "the data base with a databse",
                        ])
                }
                try db.execute(sql: "DELETE FROM document WHERE rowid = ?", arguments: [segment * 3000])
                return .commit
            }
        }
    }

    /// The rows of a search, with their ranks.
    private static func rows(_ db: Database, _ query: FTS5Query, limit: Int? = nil) throws -> [String] {
        let request = Table("document").matching(query).order(Column.rank).select(Column.rowID, Column.rank)
        return try Row.fetchAll(db, limit.map { request.limit($0) } ?? request).map { row in
            "\(row[0] as Int64) \((row[1] as Double).bitPattern)"
        }
    }

    /// The words of `fuzzy("engine databse")` have terms and a phrase as alternatives.
    private static let queries: [FTS5Query] = [
        .fuzzy("engine databse"), ("engine" || "engines") && ("database" || "base"), "a" || "the", "engines" && "data",
    ]

    private static func search(_ attempt: Attempt) throws {
        // The second time, the postings and the terms are in memory.
        for _ in 1...2 {
            try attempt.read { db in
                for query in queries { attempt.note(try rows(db, query, limit: 4)) }
                attempt.note(try rows(db, queries[0]))
            }
        }
        try attempt.step { db in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO document VALUES ('engine', 'database')")
                attempt.note(try rows(db, queries[0], limit: 4))
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM document WHERE rowid > 9000")
                    attempt.note(try rows(db, queries[0], limit: 4))
                    return .rollback
                }
                attempt.note(try rows(db, queries[0], limit: 4))
                return .commit
            }
        }
        try attempt.read { db in attempt.note(try rows(db, queries[0], limit: 4)) }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func typos(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, setUp: Self.createDocuments) { attempt in
            try attempt.connect()
            try Self.search(attempt)
        }
    }

    #if Encryption
    @Sendable private static func useKey(_ db: Database) throws {
        try db.useRawKey(Data(repeating: 7, count: 32))
    }

    /// All files of the process may have a key already: see CKeyedFiles.
    @Test(
        .enabled(if: keyed_files_are_on() == 0),
        arguments: Weather.allocations([.journal, .pool]) + Weather.files([.pool]))
    func encrypted(weather: Weather) throws {
        try everyFault(of: weather, stride: 3, preparing: Self.useKey, setUp: Self.createDocuments) { attempt in
            var configuration = Configuration.inFaults
            configuration.prepareDatabase { db in try Self.useKey(db) }
            try attempt.connect(configuration)
            try Self.search(attempt)
        }
    }
    #endif
}
