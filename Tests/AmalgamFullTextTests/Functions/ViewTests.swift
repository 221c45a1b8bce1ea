import Amalgam
import Foundation
import TestSupport
import Testing

/// Views of searches, which all connections can read.
@Suite("Views of searches")
struct ViewTests {
    private let table = Table("document")

    /// Requests that call functions that a connection has after their first use in a request.
    private var refused: [(function: String, request: QueryInterfaceRequest<Row>)] {
        [
            ("amalgam_marked_text", table.matching("swift").select(FTS5.markedText(Column("body")).forKey("m"))),
            ("amalgam_marked_snippet", table.matching("swift").select(FTS5.markedSnippet().forKey("m"))),
            ("amalgam_rank_words", table.matching("swift").ranked(by: [.words]).select(Column("body"))),
            ("amalgam_typos", table.matching(.fuzzy("swfit")).order(Column.rank).select(Column("body"))),
        ]
    }

    /// Runs a test with two connections to a file that has documents.
    private func withConnections(_ test: (DatabaseQueue, DatabaseQueue) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let path = directory.appending(path: "documents.sqlite").path
            let first = try DatabaseQueue(path: path)
            try first.write { db in
                try db.execute(
                    sql:
                        "CREATE VIRTUAL TABLE document USING fts5(body); INSERT INTO document VALUES ('swift'), ('rust')"
                )
            }
            let second = try DatabaseQueue(path: path)
            try test(first, second)
            try first.close()
            try second.close()
        }
    }

    @Test("a view can't call a function that other connections don't have")
    func refusedViews() throws {
        try withConnections { first, _ in
            try first.write { db in
                for (function, request) in refused {
                    expectEqual(try request.fetchCount(db), 1)
                    let error = expectCode(.SQLITE_MISUSE) { try db.create(view: "found", as: request) }
                    #expect(error?.message?.hasPrefix("the schema can't have a call of \(function)") == true)
                    #expect(try !db.viewExists("found"))
                    try db.create(view: "found", options: .temporary, as: request)
                    expectEqual(try Row.fetchAll(db, sql: "SELECT * FROM found").count, 1)
                    try db.drop(view: "found")
                }
            }
        }
    }

    @Test("views of other searches work on every connection")
    func views() throws {
        try withConnections { first, second in
            let requests = [
                table.matching("swift"), table.matching(.fuzzy("swift")).order(Column.rank),
                table.matching("swift").ranked(by: .bm25([2])),
                table.matching("swift").select(FTS5.highlight(Column("body"), from: "<", to: ">").forKey("h")),
                table.matching("swift").select(FTS5.bm25(weights: ["body": 2]).forKey("h")),
            ]
            for (number, request) in requests.enumerated() {
                try first.write { db in try db.create(view: "found\(number)", as: request) }
                let count = try second.read { db in try Row.fetchAll(db, sql: "SELECT * FROM found\(number)").count }
                expectEqual(count, 1, "\(number)")
            }
        }
    }
}
