#if Macros
import Amalgam
import Foundation
import TestSupport
import Testing

/// An enumeration whose stored code isn't its raw value.
private enum Card: String, Codable, CaseIterable {
    case visa, master

    init(from decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Int.self) == 1 ? .visa : .master
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self == .visa ? 1 : 2)
    }
}

@Record("event")
private struct Event: Equatable {
    @Key var id: UUID
    var at: Date
    var until: Date?
    var text: Data
    var card: Card
    var tags: [String] = []

    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }

    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        // A strategy may name the columns of its type.
        column == Columns.text.name ? .text : .deferredToData
    }
}

private struct LowercaseUUID: DatabaseRepresentation {
    func databaseValue(of id: UUID) -> DatabaseValue { id.uuidString.lowercased().databaseValue }

    func value(from databaseValue: DatabaseValue) -> UUID? { UUID.fromDatabaseValue(databaseValue) }
}

private struct Thousand: DatabaseRepresentation {
    func databaseValue(of number: Int) -> DatabaseValue { (number + 1000).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Int? { Int.fromDatabaseValue(databaseValue).map { $0 - 1000 } }
}

@Record("letter")
private struct Letter: Equatable {
    @Key @Column(as: LowercaseUUID()) var id: UUID
    var name: String
}

@Record("day")
private struct Day: Equatable {
    @Key @Column(as: .unixTime) var day: Date
}

@Record("number")
private struct Number: Equatable {
    @Key @Column(as: Thousand()) var id: Int
}

private struct LongThousand: DatabaseRepresentation {
    func databaseValue(of number: Int64) -> DatabaseValue { (number + 1000).databaseValue }

    func value(from databaseValue: DatabaseValue) -> Int64? {
        Int64.fromDatabaseValue(databaseValue).map { $0 - 1000 }
    }
}

@Record("serial")
private struct Serial: Equatable {
    @Key @Column(as: LongThousand()) var number: Int64
}

@Embeddable
private struct BoxNumber: Equatable {
    @Column(as: LongThousand()) var number: Int64
}

@Record("box")
private struct SerialBox: Equatable {
    @Embedded(prefix: "box_") var serial: BoxNumber
}

@Suite("Typed columns have the format of the record")
struct StoredFormatTests {
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    private var event: Event { Event(id: UUID(), at: date, text: Data("x".utf8), card: .visa, tags: ["a"]) }

