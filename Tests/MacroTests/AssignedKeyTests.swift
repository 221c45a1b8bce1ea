#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

@Record("pupil")
private struct Pupil: Equatable {
    @Key var id: Int64?
    var name: String
}

@Record("code")
private struct Code: Equatable {
    @Key var code: String
    var id: Int
}

@Record("visit")
private struct Visit: Equatable {
    @Key var id: UUID?
    var count: Int = 0
}

extension Visit {
    mutating func willInsert(_ db: Database) throws { if id == nil { (id, count) = (UUID(), 7) } }
}

@Record("stay")
private struct Stay: Equatable {
    @Key var id: UUID?
    var count: Int = 0

    mutating func willInsert(_ db: Database) throws { (id, count) = (UUID(), 7) }
}

@Suite("Keys of new records")
struct AssignedKeyTests {
    private func differences(_ db: Database) -> [String] {
        do {
            try db.verify(Pupil.self)
            return []
        } catch let error as RecordVerificationError {
            return error.differences.map { "\($0.column): \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }

    private let unassigned = """
        id: SQLite doesn't assign this key: declare the column INTEGER PRIMARY KEY, or a property that isn't optional
        """

    @Test(
        "a key that isn't an alias of the rowid stays as it was inserted",
        arguments: [
            "(id INT PRIMARY KEY, name TEXT NOT NULL)", "(id INTEGER PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID",
        ])
    func notAnAlias(columns: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE pupil \(columns)")
            expectEqual(differences(db), [unassigned])
            var pupils = [3, 1, 2].map { Pupil(id: $0, name: "a") }
            for index in pupils.indices { try pupils[index].insert(db) }
            expectEqual(pupils.map(\.id), [3, 1, 2])
            var pupil = Pupil(id: 30, name: "b")
            try pupil.save(db)
            pupil.name = "c"
            try pupil.update(db)
            expectEqual(try Pupil.filter { $0.name == "c" }.fetchAll(db), [Pupil(id: 30, name: "c")])
        }
    }

    @Test("a key of a view stays as it was inserted")
    func view() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (name TEXT NOT NULL);
                    CREATE VIEW pupil AS SELECT rowid AS id, name FROM person;
                    CREATE TRIGGER inserted INSTEAD OF INSERT ON pupil BEGIN
                        INSERT INTO person (name) VALUES (new.name);
                    END
                    """)
            for _ in 0..<3 {
                var pupil = Pupil(name: "a")
                try pupil.insert(db)
                expectEqual(pupil.id, nil)
            }
        }
    }

    @Test("a table that is created again decides again")
    func changedSchema() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE pupil (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            expectEqual(differences(db), [])
            for id in 1...3 {
                var pupil = Pupil(name: "a")
                try pupil.insert(db)
                expectEqual(pupil.id, Int64(id))
            }
            try db.execute(sql: "DROP TABLE pupil; CREATE TABLE pupil (id INT PRIMARY KEY, name TEXT NOT NULL)")
            for id in [9, 8, 7] as [Int64] {
                var pupil = Pupil(id: id, name: "a")
                try pupil.insert(db)
                expectEqual(pupil.id, id)
            }
        }
    }

    @Test("a property with the name id that isn't the key doesn't identify a record")
    func otherID() throws {
        let types: [Any.Type] = [Code.self, Pupil.self]
        expectEqual(types.map { $0 is any Identifiable.Type }, [false, true])
    }

    @Test("a callback in an extension that changes a copy is an error, and nothing is inserted")
    func callbackInExtension() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE visit (id BLOB, count INT); CREATE TABLE stay (id BLOB PRIMARY KEY, count INT)")
            let error = expectFailure(.SQLITE_MISUSE) { try Visit().insert(db) }
            #expect(error?.message?.contains("declare the type a `MutablePersistableRecord`") == true)
            expectFailure(.SQLITE_MISUSE) { try Visit().save(db) }
            expectEqual(try Visit.fetchCount(db), 0)
            // It changes nothing.
            try Visit(id: UUID()).insert(db)
            try Visit(id: UUID()).insert(db)
            expectFailure(.SQLITE_MISUSE) { try Visit().insert(db) }
            expectEqual(try Visit.fetchCount(db), 2)
            var stay = Stay()
            try stay.insert(db)
            expectEqual(try Stay.fetchAll(db), [stay])
            expectEqual(stay.count, 7)
        }
    }
}
#endif
