import Amalgam
import Foundation
import Testing

@Suite("Guide: SQL and values")
struct SQLAndValues {
    let dbQueue: DatabaseQueue

    init() throws {
        // guide: table
        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER, born TEXT);
                    INSERT INTO player VALUES (1, 'Anna', 10, '1990-05-01 00:00:00.000'), (2, 'Bo', NULL, NULL);
                    """)
        }
        // end
        self.dbQueue = dbQueue
    }

    @Test("Statements")
    func execution() throws {
        try dbQueue.write { db in
            // guide: execute
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["Cy", 30])
            try db.execute(
                sql: "UPDATE player SET score = :score WHERE name = :name", arguments: ["name": "Bo", "score": 20])
            let id = db.lastInsertedRowID
            let count = db.changesCount
            // end
            #expect(id == 3 && count == 1)
            // guide: literal
            let name = "Dee"
            try db.execute(literal: "INSERT INTO player (name) VALUES (\(name))")  // VALUES (?)
            // end
            #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 4") == "Dee")
            // guide: loop
            let statement = try db.makeStatement(sql: "INSERT INTO player (name, score) VALUES (?, ?)")
            for number in 1...1000 {
                try statement.execute(values: "player \(number)", number)
            }
            // end
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 1004)
        }
    }

    @Test("Values and rows")
    func fetching() throws {
        try dbQueue.read { db in
            // guide: values
            let names = try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")  // [String]
            let scores = try Int?.fetchAll(db, sql: "SELECT score FROM player ORDER BY id")  // [Int?]: NULL is nil
            let best = try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")  // Int?
            let born = try Date.fetchOne(db, sql: "SELECT born FROM player WHERE id = 1")
            // end
            #expect(names == ["Anna", "Bo"] && scores == [10, nil] && best == 10 && born != nil)
            // guide: rows
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            while let row = try rows.next() {
                let name: String = row["name"]
                let score: Int? = row["score"]
                print(name, score ?? 0)
            }
            // end
            var failure: (any Error)?
            // guide: decode
            let row = try Row.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1")!
            do {
                let number = try row.decode(Int.self, forColumn: "name")
                print(number)
            } catch {
                print(error)  // could not decode Int from database value "Anna" …
                // end
                failure = error
                // guide: decode
            }
            // end
            #expect(failure.map { "\($0)" }?.hasPrefix(#"could not decode Int from database value "Anna""#) == true)
        }
    }

    @Test("Values of other storage classes")
    func strictDecoding() throws {
        var failure: (any Error)?
        // guide: strict
        var config = Configuration()
        config.strictDecoding = true
        let strictQueue = try DatabaseQueue(configuration: config)
        try strictQueue.read { db in
            do {
                let scores = try Int.fetchAll(db, sql: "SELECT '12 points'")  // by default, [12]
                print(scores)
            } catch {
                print(error)  // could not decode Int from database value "12 points" …
                // end
                failure = error
                // guide: strict
            }
        }
        // end
        #expect(failure.map { "\($0)" }?.hasPrefix("could not decode Int from database value") == true)
        let converted = try dbQueue.read { db in try Int.fetchAll(db, sql: "SELECT '12 points'") }
        #expect(converted == [12])
    }

    // guide: type
    enum Grade: String, DatabaseValueConvertible {
        case beginner, master
    }

    struct Money: DatabaseValueConvertible {
        var cents: Int

        var databaseValue: DatabaseValue { cents.databaseValue }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Money? {
            Int.fromDatabaseValue(dbValue).map(Money.init(cents:))
        }
    }
    // end

    @Test("Types of the application")
    func types() throws {
        try dbQueue.write { db in
            // guide: own
            try db.execute(sql: "CREATE TABLE prize (grade TEXT, amount INTEGER)")
            try db.execute(sql: "INSERT INTO prize VALUES (?, ?)", arguments: [Grade.master, Money(cents: 500)])
            let amount = try Money.fetchOne(
                db, sql: "SELECT amount FROM prize WHERE grade = ?", arguments: [Grade.master])
            // end
            #expect(amount?.cents == 500)
        }
    }

    @Test("An array as one argument")
    func arrays() throws {
        try dbQueue.read { db in
            // guide: array
            let ids = SQLArray([1, 2, 3])
            let names = try String.fetchAll(db, sql: "SELECT name FROM player WHERE id IN carray(?)", arguments: [ids])
            // end
            #expect(names.count == 2)
        }
    }
}
