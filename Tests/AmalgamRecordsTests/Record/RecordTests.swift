import Amalgam
import TestSupport
import Testing

private class Person: Record {
    var id: Int64?
    var name: String?
    var age: Int?

    init(id: Int64? = nil, name: String?, age: Int? = nil) {
        (self.id, self.name, self.age) = (id, name, age)
        super.init()
    }

    override class var databaseTableName: String { "persons" }

    required init(row: Row) throws {
        (id, name, age) = (row["id"], row["name"], row["age"])
        try super.init(row: row)
    }

    override func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["age"] = age
    }

    override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        id = inserted.rowID
    }
}

struct RecordTests {
    private func withPersons(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT, age REAL)")
            try test(db)
        }
    }

    @Test func knowsChangesSinceItWasFetched() throws {
        try withPersons { db in
            try db.execute(sql: "INSERT INTO persons VALUES (1, 'Arthur', 41)")
            let person = try #require(try Person.fetchOne(db, key: 1))
            #expect(!person.hasDatabaseChanges)
            person.name = "Arthur"
            #expect(!person.hasDatabaseChanges)
            person.age = 42
            #expect(person.hasDatabaseChanges)
            expectEqual(try person.databaseChanges, ["age": 41.0.databaseValue])
            try expectSQL(db, [#"UPDATE "persons" SET "age"=42 WHERE "id"=1"#]) {
                let hasChanged = try person.updateChanges(db)
                #expect(hasChanged)
            }
            #expect(!person.hasDatabaseChanges)
            try expectSQL(db, []) {
                let hasChanged = try person.updateChanges(db)
                #expect(!hasChanged)
            }
            person.name = nil
            person.hasDatabaseChanges = false
            #expect(!person.hasDatabaseChanges)
            person.hasDatabaseChanges = true
            #expect(person.hasDatabaseChanges)
        }
    }

    @Test func knowsThatItWasNeverThere() throws {
        try withPersons { db in
            let person = Person(name: "Arthur")
            #expect(person.hasDatabaseChanges)
            expectEqual(try person.databaseChanges, ["id": nil, "name": nil, "age": nil])
            expectThrows(RecordError.self, "Key not found in table persons: [id:NULL]") { try person.updateChanges(db) }
            try person.insert(db)
            #expect(person.id == 1)
            #expect(!person.hasDatabaseChanges)
            person.age = 1
            try person.update(db, columns: ["name"])
            #expect(person.hasDatabaseChanges)
            try person.save(db)
            #expect(!person.hasDatabaseChanges)
            try person.delete(db)
            #expect(person.hasDatabaseChanges)
            expectEqual(try Person(row: ["id": 1, "name": "Arthur", "age": 1]).hasDatabaseChanges, true)
        }
    }

    @Test func knowsWhatItDoesNotKnow() throws {
        try withPersons { db in
            try db.execute(sql: "INSERT INTO persons VALUES (1, 'Arthur', NULL)")
            let partial = try #require(try Person.fetchOne(db, sql: "SELECT id, name FROM persons"))
            expectEqual(try partial.databaseChanges, ["age": nil])
            let full = try #require(try Person.fetchOne(db, sql: "SELECT *, 1 AS other, AGE AS extra FROM persons"))
            #expect(!full.hasDatabaseChanges)
            full.age = 3
            expectEqual(try full.databaseChanges, ["age": .some(.null)])
            full.id = 2
            expectEqual(try full.databaseChanges.keys.sorted(), ["age", "id"])
            expectEqual(try Person.fetchAll(db).map(\.hasDatabaseChanges), [false])
            expectEqual(try Person.fetchCursor(db).next()?.hasDatabaseChanges, false)
        }
    }

    /// The dynamic type of a record determines its table.
    @Test func isOfItsDynamicType() throws {
        try withPersons { db in
            let record: Record = Person(name: "Arthur")
            try record.insert(db)
            try record.update(db)
            expectEqual(try record.exists(db), true)
            try record.delete(db)
            try record.save(db)
            expectEqual(try Person.fetchCount(db), 1)
        }
    }
}
