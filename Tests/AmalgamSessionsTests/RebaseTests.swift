import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Two devices change the same rows. The changes of the first one are applied on the second, whose own changes are
/// rebased before they are sent to others: <https://sqlite.org/session/rebaser.html>.
@Suite struct RebaseTests {
    private struct Result {
        var rebased: [String]
        /// The results of the rebased changes on a third device that had applied the changes of the first one.
        var conflicts: Int
        var there: [String]
        var here: [String]
    }

    /// - Parameters:
    ///   - local: The changes on this device.
    ///   - remote: The changes on another device, from the same rows.
    private func rebase(
        local: String, remote: String, _ resolution: ChangeConflict.Resolution
    ) throws -> Result {
        let schema = "CREATE TABLE t (a INTEGER PRIMARY KEY, b, c); INSERT INTO t VALUES (7, 'old', 'old')"
        var result: Result?
        try withTwoDatabases({ try $0.execute(sql: schema) }) { here, elsewhere in
            let local = try here.recordChanges { try here.execute(sql: local) }
            let remote = try elsewhere.recordChanges { try elsewhere.execute(sql: remote) }
            let application = try here.apply(remote) { _ in resolution }
            let rebased = try local.rebased(on: application.resolutions)
            let third = try elsewhere.apply(rebased) { _ in .omit }
            result = try Result(
                rebased: rebased.lines, conflicts: third.conflictCount, there: elsewhere.rows(of: "t"),
                here: here.rows(of: "t"))
        }
        return try #require(result)
    }

    @Test func insertions() throws {
        let local = "INSERT INTO t VALUES (1, 'v1', 0)"
        let remote = "INSERT INTO t VALUES (1, 'v2', 0)"
        let omitted = try rebase(local: local, remote: remote, .omit)
        #expect(omitted.rebased == ["UPDATE t(1*, \"v2\" -> \"v1\", 0 -> 0)"])
        #expect(omitted.conflicts == 0)
        #expect(omitted.there == omitted.here)
        let replaced = try rebase(local: local, remote: remote, .replace)
        #expect(replaced.rebased == [])
        #expect(replaced.there == replaced.here)
    }

    @Test func updates() throws {
        let local = "UPDATE t SET b = 'local', c = 'mine'"
        let remote = "UPDATE t SET b = 'remote'"
        let omitted = try rebase(local: local, remote: remote, .omit)
        #expect(omitted.rebased == ["UPDATE t(7*, \"remote\" -> \"local\", \"old\" -> \"mine\")"])
        #expect(omitted.conflicts == 0)
        #expect(omitted.there == ["7|local|mine"])
        #expect(omitted.there == omitted.here)
        let replaced = try rebase(local: local, remote: remote, .replace)
        #expect(replaced.rebased == ["UPDATE t(7*, _, \"old\" -> \"mine\")"])
        #expect(replaced.there == ["7|remote|mine"])
        #expect(replaced.there == replaced.here)
    }

    @Test func updateAndDeletion() throws {
        let omitted = try rebase(local: "UPDATE t SET b = 'local'", remote: "DELETE FROM t", .omit)
        #expect(omitted.rebased == ["INSERT t(7*, \"local\", \"old\")"])
        #expect(omitted.there == omitted.here)
        let replaced = try rebase(local: "UPDATE t SET b = 'local'", remote: "DELETE FROM t", .replace)
        #expect(replaced.rebased == [])
        #expect(replaced.there == [])
    }

    @Test func deletionAndUpdate() throws {
        let omitted = try rebase(local: "DELETE FROM t", remote: "UPDATE t SET b = 'remote'", .omit)
        #expect(omitted.rebased == ["DELETE t(7*, \"remote\", \"old\")"])
        #expect(omitted.conflicts == 0)
        #expect(omitted.there == [])
    }

    @Test func withoutConflict() throws {
        let result = try rebase(
            local: "INSERT INTO t VALUES (1, 2, 3)", remote: "INSERT INTO t VALUES (4, 5, 6)", .omit)
        #expect(result.rebased == ["INSERT t(1*, 2, 3)"])
        #expect(result.there == result.here)
    }

