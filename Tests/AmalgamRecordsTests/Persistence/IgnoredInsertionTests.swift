#if Macros || !MACRO_RECORDS
import Amalgam
import TestSupport
import Testing

/// Insertions that SQLite ignores because of a conflict.
struct IgnoredInsertionTests {
    /// A player that counts its callbacks.
    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Candidate: MutableStoredRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var score: Int?

        @TaskLocal static var log: Log?

        final class Log: @unchecked Sendable { var calls: [String] = [] }

        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            let inserted = try insert()
            Self.log?.calls.append("aroundInsert \(inserted.rowID) \(inserted.rowIDColumn ?? "-")")
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            Self.log?.calls.append("didInsert")
            id = inserted.rowID
        }

        func didSave(_ saved: PersistenceSuccess) { Self.log?.calls.append("didSave") }

        typealias Columns = Player.Columns
    }

    private static let insertions: [@Sendable (inout Candidate, Database) throws -> Void] = [
        { try $0.insert($1, onConflict: .ignore) },
        { try $0.save($1, onConflict: .ignore) },
        { candidate, db in
            #expect(throws: RecordError.self) { try candidate.insertAndFetch(db, onConflict: .ignore, as: Player.self) }
        },
        { candidate, db in
            #expect(throws: RecordError.self) { try candidate.saveAndFetch(db, onConflict: .ignore, as: Player.self) }
        },
        { candidate, db in
            let name = try candidate.insertAndFetch(db, onConflict: .ignore, selection: [Column("name")]) {
                try String.fetchOne($0)
            }
            #expect(name == nil)
        },
        { candidate, db in
            let name = try candidate.saveAndFetch(db, onConflict: .ignore, selection: [Column("name")]) {
                try String.fetchOne($0)
            }
            #expect(name == nil)
        },
    ]

    @Test("the record keeps no id of another row, and isn't told that it was inserted", arguments: insertions.indices)
    func ignored(index: Int) throws {
        try withClub { db in
            try db.execute(sql: "INSERT INTO player (id, name) VALUES (1, 'Arthur'), (2, 'Barbara')")
            let log = Candidate.Log()
            try Candidate.$log.withValue(log) {
                var candidate = Candidate(id: nil, name: "Arthur", score: 7)
                try Self.insertions[index](&candidate, db)
                #expect(candidate.id == nil)
            }
            #expect(log.calls == ["aroundInsert 0 -"])
            expectEqual(try Player.fetchCount(db), 2)
        }
    }

    @Test("a conflict that the table ignores, and a trigger that does, are the same")
    func tables() throws {
        try withClub { db in
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE, score INTEGER);
                    INSERT INTO player VALUES (5, 'Arthur', 1);
                    CREATE TRIGGER noBob BEFORE INSERT ON player WHEN NEW.name = 'Bob' BEGIN SELECT RAISE(IGNORE); END;
                    """)
            for name in ["Arthur", "Bob"] {
                var candidate = Candidate(id: nil, name: name, score: 7)
                try candidate.insert(db)
                #expect(candidate.id == nil)
            }
            var craig = Candidate(id: nil, name: "Craig", score: 7)
            try craig.insert(db)
            #expect(craig.id == 6)
        }
    }

    @Test("a closure that runs other statements hides no insertion")
    func closures() throws {
        try withClub { db in
            var candidate = Candidate(id: nil, name: "Arthur", score: 7)
            let name = try candidate.insertAndFetch(db, onConflict: .ignore, selection: [Column("name")]) { statement in
                let name = try String.fetchOne(statement)
                try db.execute(sql: "DELETE FROM country")
                return name
            }
            #expect(name == "Arthur")
            #expect(candidate.id == 1)
        }
    }

    @Test("a record of a class has its changes still")
    func classes() throws {
        final class Person: Record {
            var id: Int64?
            var name = "Arthur"
            override class var databaseTableName: String { "player" }
            override init() { super.init() }
            required init(row: Row) throws {
                id = row["id"]
                name = row["name"]
                try super.init(row: row)
            }
            override func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            override func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withClub { db in
            try db.execute(sql: "INSERT INTO player (id, name) VALUES (1, 'Arthur')")
            let person = Person()
            try person.insert(db, onConflict: .ignore)
            #expect(person.id == nil)
            #expect(person.hasDatabaseChanges)
            person.name = "Craig"
            try person.insert(db, onConflict: .ignore)
            #expect(person.id == 2)
            #expect(!person.hasDatabaseChanges)
        }
    }
}
#endif
