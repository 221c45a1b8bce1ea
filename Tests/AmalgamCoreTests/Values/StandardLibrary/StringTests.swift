import Amalgam
import CAmalgam
import Foundation
import Testing

@Suite struct StringTests {
    static let strings = [
        "", "a", "fifteen bytes..", "sixteen bytes...", "O'Brien", "\"", "héhé", "👨‍👩‍👧‍👦", "\u{0}", "a\u{0}b", "e\u{301}",
        String(repeating: "x", count: 100_000),
    ]

    @Test(arguments: strings)
    func roundTrips(string: String) throws {
        #expect(string.databaseValue.storage == .string(string))
        #expect(String.fromDatabaseValue(string.databaseValue) == string)
        let fetched = try roundTrip(string)
        // Not only canonically equivalent.
        #expect(fetched.map { Array($0.utf8) } == Array(string.utf8))
    }

    @Test func storage() throws {
        #expect(try sql("O'Brien") == "text 'O''Brien'")
        #expect(try sql("") == "text ''")
        #expect(try stored("length(CAST(? AS BLOB))", arguments: ["a\u{0}b"]) == 3.databaseValue)
    }

    @Test func otherValuesAreNoTexts() throws {
        for expression in ["NULL", "1", "1.5"] {
            #expect(String.fromDatabaseValue(try stored(expression)) == nil)
        }
    }

    /// The bytes of a blob are read as UTF-8, in a statement and in a copied row.
    @Test(arguments: [("x'6162'", "ab"), ("x''", ""), ("x'61ff62'", "a\u{FFFD}b")])
    func blobsAreReadAsUTF8(expression: String, expected: String) throws {
        #expect(String.fromDatabaseValue(try stored(expression)) == expected)
        #expect(try fetched(String.self, expression) == expected)
        try withDatabase { db in
            let row = try Row.fetchOne(db, sql: "SELECT \(expression) AS value")
            #expect(row?["value"] == expected)
        }
    }

    @Test(arguments: [("1", "1"), ("1.5", "1.5"), ("x'6162'", "ab"), ("x''", "")])
    func statementsConvertAsSQLiteDoes(expression: String, expected: String) throws {
        #expect(try fetched(String.self, expression) == expected)
    }

    @Test func invalidUTF8IsRepaired() throws {
        #expect(try decoded(String.self, "CAST(x'61ff62' AS TEXT)") == "a\u{FFFD}b")
    }

    @Test func mismatchOfNULL() throws {
        let error = #expect(throws: RowDecodingError.self) {
            try withDatabase { db in
                try String.fetchAll(db, sql: "SELECT ? AS name", arguments: [nil])
            }
        }
        #expect(
            error?.description == """
                could not decode String from database value NULL - column: "name", column index: 0, \
                row: [name:NULL], sql: `SELECT ? AS name`, arguments: [NULL]
                """)
    }

    @Test func stringsThatAreNotContiguous() throws {
        // A string with a lazily bridged storage on Apple platforms, a plain one on others.
        let string = String(String(repeating: "é", count: 100).reversed())
        #expect(try roundTrip(string) == string)
    }

    @Test func textsThatAreTooBigAreRefused() throws {
        #expect(try bindingResult(String(repeating: "x", count: 100), sizeLimit: 100) == SQLITE_OK)
        #expect(try bindingResult(String(repeating: "x", count: 101), sizeLimit: 100) == SQLITE_TOOBIG)
    }

    @Test func bindingOutOfRange() throws {
        #expect(try bindingResult("a", at: 2) == SQLITE_RANGE)
        #expect(try bindingResult(Data([1]), at: 2) == SQLITE_RANGE)
        #expect(try bindingResult(1, at: 0) == SQLITE_RANGE)
    }
}
