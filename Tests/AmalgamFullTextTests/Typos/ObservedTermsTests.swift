import Amalgam
import Foundation
import TestSupport
import Testing

/// Observations of what C code reads.
@Suite("Observed terms of an index")
struct ObservedTermsTests {
    @Test("an observation of a pattern is notified of new terms")
    func observation() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(body)") }
        let patterns = Log<String>()
        let observation = ValueObservation.tracking { db in
            try FTS5Query.fuzzy("sparow").pattern(db, forTable: "note").rawPattern
        }
        let cancellable = observation.start(
            in: queue, scheduling: .async(onQueue: .global()), onError: { Issue.record("\($0)") },
            onChange: { patterns.append($0) })
        try waitUntil("the first value") { patterns.count == 1 }
        try queue.write { db in try db.execute(sql: "INSERT INTO note VALUES ('sparrow')") }
        try waitUntil("the second value") { patterns.count == 2 }
        #expect(patterns.elements == ["sparow", "sparow OR sparrow"])
        cancellable.cancel()
    }
}
