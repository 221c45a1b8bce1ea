#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

/// Records of a view whose triggers write to a table.
struct ViewRecordTests {
    private struct Keys: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Member: StoredRecord, Equatable {
        var id: Int64
        var name: String
    }

    private func withMembers(_ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.schemaSource = Keys()
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE VIEW member AS SELECT id, name FROM player;
                    CREATE TRIGGER inserting INSTEAD OF INSERT ON member BEGIN
                        INSERT INTO player VALUES (NEW.id, NEW.name);
                    END;
                    CREATE TRIGGER updating INSTEAD OF UPDATE ON member BEGIN
                        UPDATE player SET name = NEW.name WHERE id = OLD.id;
                    END;
                    CREATE TRIGGER deleting INSTEAD OF DELETE ON member BEGIN
                        DELETE FROM player WHERE id = OLD.id;
                    END;
                    """)
            try test(db)
        }
    }

    @Test("are inserted, updated, saved and deleted")
    func writing() throws {
        try withMembers { db in
            try Member(id: 1, name: "Arthur").insert(db)
            try Member(id: 1, name: "Barbara").update(db)
            expectEqual(try Member.fetchAll(db), [Member(id: 1, name: "Barbara")])
            try Member(id: 1, name: "Craig").save(db)
            try Member(id: 2, name: "Diane").save(db)
            expectEqual(try Member.fetchAll(db), [Member(id: 1, name: "Craig"), Member(id: 2, name: "Diane")])
            expectEqual(try Member(id: 1, name: "Eve").updateAndFetch(db), Member(id: 1, name: "Eve"))
            expectEqual(try Member(id: 1, name: "Eve").delete(db), true)
            expectEqual(try Member(id: 1, name: "Eve").delete(db), false)
            expectEqual(try Member.fetchAll(db), [Member(id: 2, name: "Diane")])
        }
    }

    @Test("a deletion by key tells whether the row was there, although SQLite counts no change")
    func deletionByKey() throws {
        try withMembers { db in
            for id in 1...5 { try Member(id: Int64(id), name: "Arthur").insert(db) }
            expectEqual(try Member.deleteOne(db, key: 1), true)
            expectEqual(try Member.deleteOne(db, key: 1), false)
            expectEqual(try Member.deleteOne(db, key: ["id": 2]), true)
            expectEqual(try Member.deleteOne(db, key: ["id": 2]), false)
            expectEqual(try Member.deleteAll(db, keys: [2, 3, 4]), 2)
            expectEqual(try Member.deleteAll(db, keys: [["id": 5], ["id": 6]]), 1)
            expectEqual(try Member.fetchCount(db), 0)
            try Member(id: 7, name: "Barbara").insert(db)
            expectEqual(try Table("member").deleteOne(db, key: 7), true)
            expectEqual(try Table("member").deleteOne(db, key: 7), false)
        }
    }

    private struct IdentifiedMember: Codable, Identifiable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "member"
        var id: Int64
        var name: String
    }

    @Test("a deletion by identifier tells whether the row was there")
    func deletionByIdentifier() throws {
        try withMembers { db in
            for id in 1...3 { try IdentifiedMember(id: Int64(id), name: "Arthur").insert(db) }
            expectEqual(try IdentifiedMember.deleteOne(db, id: 1), true)
            expectEqual(try IdentifiedMember.deleteOne(db, id: 1), false)
            expectEqual(try IdentifiedMember.deleteAll(db, ids: [1, 2, 3]), 2)
        }
    }

    @Test("a row that isn't there is an error")
    func missingRows() throws {
        try withMembers { db in
            try Member(id: 1, name: "Arthur").insert(db)
            expectThrows(RecordError.self, "Key not found in table member: [id:2]") {
                try Member(id: 2, name: "Barbara").update(db)
            }
        }
    }
}
#endif
