import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// The complete example of the documentation of `Session`.
@Suite struct SessionGuideTests {
    private let schema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)"

    @Test func recordStoreApplyUndo() throws {
        let phone = try makeQueue(schema)
        let tablet = try makeQueue(schema)
        try tablet.write { try $0.execute(sql: "INSERT INTO player VALUES (2, 'Bo', 20)") }

        // Record on one device, and store.
        let bytes = try phone.write { db in
            let changeset = try db.recordChanges {
                try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna', 10)")
            }
            return changeset.data
        }

        // Apply on the other device.
        try tablet.write { db in
            _ = try db.apply(Changeset(data: bytes)) { conflict in conflict.replaceOrOmit }
        }
        #expect(try tablet.read { try $0.rows(of: "player") } == ["1|Anna|10", "2|Bo|20"])

        // Undo.
        try phone.write { db in
            _ = try db.apply(Changeset(data: bytes).inverted())
        }
        #expect(try phone.read { try $0.rows(of: "player") } == [])
    }

    /// Both devices change the same row, and have the same content in the end.
    @Test func synchronise() throws {
        let phone = try makeQueue(schema)
        let tablet = try makeQueue(schema)
        let start = "INSERT INTO player VALUES (1, 'Anna', 10)"
        try phone.write { try $0.execute(sql: start) }
        try tablet.write { try $0.execute(sql: start) }
        let remote = try phone.write { db in
            try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 11") }
        }
        let rebased = try tablet.write { db in
            let local = try db.recordChanges { try db.execute(sql: "UPDATE player SET score = 99, name = 'Ann'") }
            let application = try db.apply(remote) { conflict in conflict.replaceOrOmit }
            return try local.rebased(on: application.resolutions)
        }
        #expect(rebased.description == "UPDATE player(1*, \"Anna\" -> \"Ann\", _)")
        try phone.write { _ = try $0.apply(rebased) }
        #expect(try phone.read { try $0.rows(of: "player") } == ["1|Ann|11"])
        #expect(try tablet.read { try $0.rows(of: "player") } == ["1|Ann|11"])
    }
}
