import Amalgam
import Foundation
import Testing

@Suite struct RawRepresentableTests {
    enum Color: String, DatabaseValueConvertible {
        case red, blue
    }

    enum Level: Int64, DatabaseValueConvertible, StatementColumnConvertible {
        case low = 1, high
    }

    struct Stamp: RawRepresentable, Equatable, DatabaseValueConvertible {
        var rawValue: Date
    }

    struct OwnStamp: RawRepresentable, Equatable, Codable, DatabaseValueConvertible {
        var rawValue: Date
    }

    /// A type with its own `databaseValue`.
    struct Shouted: RawRepresentable, DatabaseValueConvertible {
        var rawValue: String
        var databaseValue: DatabaseValue { rawValue.uppercased().databaseValue }
    }

    @Test func strings() throws {
        #expect(try sql(Color.red) == "text 'red'")
        #expect(Color.fromDatabaseValue("blue".databaseValue) == .blue)
        #expect(Color.fromDatabaseValue("green".databaseValue) == nil)
        #expect(Color.fromDatabaseValue(1.databaseValue) == nil)
        #expect(Color.fromDatabaseValue(.null) == nil)
    }

    @Test func integers() throws {
        #expect(try sql(Level.high) == "integer 2")
        #expect(try fetched(Level.self, "1") == .low)
        #expect(try fetched(Level.self, "NULL") == nil)
        #expect(try fetched(Level.self, "2.5") == .high)
        #expect(fetchedOrMismatch(Level.self, "3") == nil)
        #expect(fetchedOrMismatch(Level.self, "1e300") == nil)
    }

    @Test func valuesOutsideOfTheCases() throws {
        try withDatabase { (db) throws in
            #expect(throws: RowDecodingError.self) { try Color.fetchAll(db, sql: "SELECT 'green'") }
            #expect(throws: RowDecodingError.self) { try Level.fetchAll(db, sql: "SELECT 3") }
            #expect(try Level?.fetchAll(db, sql: "SELECT NULL UNION ALL SELECT 1") == [nil, .low])
            #expect(throws: RowDecodingError.self) { try Level?.fetchAll(db, sql: "SELECT 3") }
        }
    }

    @Test func rawDates() throws {
        let date = Date(timeIntervalSince1970: 123_456.789)
        let text = "1970-01-02 10:17:36.789".databaseValue
        #expect(Stamp(rawValue: date).databaseValue == text)
        #expect(Stamp.fromDatabaseValue(text)?.databaseValue == text)
        // Codable doesn't encode it as a number.
        #expect(OwnStamp(rawValue: date).databaseValue == text)
        #expect(OwnStamp.fromDatabaseValue(text)?.databaseValue == text)
    }

    @Test func ownDatabaseValue() throws {
        #expect(try sql(Shouted(rawValue: "hey")) == "text 'HEY'")
    }
}
