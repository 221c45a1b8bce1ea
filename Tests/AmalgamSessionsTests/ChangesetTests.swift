import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

/// Changesets and patchsets as values.
@Suite struct ChangesetTests {
    private func changeset(_ sql: String = "UPDATE person SET score = 11 WHERE id = 1") throws -> Changeset {
        try DatabaseQueue().inDatabase { db in
            try db.createPeople()
            return try db.recordChanges { try db.execute(sql: sql) }
        }
    }

    private func patchset() throws -> Patchset {
        try DatabaseQueue().inDatabase { db in
            try db.createPeople()
            let session = try db.makeSession()
            try db.execute(sql: "DELETE FROM person")
            return try session.patchset()
        }
    }

    @Test func bytes() throws {
        let changeset = try changeset()
        let copy = try Changeset(data: changeset.data)
        #expect(copy == changeset)
        #expect(copy.hashValue == changeset.hashValue)
        #expect(try Changeset(data: Array(changeset.data)) == changeset)
        #expect(try Changeset(data: changeset.data.dropFirst(0)) == changeset)
        #expect(changeset.bytes.withUnsafeBytes { Data($0) } == changeset.data)
        #expect(try self.changeset("DELETE FROM person") != changeset)
    }

    @Test func empty() throws {
        let empty = try Changeset(data: Data())
        #expect(try empty.isEmpty)
        #expect(try empty.count == 0)
        #expect(try empty.first == nil)
        #expect(empty.description == "")
        #expect(try empty.tableNames == [])
        #expect(try empty.inverted() == empty)
        #expect(try empty + empty == empty)
        #expect(try Patchset(data: Data()).isEmpty)
        #expect(try changeset("SELECT 1") == empty)
        #expect(try changeset() + empty == changeset())
        try withDatabase { _ = try $0.apply(empty) }
    }

    @Test func refusedBytes() throws {
        let changeset = try changeset()
        let patchset = try patchset()
        expectError(.SQLITE_MISMATCH, "this is a patchset, and not a changeset") {
            _ = try Changeset(data: patchset.data)
        }
        expectError(.SQLITE_MISMATCH, "this is a changeset, and not a patchset") {
            _ = try Patchset(data: changeset.data)
        }
        expectError(.SQLITE_CORRUPT, "malformed changeset") { _ = try Changeset(data: Data("hello".utf8)) }
        expectError(.SQLITE_CORRUPT, "malformed changeset") { _ = try Changeset(data: changeset.data.dropLast()) }
        expectError(.SQLITE_MISMATCH, "this is a patchset, and not a changeset") {
            _ = try Changeset(data: changeset.data + patchset.data)
        }
    }

    /// A value of an unknown type is refused, although SQLite's iterator reads it as NULL.
    @Test(arguments: [6, 9, 0x7f, 0xff] as [UInt8])
    func aValueOfAnUnknownType(_ type: UInt8) throws {
        // The table t with one column, the primary key; an INSERT.
        let bytes = Data("T\u{1}\u{1}t\0".utf8) + Data([18, 0])
        #expect(try Changeset(data: bytes + [3, 1, UInt8(ascii: "a")]).lines == ["INSERT t(\"a\"*)"])
        expectError(.SQLITE_CORRUPT, "malformed changeset") { _ = try Changeset(data: bytes + [type]) }
        expectError(.SQLITE_CORRUPT, "malformed changeset") {
            try Changegroup<Changeset>().add(from: .data(bytes + [type]))
        }
    }

