#if Macros
import Amalgam
import TestSupport
import Testing

@Embeddable
struct Street: Equatable {
    var name: String
    var number: Int
}

@Embeddable
struct Home: Equatable {
    @Embedded(prefix: "street_") var street: Street
    var city: String
}

@Embeddable
struct Town: Equatable {
    var CITY: String
}

@Record("person")
struct AmbiguousPerson: Equatable {
    @Key var id: Int64?
    @Embedded var home: Home
    @Embedded var town: Town
}

@Record("person")
struct AmbiguousCity: Equatable {
    @Key var id: Int64?
    var street_Name: String
    @Embedded var home: Home
}

@Selection
struct AmbiguousSelection: Equatable {
    @Embedded var home: Home
    @Embedded var town: Town?
}

@Record("person")
struct Person: Equatable {
    @Key var id: Int64?
    @Embedded(prefix: "home_") var home: Home
    @Embedded(prefix: "work_") var work: Home?
}

@Record("call")
struct Call: Equatable {
    @Key var id: Int64?
    var caller: Int64
    static let person = belongsTo(Person.self, using: ForeignKey(["caller"]))
}

@Suite("Groups of columns in records")
struct GroupTests {
    private let message =
        #"two properties of AmbiguousPerson have the column "CITY": give an embedded one a prefix, '@Embedded(prefix: "a_")'"#

    @Test("two properties with one column: the record is neither written nor read, and the connection stays usable")
    func ambiguousColumns() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql:
                    "CREATE TABLE person (id INTEGER PRIMARY KEY, street_name, street_number, city); INSERT INTO person VALUES (1, 'a', 2, 'b')"
            )
            let home = Home(street: Street(name: "Main", number: 1), city: "Oslo")
            var person = AmbiguousPerson(home: home, town: Town(CITY: "Rome"))
            for write in [{ try person.insert(db) }, { try person.save(db) }, { _ = try person.databaseDictionary }] {
                expectFailure(.SQLITE_MISUSE, message, write)
            }
            expectFailure(.SQLITE_MISUSE, message) { _ = try AmbiguousPerson.fetchAll(db) }
            expectFailure(.SQLITE_MISUSE, message) { _ = try AmbiguousPerson(row: ["city": "Rome"]) }
            let name = #"two properties of AmbiguousCity have the column "street_name": "#
            let error = #expect(throws: DatabaseError.self) { _ = try AmbiguousCity.fetchOne(db) }
            #expect(error?.message?.hasPrefix(name) == true)
            expectFailure(.SQLITE_MISUSE) { _ = try AmbiguousSelection.fetchOne(db, sql: "SELECT * FROM person") }
            expectEqual(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM person"), 1)
        }
    }

    @Test("an alias of a table reaches the columns of groups")
    func aliases() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE person (
                        id INTEGER PRIMARY KEY, home_street_name, home_street_number, home_city, work_street_name,
                        work_street_number, work_city);
                    CREATE TABLE call (id INTEGER PRIMARY KEY, caller REFERENCES person);
                    """)
            let home = Home(street: Street(name: "Main", number: 1), city: "Oslo")
            for work in [nil, Home(street: Street(name: "Side", number: 2), city: "Rome")] {
                var person = Person(home: home, work: work)
                try person.insert(db)
            }
            try db.execute(sql: "INSERT INTO call VALUES (1, 1), (2, 2)")
            let alias = TableAlias<Person>(name: "p")
            let calls = Call.joining(required: Call.person.aliased(alias))
            expectEqual(try calls.filter { _ in alias.home.city == "Oslo" }.fetchCount(db), 2)
            expectEqual(try calls.filter { $0.id == 2 && alias.work.city == "Rome" }.fetchCount(db), 1)
            let request = calls.filter { _ in alias.work.street.number > 1 && alias.home.street.name == "Main" }
            expectEqual(try request.fetchAll(db), [Call(id: 2, caller: 2)])
            try expectQuery(
                db, calls.filter { _ in alias.work.street.name == nil }.select(\.id).order { _ in alias.home.city.desc }
            ) {
                """
                SELECT "call"."id" FROM "call" JOIN "person" "p" ON "p"."id" = "call"."caller" \
                WHERE "p"."work_street_name" IS NULL ORDER BY "p"."home_city" DESC
                """
            } rows: {
                "1"
            }
        }
    }
}
#endif
