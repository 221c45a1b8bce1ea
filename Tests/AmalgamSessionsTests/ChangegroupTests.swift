import Amalgam
import AmalgamCore
import AmalgamSessions
import Foundation
import TestSupport
import Testing

@Suite struct ChangegroupTests {
    @Test func combining() throws {
        try withDatabase { db in
            try db.createPeople()
            let group = try Changegroup<Changeset>()
            let patches = try Changegroup<Patchset>()
            for sql in [
                "INSERT INTO person VALUES (4, 'Dora', 1), (5, 'Eva', 2)", "UPDATE person SET score = 3 WHERE id = 4",
                "DELETE FROM person WHERE id = 5", "UPDATE person SET score = 0 WHERE id = 1",
                "UPDATE person SET name = 'Ann' WHERE id = 1", "DELETE FROM person WHERE id = 2",
            ] {
                let session = try db.makeSession()
                try db.execute(sql: sql)
                try group.add(session.changeset())
                try patches.add(session.patchset())
            }
            #expect(
                try group.changes().lines == [
                    "DELETE person(2*, \"Bo\", 20)", "INSERT person(4*, \"Dora\", 3)",
                    "UPDATE person(1*, \"Anna\" -> \"Ann\", 10 -> 0)",
                ])
            #expect(
                try patches.changes().lines == [
                    "DELETE person(2*, _, _)", "INSERT person(4*, \"Dora\", 3)",
                    "UPDATE person(1*, _ -> \"Ann\", _ -> 0)",
                ])
        }
    }

    @Test func deletionThenInsertion() throws {
        try withDatabase { db in
            try db.createPeople()
            let deletion = try db.recordChanges { try db.execute(sql: "DELETE FROM person WHERE id = 1") }
            let same = try db.recordChanges { try db.execute(sql: "INSERT INTO person VALUES (1, 'Anna', 10)") }
            #expect(try (deletion + same).isEmpty)
            try db.execute(sql: "DELETE FROM person WHERE id = 1")
            let other = try db.recordChanges { try db.execute(sql: "INSERT INTO person VALUES (1, 'Anna', 99)") }
            #expect(try (deletion + other).lines == ["UPDATE person(1*, _, 10 -> 99)"])
        }
    }

    @Test func differentTables() throws {
        func insertion(_ schema: String, _ values: String) throws -> Changeset {
            try DatabaseQueue().inDatabase { db in
                try db.execute(sql: "CREATE TABLE t (\(schema))")
                return try db.recordChanges { try db.execute(sql: "INSERT INTO t VALUES (\(values))") }
            }
        }
        let two = try insertion("a PRIMARY KEY, b", "1, 2")
        let three = try insertion("a PRIMARY KEY, b, c", "2, 3, 4")
        let message = "a table has other columns, or another primary key, than the changegroup expects"
        expectError(.SQLITE_SCHEMA, message) { _ = try two + three }
        let group = try Changegroup<Changeset>()
        try group.add(two)
        expectError(.SQLITE_SCHEMA, message) { try group.add(three) }
        expectError(.SQLITE_MISUSE, "The changegroup is unusable since it has thrown an error.") {
            _ = try group.changes()
        }
    }

    /// If columns were added after the changes were recorded, a group with a schema sets them to their defaults.
    @Test func addedColumns() throws {
        try withDatabase { db in
            try db.createPeople()
            let before = try db.recordChanges { try db.execute(sql: "INSERT INTO person VALUES (4, 'Dora', 1)") }
            try db.execute(sql: "ALTER TABLE person ADD COLUMN city TEXT DEFAULT 'Rome'")
            let after = try db.recordChanges { try db.execute(sql: "UPDATE person SET city = 'Oslo' WHERE id = 1") }
            let group = try Changegroup<Changeset>(schemaOf: db)
            try group.add(before)
            try group.add(after)
            #expect(
                try group.changes().lines == [
                    "INSERT person(4*, \"Dora\", 1, \"Rome\")", "UPDATE person(1*, _, _, \"Rome\" -> \"Oslo\")",
                ])
        }
    }

    @Test func writingChanges() throws {
        try withTwoDatabases({ try $0.createPeople() }) { db, other in
            let group = try Changegroup<Changeset>(schemaOf: db)
            try group.insert(into: "person", ["ID": 4, "name": "Dora", "score": nil])
            try group.update("person", from: ["id": 1, "score": 10], to: ["score": 1.5], isIndirect: true)
            try group.delete(from: "person", ["id": 2, "name": "Bo", "score": 20])
            try group.add(.insert, table: "person", new: [0: 5, 1: "", 2: Data([1])])
            try group.add(.insert, table: "person", new: [0: 6, 1: "é", 2: Data()])
            let changeset = try group.changes()
            #expect(
                try changeset.lines == [
                    "DELETE person(2*, \"Bo\", 20)", "INSERT person(4*, \"Dora\", NULL)",
                    "INSERT person(5*, \"\", Data(1 bytes))", "INSERT person(6*, \"é\", Data(0 bytes))",
                    "UPDATE person(1*, _, 10 -> 1.5) indirect",
                ])
            try other.apply(changeset)
            #expect(try other.rows(of: "person").prefix(2) == ["1|Anna|1.5", "3|Cleo|NULL"])
        }
    }

    @Test func writingPatches() throws {
        try withDatabase { db in
            try db.createPeople()
            let group = try Changegroup<Patchset>(schemaOf: db)
            try group.update("person", from: ["id": 1], to: ["score": 11])
            try group.delete(from: "person", ["id": 2])
            let patchset = try group.changes()
            #expect(try patchset.lines == ["DELETE person(2*, _, _)", "UPDATE person(1*, _, _ -> 11)"])
            try db.apply(patchset)
            #expect(try db.rows(of: "person") == ["1|Anna|11", "3|Cleo|NULL"])
        }
    }

    @Test func changesThatAreNone() throws {
        try withDatabase { db in
            try db.createPeople()
            let group = try Changegroup<Changeset>(schemaOf: db)
            expectError(.SQLITE_ERROR, "no such table: nobody") { try group.insert(into: "nobody", ["id": 1]) }
            expectError(.SQLITE_ERROR, "no such table: nobody") { try group.add(.insert, table: "nobody") }
            expectError(.SQLITE_MISUSE, "no such column to record: person.age") {
                try group.insert(into: "person", ["age": 1])
            }
            expectError(.SQLITE_ERROR, "invalid change: column 1 is undefined") {
                try group.insert(into: "person", ["id": 1])
            }
            expectError(.SQLITE_ERROR, "invalid change: null value in PK") {
                try group.insert(into: "person", ["id": nil, "name": 1, "score": 2])
            }
            expectError(.SQLITE_RANGE, "no such column: 3") { try group.add(.insert, table: "person", new: [3: 1]) }
            expectError(.SQLITE_RANGE, "no such column: 2147483647") {
                try group.add(.insert, table: "person", new: [.max: 1])
            }
            expectError(.SQLITE_ERROR, "an insertion has no old values") {
                try group.add(.insert, table: "person", old: [0: 1])
            }
            expectError(.SQLITE_ERROR, "a deletion has no new values") {
                try group.add(.delete, table: "person", new: [0: 1])
            }
            expectError(.SQLITE_ERROR, "invalid change: undefined value in PK of old.* record") {
                try group.update("person", from: [:], to: ["score": 1])
            }
            expectError(.SQLITE_MISUSE, "a name contains a NUL character") { try group.add(.insert, table: "p\0") }
            // The failed calls have no effect.
            try group.delete(from: "person", ["id": 2, "name": "Bo", "score": 20])
            #expect(try group.changes().lines == ["DELETE person(2*, \"Bo\", 20)"])
            let nameless = try Changegroup<Changeset>()
            expectError(
                .SQLITE_MISUSE,
                "column names are known to a changegroup made with init(schemaOf:schemaName:) only"
            ) {
                try nameless.insert(into: "person", ["id": 1])
            }
            // Changes added before also define a table.
            try nameless.add(group.changes())
            try nameless.add(.update, table: "person", old: [0: 1, 2: 10], new: [2: 11])
            #expect(try nameless.changes().count == 2)
            expectError(.SQLITE_ERROR, "no such database: nope") {
                _ = try Changegroup<Changeset>(schemaOf: db, schemaName: "nope")
            }
        }
    }

    @Test func groupOutlivesItsConnection() throws {
        let dbQueue = try DatabaseQueue()
        let group = try dbQueue.inDatabase { db in
            try db.createPeople()
            let before = try db.recordChanges { try db.execute(sql: "INSERT INTO person VALUES (4, 'Dora', 1)") }
            try db.execute(sql: "ALTER TABLE person ADD COLUMN city TEXT DEFAULT 'Rome'")
            let group = try Changegroup<Changeset>(schemaOf: db)
            try group.add(before)
            return group
        }
        #expect(throws: DatabaseError.self) { try group.changes() }
        let copy = group
        #expect(throws: DatabaseError.self) { try dbQueue.close() }
        try dbQueue.inDatabase { db in
            let count = try copy.changes().count
            #expect(count == 1)
        }
    }
}