    @Test("an update between equal values is no conflict for SQLite: the other device reports one")
    func equalValues() throws {
        for (old, new) in [("0.0", "-0.0"), ("1", "1.0")] {
            try withTwoDatabases({
                try $0.execute(sql: "CREATE TABLE t (a PRIMARY KEY, b); INSERT INTO t VALUES (7, \(old))")
            }) {
                here, elsewhere in
                let local = try here.recordChanges { try here.execute(sql: "UPDATE t SET b = \(new)") }
                let remote = try elsewhere.recordChanges { try elsewhere.execute(sql: "DELETE FROM t") }
                let application = try here.apply(remote)
                #expect(application.conflictCount == 0)
                let rebased = try local.rebased(on: application.resolutions)
                #expect(try rebased.lines == ["UPDATE t(7*, \(old) -> \(new))"])
                var conflicts: [ChangeConflict.Kind] = []
                try elsewhere.apply(rebased) { conflict in
                    conflicts.append(conflict.kind)
                    return .omit
                }
                #expect(conflicts == [.notFound])
            }
        }
    }

    @Test func severalRemotes() throws {
        try withTwoDatabases({ try $0.execute(sql: "CREATE TABLE t (a PRIMARY KEY, b)") }) { here, elsewhere in
            let local = try here.recordChanges { try here.execute(sql: "INSERT INTO t VALUES (1, 'l'), (2, 'l')") }
            let remotes = try [1, 2].map { key in
                try elsewhere.recordChanges {
                    try elsewhere.execute(sql: "INSERT INTO t VALUES (?, 'r')", arguments: [key])
                }
            }
            let resolutions = try remotes.map { try here.apply($0) { _ in .omit }.resolutions }
            let rebased = try local.rebased(on: resolutions)
            #expect(try rebased.lines == ["UPDATE t(1*, \"r\" -> \"l\")", "UPDATE t(2*, \"r\" -> \"l\")"])
            try elsewhere.apply(rebased)
            #expect(try elsewhere.rows(of: "t") == here.rows(of: "t"))
            var streamed = Data()
            try Changeset.writeRebased(
                .data(local.data), on: resolutions, to: ChangesetOutput { streamed.append(contentsOf: $0) })
            #expect(try Changeset(data: streamed).lines == rebased.lines)
        }
    }

    @Test func resolutionsAreValues() throws {
        try withTwoDatabases({ try $0.execute(sql: "CREATE TABLE t (a PRIMARY KEY, b)") }) { here, elsewhere in
            try here.execute(sql: "INSERT INTO t VALUES (1, 'l')")
            let session = try elsewhere.makeSession()
            try elsewhere.execute(sql: "INSERT INTO t VALUES (1, 'r')")
            let resolutions = try here.apply(session.changeset()) { _ in .omit }.resolutions
            #expect(!resolutions.isEmpty)
            #expect(try ConflictResolutions(data: resolutions.data) == resolutions)
            let json = try JSONEncoder().encode([resolutions])
            #expect(try JSONDecoder().decode([ConflictResolutions].self, from: json) == [resolutions])
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([ConflictResolutions].self, from: Data("[\"aGVsbG8=\"]".utf8))
            }
            expectError(.SQLITE_CORRUPT, "malformed changeset") {
                _ = try ConflictResolutions(data: resolutions.data.dropLast())
            }
            // Patchsets have none.
            let patches = try here.apply(session.patchset()) { _ in .omit }
            #expect(patches.conflictCount == 1)
            #expect(patches.resolutions.isEmpty)
        }
    }

    /// If the tables differ, SQLite by itself reads beyond its buffers.
    @Test func otherTables() throws {
        func changeset(_ sql: String, _ change: String) throws -> (Changeset, ConflictResolutions) {
            try DatabaseQueue().inDatabase { db in
                try db.execute(sql: sql)
                let changeset = try db.recordChanges { try db.execute(sql: change) }
                return (changeset, try db.apply(changeset) { _ in .omit }.resolutions)
            }
        }
        let two = try changeset("CREATE TABLE t (a PRIMARY KEY, b)", "INSERT INTO t VALUES (1, 2)")
        let three = try changeset("CREATE TABLE T (a PRIMARY KEY, b, c)", "INSERT INTO t VALUES (1, 2, 3)")
        let message = "has other columns, or another primary key, than in the resolutions"
        expectError(.SQLITE_SCHEMA, "the table t \(message)") { _ = try two.0.rebased(on: three.1) }
        expectError(.SQLITE_SCHEMA, "the table T \(message)") { _ = try three.0.rebased(on: two.1) }
        expectError(.SQLITE_SCHEMA, "the table T \(message)") { _ = try two.0.rebased(on: [two.1, three.1]) }
        expectError(.SQLITE_SCHEMA, "the table T \(message)") {
            try Changeset.writeRebased(.data(three.0.data), on: [two.1], to: ChangesetOutput { _ in })
        }
    }
}
