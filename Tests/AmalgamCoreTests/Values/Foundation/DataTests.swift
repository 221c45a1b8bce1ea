import Amalgam
import CAmalgam
import Foundation
import Testing

@Suite struct DataTests {
    @Test(arguments: [Data(), Data([0]), Data([1, 2, 3]), Data("SQLite".utf8), Data(repeating: 7, count: 100_000)])
    func roundTrips(data: Data) throws {
        #expect(data.databaseValue.storage == .blob(data))
        #expect(Data.fromDatabaseValue(data.databaseValue) == data)
        #expect(try roundTrip(data) == data)
    }

    @Test func storage() throws {
        #expect(try sql(Data([0, 0xff])) == "blob X'00FF'")
        #expect(try sql(Data()) == "blob X''")
    }

    /// The literal `x''` in its usual form, also in traces.
    @Test(arguments: [
        (Data(), "SELECT x''"), (Data([0, 0xff]), "SELECT x'00ff'"),
    ])
    func expandedSQL(data: Data, expected: String) throws {
        try DatabaseQueue().inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT ?")
            statement.arguments = [data]
            var traces: [String] = []
            db.trace { traces.append($0.expandedDescription) }
            #expect(try Data.fetchOne(statement) == data)
            #expect(try Data.fetchOne(statement, arguments: [data]) == data)
            #expect(try Data.fetchOne(db, sql: "SELECT ?", arguments: [data.databaseValue]) == data)
            #expect(traces == [expected, expected, expected])
        }
    }

    @Test func slices() throws {
        let data = Data([1, 2, 3, 4])[1..<3]
        #expect(try sql(data) == "blob X'0203'")
    }

    @Test(arguments: [
        ("x''", Data()), ("x'010203'", Data([1, 2, 3])), ("'abc'", Data("abc".utf8)), ("''", Data()),
        ("zeroblob(3)", Data([0, 0, 0])), ("NULL", nil),
    ])
    func conversions(expression: String, expected: Data?) throws {
        #expect(try decoded(Data.self, expression) == expected)
    }

    @Test func numbersAreNoBlobs() throws {
        #expect(Data.fromDatabaseValue(1.databaseValue) == nil)
        #expect(Data.fromDatabaseValue(1.5.databaseValue) == nil)
        // Directly from a statement, SQLite converts.
        #expect(try fetched(Data.self, "12") == Data("12".utf8))
    }

    @Test func blobsThatAreTooBigAreRefused() throws {
        #expect(try bindingResult(Data(count: 100), sizeLimit: 100) == SQLITE_OK)
        #expect(try bindingResult(Data(count: 101), sizeLimit: 100) == SQLITE_TOOBIG)
    }
}
