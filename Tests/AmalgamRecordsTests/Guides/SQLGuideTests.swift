#if Macros || !MACRO_RECORDS
import Amalgam
import Testing

#if MACRO_RECORDS
@Record
#endif
private struct Bird: StoredRecord, Equatable {
    static var databaseSelection: [any SQLSelectable] { [.allColumns] }

    var id: Int64
    var name: String
    var weight: Int

    static func filter(name: String) -> SQLRequest<Bird> {
        "SELECT * FROM bird WHERE name = \(name)"
    }

    static func maximumWeight() -> SQLRequest<Int> {
        "SELECT MAX(weight) FROM bird"
    }
}

@Suite("Guide: SQL where SQL is the best language")
struct SQLGuideTests {
    private func withBirds(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE bird (id INTEGER PRIMARY KEY, name TEXT NOT NULL, weight INTEGER NOT NULL);
                    INSERT INTO bird (name, weight) VALUES (?, ?);
                    INSERT INTO bird (name, weight) VALUES (?, ?);
                    """, arguments: ["O'Hara's robin", 20, "wren", 9])
            try test(db)
        }
    }

    @Test("rows of a statement, one after the other")
    func rows() throws {
        try withBirds { db in
            let statement = try db.makeStatement(sql: "SELECT id, weight FROM bird WHERE name = ?")
            let rows = try Row.fetchCursor(statement, arguments: ["O'Hara's robin"])
            var found: [Int64: Int] = [:]
            while let row = try rows.next() {
                let id: Int64 = row[0]
                let weight: Int = row["weight"]
                found[id] = weight
            }
            #expect(found == [1: 20])
        }
    }

    @Test("requests of SQL, whose values are never SQL")
    func requests() throws {
        try withBirds { db in
            let birds = try Bird.filter(name: "O'Hara's robin").fetchAll(db)
            #expect(birds.map(\.id) == [1])
            let weight = try Bird.maximumWeight().fetchOne(db)
            #expect(weight == 20)
            let none = try Bird.filter(name: "' OR 1 --").fetchCount(db)
            #expect(none == 0)
        }
    }

    @Test("records from SQL, with arguments by position and by name")
    func records() throws {
        try withBirds { db in
            let light = try Bird.fetchAll(db, sql: "SELECT * FROM bird WHERE weight < ?", arguments: [10])
            #expect(light.map(\.name) == ["wren"])
            let heavy = try Bird.fetchOne(
                db, sql: "SELECT * FROM bird WHERE weight > :weight", arguments: ["weight": 10])
            #expect(heavy?.id == 1)
            let names = try String.fetchSet(db, sql: "SELECT name FROM bird")
            #expect(names == ["O'Hara's robin", "wren"])
        }
    }

    @Test("literals are made of parts")
    func literals() throws {
        try withBirds { db in
            var query: SQL = "SELECT \(columnsOf: Bird.self) FROM \(Bird.self)"
            let ids = [1, 2, 3]
            query += " WHERE \(Column("id")) IN \(ids)"
            let conditions: [SQL] = ["weight > \(5)", "weight < \(15)"]
            query.append(literal: " AND \(conditions.joined(separator: " AND "))")
            let birds = try SQLRequest<Bird>(literal: query).fetchAll(db)
            #expect(birds.map(\.name) == ["wren"])
            let (sql, arguments) = try query.build(db)
            #expect(sql == #"SELECT "bird".* FROM "bird" WHERE "id" IN (?,?,?) AND weight > ? AND weight < ?"#)
            #expect(arguments == [1, 2, 3, 5, 15])
        }
    }

    @Test("parts of requests")
    func partsOfRequests() throws {
        try withBirds { db in
            let limit = 15
            let request = Bird.filter(literal: "weight < \(limit)").order(sql: "LENGTH(name) DESC, id")
            let birds = try request.fetchAll(db)
            #expect(birds.map(\.name) == ["wren"])
            let lengths = try Bird.select(sql: "LENGTH(name)", as: Int.self).order(Column("id")).fetchAll(db)
            #expect(lengths == [14, 4])
        }
    }
}
#endif