    @Test func codable() throws {
        struct Envelope: Codable, Equatable {
            var changes: Changeset
            var patches: Patchset
        }
        let envelope = Envelope(changes: try changeset(), patches: try patchset())
        let json = try JSONEncoder().encode(envelope)
        #expect(try JSONDecoder().decode(Envelope.self, from: json) == envelope)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Changeset].self, from: Data("[\"aGVsbG8=\"]".utf8))
        }
    }

    @Test func databaseValue() throws {
        let changeset = try changeset()
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE log (id INTEGER PRIMARY KEY, changes BLOB)")
            try db.execute(sql: "INSERT INTO log (changes) VALUES (?)", arguments: [changeset])
            #expect(try Changeset.fetchOne(db, sql: "SELECT changes FROM log") == changeset)
            #expect(try String.fetchOne(db, sql: "SELECT typeof(changes) FROM log") == "blob")
            #expect(Changeset.fromDatabaseValue("x".databaseValue) == nil)
            #expect(Changeset.fromDatabaseValue(Data([1]).databaseValue) == nil)
            #expect(Patchset.fromDatabaseValue(changeset.databaseValue) == nil)
        }
    }

    @Test func sendable() async throws {
        let changeset = try changeset()
        let count = try await Task.detached { try changeset.count }.value
        #expect(count == 1)
    }

    @Test func inversion() throws {
        let changeset = try changeset(
            """
            INSERT INTO person VALUES (4, 'Dora', 1);
            UPDATE person SET score = 11 WHERE id = 1;
            DELETE FROM person WHERE id = 2;
            """)
        #expect(
            try changeset.inverted().lines == [
                "DELETE person(4*, \"Dora\", 1)", "INSERT person(2*, \"Bo\", 20)", "UPDATE person(1*, _, 11 -> 10)",
            ])
        #expect(try changeset.inverted().inverted().lines == changeset.lines)
    }

    @Test func concatenation() throws {
        try withDatabase { db in
            try db.createPeople()
            let first = try db.recordChanges {
                try db.execute(
                    sql: "INSERT INTO person VALUES (4, 'Dora', 1); UPDATE person SET score = 11 WHERE id = 1")
            }
            let second = try db.recordChanges {
                try db.execute(
                    sql: """
                        UPDATE person SET score = 2 WHERE id = 4;
                        UPDATE person SET score = 12 WHERE id = 1;
                        DELETE FROM person WHERE id = 2;
                        """)
            }
            let expected = [
                "DELETE person(2*, \"Bo\", 20)", "INSERT person(4*, \"Dora\", 2)", "UPDATE person(1*, _, 10 -> 12)",
            ]
            #expect(try (first + second).lines == expected)
            #expect(try first.appending(second).lines == expected)
            #expect(try (first + first.inverted()).isEmpty)
        }
    }

    @Test func filtering() throws {
        let changeset = try changeset("UPDATE person SET score = 0; INSERT INTO person VALUES (4, 'Dora', 1)")
        #expect(try changeset.filtered { $0.operation == .insert }.lines == ["INSERT person(4*, \"Dora\", 1)"])
        #expect(try changeset.filtered { _ in false }.isEmpty)
        #expect(try changeset.filtered { _ in true }.lines == changeset.lines)
        #expect(throws: Failure.self) { try changeset.filtered { _ in throw Failure() } }
    }

    @Test func names() throws {
        let changeset = try changeset("UPDATE person SET score = NULL WHERE id = 1")
        let change = try #require(try changeset.first)
        try withDatabase { db in
            let missing = "no such table: main.person"
            expectError(.SQLITE_SCHEMA, missing) { _ = try change.columnNames(db) }
            try db.execute(sql: "CREATE TABLE person (id INTEGER PRIMARY KEY, name)")
            expectError(.SQLITE_SCHEMA, "the table person has fewer columns than the recorded change") {
                _ = try change.oldRow(db)
            }
            try db.execute(
                sql: """
                    DROP TABLE person;
                    CREATE TABLE person (id INTEGER PRIMARY KEY, name, gen AS (1), points, extra)
                    """)
            #expect(try change.columnNames(db) == ["id", "name", "points"])
            #expect(try change.oldRow(db) == ["id": 1, "points": 10])
            #expect(try change.newRow(db) == ["points": nil])
        }
        let deletion = try #require(try self.changeset("DELETE FROM person WHERE id = 1").first)
        let insertion = try #require(try self.changeset("INSERT INTO person VALUES (8, 'x', 1)").first)
        try withDatabase { db in
            try db.createPeople()
            #expect(try deletion.newRow(db) == nil)
            #expect(try deletion.oldRow(db) == ["id": 1, "name": "Anna", "score": 10])
            #expect(try insertion.oldRow(db) == nil)
            #expect(try insertion.newRow(db) == ["id": 8, "name": "x", "score": 1])
        }
    }

    @Test func longDescription() throws {
        let changeset = try changeset(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 159)
            INSERT INTO person (id) SELECT i FROM n
            """)
        #expect(try changeset.count == 150)
        let lines = changeset.description.split(separator: "\n")
        #expect(lines.count == 101)
        #expect(lines.last == "… and 50 more changes")
    }

    @Test func changesAreValues() throws {
        let changes = try Array(changeset("UPDATE person SET score = 0").changes())
        #expect(Set(changes).count == 3)
        #expect(try changes == Array(changeset("UPDATE person SET score = 0").changes()))
        #expect(RecordedChange.Operation.allCases.map(\.rawValue) == ["INSERT", "UPDATE", "DELETE"])
    }
}
