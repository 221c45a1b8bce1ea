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

@Record("log")
private struct Log: Equatable {
    @Key @Column("rowid") var id: Int64?
    var message: String
}

@Record("stamp")
private struct Stamp: Equatable {
    @Key var id: String
    var token = ""

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["token"] = UUID().uuidString
    }
}

@Record("stamp")
private struct Mark: Equatable {
    @Key var id: String
    var token = ""

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["token"] = token
    }
}

extension Mark {
    mutating func willInsert(_ db: Database) throws { token = "new" }
}

@Record("guest")
private struct Guest {
    @Key var id: Int
    @Ignored var isNew = true
}

extension Guest {
    mutating func didInsert(_ inserted: InsertionSuccess) { isNew = false }
}

@Record("guest")
private struct Sight {
    @Key var id: Int
    @Ignored var isNew = true
}

extension Sight {
    mutating func willInsert(_ db: Database) throws { isNew = false }
}

private final class Calls {
    var names: [String] = []
}

@Record("guest")
private struct Caller {
    @Key var id: Int
    @Ignored var calls: Calls?

    init(id: Int, calls: Calls) {
        self.id = id
        self.calls = calls
    }
}

extension Caller {
    func willInsert(_ db: Database) throws { calls?.names.append("will \(id)") }

    func didInsert(_ inserted: InsertionSuccess) { calls?.names.append("did \(id)") }
}

private struct Thousand: DatabaseRepresentation {
    func databaseValue(of number: Int64) -> DatabaseValue { (number + 1000).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Int64? {
        Int64.fromDatabaseValue(databaseValue).map { $0 - 1000 }
    }
}

@Record("counter")
private struct Counter: Equatable {
    @Key @Column(as: Thousand()) var id: Int64?
    var count = 0
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

    @Test("a key with a representation is the value of the rowid")
    func representation() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE counter (id INTEGER PRIMARY KEY, count INT NOT NULL)")
            for id in 7...9 as ClosedRange<Int64> {
                var counter = Counter(id: id)
                try counter.insert(db)
                expectEqual(counter.id, id)
                counter.count = 1
                try counter.update(db)
            }
            expectEqual(try Int64.fetchAll(db, sql: "SELECT id FROM counter"), [1007, 1008, 1009])
            var counter = Counter()
            try counter.insert(db)
            expectEqual(counter.id, 10)
            expectEqual(try Counter.filter { $0.count == 0 }.fetchAll(db), [counter])
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

    @Test(
        "a key with the name of the hidden rowid is set",
        arguments: ["CREATE TABLE log (message TEXT)", "CREATE VIRTUAL TABLE log USING fts5(message)"])
    func hiddenRowID(table: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: table)
            for id in 1...4 as ClosedRange<Int64> {
                var log = Log(message: "a")
                try log.insert(db)
                expectEqual(log.id, id)
                log.message = "b"
                try log.update(db)
            }
            var log = Log(message: "c")
            try log.save(db)
            expectEqual(log.id, 5)
            expectEqual(try Log.filter { $0.message == "b" }.fetchCount(db), 4)
        }
    }

    @Test("a column with the name of the rowid isn't the rowid")
    func ordinaryRowID() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE log (rowid INT, message TEXT)")
            for _ in 0..<3 {
                var log = Log(message: "a")
                try log.insert(db)
                expectEqual(log.id, nil)
            }
        }
    }

    @Test("an 'encode(to:)' whose values differ at each call isn't a callback that changes the record")
    func varyingEncoding() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE stamp (id TEXT PRIMARY KEY, token TEXT)")
            for id in ["a", "b"] { try Stamp(id: id).insert(db) }
            try Stamp(id: "c").save(db)
            try Stamp(id: "d").upsert(db)
            expectEqual(try String.fetchSet(db, sql: "SELECT token FROM stamp").count, 4)
            expectFailure(.SQLITE_MISUSE) { try Mark(id: "e").insert(db) }
            expectEqual(try Mark.fetchCount(db), 4)
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
            // It changes nothing this time.
            expectFailure(.SQLITE_MISUSE) { try Visit(id: UUID()).insert(db) }
            expectEqual(try Visit.fetchCount(db), 0)
            var stay = Stay()
            try stay.insert(db)
            expectEqual(try Stay.fetchAll(db), [stay])
            expectEqual(stay.count, 7)
        }
    }

    @Test("a mutating callback in an extension is an error, whatever it changes")
    func lostChanges() throws {
        try DatabaseQueue().inDatabase { db in
            try db.execute(sql: "CREATE TABLE guest (id INT PRIMARY KEY)")
            let error = expectFailure(.SQLITE_MISUSE) {
                try db.inTransaction {
                    try Guest(id: 1).insert(db)
                    return .commit
                }
            }
            #expect(error?.message?.contains("`Guest.didInsert` is mutating") == true)
            expectFailure(.SQLITE_MISUSE) { try Sight(id: 2).insert(db) }
            expectEqual(try Guest.fetchCount(db), 0)
        }
    }

    @Test("a callback in an extension that isn't mutating is called once per insertion")
    func nonmutatingCallbacks() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE guest (id INT PRIMARY KEY)")
            let calls = Calls()
            for id in 1...3 { try Caller(id: id, calls: calls).insert(db) }
            expectEqual(calls.names, ["will 1", "did 1", "will 2", "did 2", "will 3", "did 3"])
        }
    }
}
#endif