    private func withEvent<T>(_ body: (Database, Event) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE event (id TEXT PRIMARY KEY NOT NULL, at INTEGER NOT NULL, until INTEGER,
                    text TEXT NOT NULL, card INTEGER NOT NULL, tags TEXT NOT NULL)
                    """)
            try db.verify(Event.self)
            let event = event
            try event.insert(db)
            return try body(db, event)
        }
    }

    @Test("conditions compare what the strategies of the type store")
    func conditions() throws {
        try withEvent { db, event in
            let condition = Event.filter { $0.at > date - 10 && $0.id == event.id }.select(\.at)
            let statement = try condition.makePreparedRequest(db).statement
            expectEqual(statement.sql, #"SELECT "at" FROM "event" WHERE ("at" > ?) AND ("id" = ?)"#)
            expectEqual(statement.arguments, [1_699_999_990, event.id.uuidString])
            expectEqual(try Event.filter { $0.id == event.id && $0.at == date }.fetchAll(db), [event])
            expectEqual(try Event.filter { $0.at < date - 10 }.fetchCount(db), 0)
            expectEqual(try Event.filter { [date].contains($0.at) && (date...date).contains($0.at) }.fetchCount(db), 1)
            expectEqual(try Event.filter { $0.until == nil && ($0.until ?? date) == date }.fetchCount(db), 1)
            expectEqual(try Event.filter { $0.text == Data("x".utf8) }.fetchCount(db), 1)
            // All values of `at` are numbers, which are less than any TEXT.
            expectEqual(try Event.filter { $0.at < Date(timeIntervalSinceReferenceDate: 0) }.deleteAll(db), 0)
        }
    }

    @Test("conditions compare what a type encodes itself, and JSON")
    func codable() throws {
        try withEvent { db, _ in
            expectEqual(try Event.filter { $0.card == .visa && $0.card != .master }.fetchCount(db), 1)
            expectEqual(try Event.filter { [.master].contains($0.card) }.fetchCount(db), 0)
            expectEqual(try Event.filter { $0.tags == ["a"] && $0.tags != ["b"] }.fetchCount(db), 1)
            expectEqual(try Event.filter { [["a"], ["b"]].contains($0.tags) }.fetchCount(db), 1)
            try Event.updateAll(db) { [$0.card.set(to: .master), $0.tags.set(to: ["b", "c"])] }
            expectEqual(try Row.fetchOne(db, sql: "SELECT card, tags FROM event"), ["card": 2, "tags": #"["b","c"]"#])
        }
    }

    @Test("an optional date throws for a value that isn't one, as the record does")
    func optionalDate() throws {
        try withEvent { db, _ in
            try db.execute(sql: "UPDATE event SET until = 'tomorrow'")
            let row = try #require(try Row.fetchOne(db, Event.all()))
            #expect(throws: RowDecodingError.self) { try Event(row: row) }
            #expect(throws: RowDecodingError.self) { try row.decode(forColumn: Event.Columns.until) }
        }
    }

    @Test("assignments store, and rows read, what the record stores and reads")
    func assignments() throws {
        try withEvent { db, event in
            try Event.updateAll(db) { [$0.at.set(to: date + 5), $0.until.set(to: date + 6)] }
            expectEqual(
                try Row.fetchOne(db, sql: "SELECT at, until FROM event"), ["at": 1_700_000_005, "until": 1_700_000_006])
            let row = try #require(try Row.fetchOne(db, Event.all()))
            expectEqual(row[Event.Columns.at], date + 5)
            expectEqual(row[Event.Columns.until], date + 6)
            expectEqual(row[Event.Columns.id], event.id)
            expectEqual(row[Event.Columns.text], Data("x".utf8))
            expectEqual(try Event.find(db, id: event.id).at, date + 5)
        }
    }

    @Test("keys have the representation of their column")
    func keys() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE letter (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL);
                    CREATE TABLE day (day INTEGER PRIMARY KEY); CREATE TABLE number (id INTEGER PRIMARY KEY)
                    """)
            let letter = Letter(id: UUID(), name: "a")
            try letter.insert(db)
            let id = letter.id
            expectEqual(try Letter.fetchOne(db, id: id), letter)
            expectEqual(try Letter.find(db, id: id), letter)
            expectEqual(try Letter.filter(id: id).fetchAll(db), [letter])
            expectEqual(try Letter.filter(ids: [id, UUID()]).fetchAll(db), [letter])
            expectEqual(try Letter.filter(key: ["ID": id]).fetchAll(db), [letter])
            expectEqual(try Letter.fetchOne(db, key: ["id": id]), letter)
            #expect(try Letter.exists(db, id: id))
            #expect(try Letter.deleteOne(db, id: id))
            #expect(try !letter.exists(db))
            try Day(day: date).insert(db)
            expectEqual(try Day.fetchOne(db, key: date), Day(day: date))
            try Number(id: 7).insert(db)
            expectEqual(try Int.fetchOne(db, sql: "SELECT id FROM number"), 1007)
            expectEqual(try Number.fetchOne(db, id: 7), Number(id: 7))
            #expect(try Number.deleteOne(db, id: 7))
        }
    }

    @Test("keys are numbers of any type, or stored values")
    func convertedKeys() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE serial (number INTEGER PRIMARY KEY); CREATE TABLE box (box_number INTEGER PRIMARY KEY);
                    CREATE TABLE letter (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL)
                    """)
            try Serial(number: 7).insert(db)
            expectEqual(try Serial.fetchOne(db, key: 7), Serial(number: 7))
            expectEqual(try Serial.fetchOne(db, key: 7 as Int32), Serial(number: 7))
            expectEqual(try Serial.filter(keys: [7, 8]).fetchAll(db), [Serial(number: 7)])
            expectEqual(try Serial.fetchOne(db, key: ["number": 7]), Serial(number: 7))
            expectEqual(try Serial.fetchOne(db, key: 1007.databaseValue), Serial(number: 7))
            #expect(try !Serial.deleteOne(db, key: 1007))
            expectFailure(.SQLITE_MISMATCH) { _ = try Serial.fetchOne(db, key: 7.5) }
            expectFailure(.SQLITE_MISMATCH) { _ = try Letter.fetchOne(db, key: "a") }
            try SerialBox(serial: BoxNumber(number: 7)).insert(db)
            expectEqual(try SerialBox.fetchCount(db), 1)
            expectEqual(try SerialBox.fetchOne(db, key: 7)?.serial.number, 7)
            expectEqual(try SerialBox.filter(key: 7).fetchOne(db)?.serial.number, 7)
        }
    }

    @Test("a column that stores whole seconds is compared with fractions")
    func fractions() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE day (day INTEGER PRIMARY KEY)")
            try Day(day: date).insert(db)
            let later = date + 0.5
            expectEqual(try Day.filter { $0.day < later }.fetchCount(db), 1)
            expectEqual(try Day.filter { $0.day <= later }.fetchCount(db), 1)
            expectEqual(try Day.filter { $0.day > later }.fetchCount(db), 0)
            expectEqual(try Day.filter { $0.day >= later }.fetchCount(db), 0)
            expectEqual(try Day.filter { later >= $0.day && later > $0.day }.fetchCount(db), 1)
            expectEqual(try Day.filter { (later...).contains($0.day) }.fetchCount(db), 0)
            expectEqual(try Day.filter { (date - 0.5...later).contains($0.day) }.fetchCount(db), 1)
            expectEqual(try Day.filter { (later...later + 0.1).contains($0.day) }.fetchCount(db), 0)
        }
    }

    @Test("a date that isn't a number can't be stored in any format")
    func notANumber() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE day (day INTEGER PRIMARY KEY)")
            let nan = Date(timeIntervalSince1970: .nan)
            expectFailure(.SQLITE_MISMATCH) { try Day(day: nan).insert(db) }
            expectFailure(.SQLITE_MISMATCH) { _ = try Day.filter { $0.day == nan }.fetchCount(db) }
            let iso = TypedColumn<Date>("day", as: .iso8601)
            expectFailure(.SQLITE_MISMATCH) { _ = try Day.filter { _ in iso == nan }.fetchCount(db) }
            expectFailure(.SQLITE_MISMATCH) { try Day(day: Date(timeIntervalSince1970: 1e300)).insert(db) }
        }
    }
}
#endif
