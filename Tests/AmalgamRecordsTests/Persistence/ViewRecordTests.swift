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
