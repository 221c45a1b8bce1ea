#if Macros || !MACRO_RECORDS
import Amalgam
import Testing

@Suite("Guide: names and keys that records like")
struct SchemaRecommendationTests {
    private struct PostalAddress: TableRecord {
        static let databaseTableName = "postal_address"
    }

    private struct Prize: TableRecord {
        static let databaseTableName = "Auszeichnung"
    }

    private struct Person: TableRecord {
        static let postalAddress = belongsTo(PostalAddress.self, key: "postalAddress")
        static let prizes = hasMany(Prize.self, key: "prizes")
    }

    @Test("tables with other names need a name, and associations a key")
    func tableNames() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE postal_address (id INTEGER PRIMARY KEY, city TEXT);
                    CREATE TABLE person (
                      id INTEGER PRIMARY KEY, postalAddressId INTEGER REFERENCES postal_address(id));
                    CREATE TABLE "Auszeichnung" (personId INTEGER REFERENCES person(id), title TEXT);
                    INSERT INTO postal_address VALUES (1, 'Paris');
                    INSERT INTO person VALUES (1, 1);
                    INSERT INTO "Auszeichnung" VALUES (1, 'Nobel');
                    """)
            let request = Person.including(required: Person.postalAddress).including(all: Person.prizes)
            let row = try #require(try Row.fetchOne(db, request))
            #expect(row.scopes["postalAddress"]?["city"] == "Paris")
            #expect(row.prefetchedRows["prizes"]?.map { $0["title"] as String } == ["Nobel"])
        }
    }

    #if MACRO_RECORDS
    @Record("runner")
    fileprivate struct Runner: Equatable {
        var id: Int64
        @Column("full_name") var fullName: String
        @Column("is_fast") var isFast: Bool
    }
    #else
    private struct Runner: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "runner"
        var id: Int64
        var fullName: String
        var isFast: Bool

        enum CodingKeys: String, CodingKey {
            case id, fullName = "full_name", isFast = "is_fast"
        }
    }
    #endif

    @Test("columns with names of their own")
    func columnNames() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "runner") { t in
                t.primaryKey("id", .integer)
                t.column("full_name", .text).notNull()
                t.column("is_fast", .boolean).notNull()
            }
            let runner = Runner(id: 1, fullName: "Anna Karenina", isFast: true)
            try runner.insert(db)
            let fetched = try Runner.find(db, key: 1)
            #expect(fetched == runner)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Membership: StoredRecord, Equatable {
        var personId: Int64
        var clubId: Int64
        var role: String
    }

    @Test("a primary key of several columns")
    func compositeKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "person") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "club") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "membership") { t in
                t.primaryKey {
                    t.belongsTo("person")
                    t.belongsTo("club")
                }
                t.column("role", .text).notNull()
            }
            try db.execute(sql: "INSERT INTO person VALUES (1); INSERT INTO club VALUES (2)")
            var membership = Membership(personId: 1, clubId: 2, role: "captain")
            try membership.insert(db)
            membership.role = "coach"
            try membership.update(db)
            let fetched = try Membership.fetchOne(db, key: ["personId": 1, "clubId": 2])
            #expect(fetched == membership)
            let key = try db.primaryKey("membership").columns
            #expect(key == ["personId", "clubId"])
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Note: MutableStoredRecord, Identifiable {
        var rowid: Int64?
        var text: String

        var id: Int64? { rowid }

        static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }

        mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
    }

    @Test("a table without a primary key has its rowid")
    func hiddenKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "note") { t in t.column("text", .text).notNull() }
            var note = Note(text: "milk")
            try note.insert(db)
            #expect(note.rowid == 1)
            try expectSQL(
                db,
                [
                    #"SELECT *, "rowid" FROM "note" WHERE "rowid" = 1"#,
                    #"UPDATE "note" SET "text"='bread' WHERE "rowid"=1"#,
                    #"DELETE FROM "note" WHERE "rowid"=1"#,
                ]
            ) {
                var fetched = try #require(try Note.fetchOne(db, key: 1))
                fetched.text = "bread"
                try fetched.update(db)
                let deleted = try fetched.delete(db)
                #expect(deleted)
            }
        }
    }

    #if MACRO_RECORDS
    @Record
    fileprivate struct Device {
        @Key @Column("serialNumber") var id: String
        var name: String
    }

    @Record("device")
    fileprivate struct Machine {
        @Key var serialNumber: String
        var name: String
    }
    #else
    private struct Device: Codable, FetchableRecord, PersistableRecord, Identifiable {
        var id: String
        var name: String

        enum CodingKeys: String, CodingKey {
            case id = "serialNumber", name
        }
    }

    private struct Machine: FetchableRecord, PersistableRecord, Identifiable, Codable {
        static let databaseTableName = "device"
        var serialNumber: String
        var name: String
        var id: String { serialNumber }
    }
    #endif

    @Test("an identifier that has another name in the table")
    func identifiers() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "device") { t in
                t.primaryKey("serialNumber", .text)
                t.column("name", .text).notNull()
            }
            try Device(id: "X1", name: "lamp").insert(db)
            try Machine(serialNumber: "X2", name: "oven").insert(db)
            let names = [try Device.find(db, id: "X2").name, try Machine.find(db, id: "X1").name]
            #expect(names == ["oven", "lamp"])
            let deleted = try Machine.deleteAll(db, ids: ["X1", "X2", "X3"])
            #expect(deleted == 2)
        }
    }

    #if MACRO_RECORDS
    @Record
    #endif
    fileprivate struct Seat: StoredRecord {
        var id: Int64
        var row: Int
        var number: Int
        var isTaken: Bool
    }

    @Test("keys are those of unique indexes; others are refused")
    func uniqueKeys() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "seat") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("row", .integer).notNull()
                t.column("number", .integer).notNull()
                t.column("isTaken", .boolean).notNull()
            }
            try Seat(id: 1, row: 3, number: 7, isTaken: true).insert(db)
            expectDatabaseError(.SQLITE_MISUSE, "table seat has no unique key on column(s) number, row") {
                _ = try Seat.fetchOne(db, key: ["row": 3, "number": 7])
            }
            try db.create(indexOn: "seat", columns: ["row", "number"], options: .unique)
            let seat = try Seat.fetchOne(db, key: ["row": 3, "number": 7])
            #expect(seat?.id == 1)
            let deleted = try Seat.deleteOne(db, key: ["number": 7, "row": 3])
            #expect(deleted)
        }
    }

    private struct Band: TableRecord {
        static let musicians = hasMany(Musician.self, using: Musician.bandForeignKey)
    }

    private struct Musician: TableRecord {
        static let bandForeignKey = ForeignKey(["bandId"])
        static let band = belongsTo(Band.self, using: bandForeignKey)
    }

    @Test("a foreign key that the schema does not know")
    func undeclaredForeignKeys() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE band (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE musician (id INTEGER PRIMARY KEY, bandId INTEGER, name TEXT);
                    INSERT INTO band VALUES (1, 'Can'); INSERT INTO musician VALUES (1, 1, 'Jaki'), (2, NULL, 'Nina');
                    """)
            let count = try Musician.joining(required: Musician.band).fetchCount(db)
            #expect(count == 1)
            let row = try Row.fetchOne(db, Band.including(all: Band.musicians))
            #expect(row?.prefetchedRows["musicians"]?.count == 1)
        }
    }
}
#endif
