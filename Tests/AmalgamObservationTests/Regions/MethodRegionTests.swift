import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Observations whose fetch reads by a method of the library, without a statement that reads the rows.
struct MethodRegionTests {
    private static let schema = """
        CREATE TABLE file (id INTEGER PRIMARY KEY, content, other);
        INSERT INTO file VALUES (1, x'0102', 0), (2, x'0304', 0);
        CREATE TABLE team (id INTEGER PRIMARY KEY);
        CREATE TABLE player (id INTEGER PRIMARY KEY, team REFERENCES team);
        INSERT INTO team VALUES (1);
        INSERT INTO player VALUES (1, 1);
        """

    /// A fetch, and a change of what it reads.
    struct Fetch: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: String
        let value: @Sendable (Database) throws -> String
    }

    private static let update = "UPDATE file SET content = x'090909' WHERE id = 1"
    private static let violation = "PRAGMA foreign_keys = 0; DELETE FROM team; PRAGMA foreign_keys = 1"

    static let fetches: [Fetch] = [
        Fetch(testDescription: "openBlob", change: update) { db in
            try "\(db.openBlob(table: "FILE", column: "Content", rowID: 1).readAll())"
        },
        Fetch(testDescription: "withBlob", change: update) { db in
            try db.withBlob(table: "file", column: "content", rowID: 1) { try "\($0.readAll())" }
        },
        Fetch(testDescription: "reopen", change: update) { db in
            let blob = try db.openBlob(table: "file", column: "content", rowID: 2)
            try blob.reopen(rowID: 1)
            return try "\(blob.readAll())"
        },
        Fetch(testDescription: "serialize", change: "DELETE FROM player") { try "\(copy(of: $0.serialize()))" },
        Fetch(testDescription: "withSerializedBytes", change: "DELETE FROM player") { db in
            try db.withSerializedBytes { try copy(of: Data($0)) }
        },
        Fetch(testDescription: "backup", change: "DELETE FROM player") { db in
            nonisolated(unsafe) let source = db
            return try DatabaseQueue().writeWithoutTransaction { db in
                try source.backup(to: db)
                return try content(db)
            }
        },
        Fetch(testDescription: "checkForeignKeys", change: violation) { db in
            do { try db.checkForeignKeys() } catch { return "violated" }
            return "intact"
        },
        Fetch(testDescription: "checkForeignKeys(in:)", change: violation) { db in
            do { try db.checkForeignKeys(in: "player") } catch { return "violated" }
            return "intact"
        },
        Fetch(testDescription: "foreignKeyViolations", change: violation) { db in
            try "\(db.foreignKeyViolations().next() != nil)"
        },
        Fetch(testDescription: "pragma_integrity_check", change: "INSERT INTO player VALUES (7, 1)") { db in
            // The check reads the rows, whatever its result is.
            let problems = try String.fetchAll(db, sql: "SELECT * FROM pragma_integrity_check('player')")
            return "\(problems) \(db.totalChangesCount)"
        },
    ]

    private static func content(_ db: Database) throws -> String {
        try "\(Int.fetchAll(db, sql: "SELECT id FROM player"))"
    }

    private static func copy(of bytes: Data) throws -> String {
        try DatabaseQueue(deserializing: bytes).read(content)
    }

    @Test(arguments: fetches, [Store.memoryQueue, .pool])
    func whatAMethodReadsIsTracked(fetch: Fetch, store: Store) throws {
        try store.withWriter { writer in
            try writer.write { try $0.execute(sql: "DROP TABLE player; DROP TABLE team") }
            try writer.write { try $0.execute(sql: Self.schema) }
            let recorder = Recorder<String>()
            let cancellable = recorder.start(ValueObservation.tracking(fetch.value), in: writer)
            try recorder.wait(count: 1)
            try writer.writeWithoutTransaction { try $0.execute(sql: fetch.change) }
            try recorder.wait(count: 2)
            let values = recorder.values
            #expect(fetch.testDescription.hasPrefix("pragma") || values[0] != values[1])
            cancellable.cancel()
        }
    }

    /// A blob is one column of one row.
    @Test func otherRowsAndColumnsOfABlobAreNotTracked() throws {
        try makeQueue(Self.schema).inDatabase { db in
            var region = DatabaseRegion()
            try db.recordingAccess(in: &region) {
                _ = try db.withBlob(table: "file", column: "content", rowID: 1) { try $0.readAll() }
            }
            #expect(region.description == "file(content)[1]")
        }
    }
}
