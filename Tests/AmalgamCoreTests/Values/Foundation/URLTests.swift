import Amalgam
import Foundation
import Testing

@Suite struct URLTests {
    @Test(arguments: [
        "https://sqlite.org/datatype3.html?a=b#c", "file:///tmp/a%20b/", "mailto:a@example.com", "bar", "/a/b",
    ])
    func roundTrips(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(url.databaseValue == text.databaseValue)
        #expect(URL.fromDatabaseValue(url.databaseValue) == url)
        try withDatabase { (db) throws in
            #expect(try URL.fetchOne(db, sql: "SELECT ?", arguments: [url]) == url)
        }
    }

    @Test func relativeURLsAreStoredWhole() throws {
        let url = try #require(URL(string: "b", relativeTo: URL(string: "https://example.com/a/")))
        #expect(url.databaseValue == "https://example.com/a/b".databaseValue)
    }

    @Test func blobs() throws {
        #expect(URL.fromDatabaseValue(try stored("x'626172'"))?.absoluteString == "bar")
        #expect(URL.fromDatabaseValue(try stored("x'ff'")) == nil)
    }

    @Test(arguments: ["NULL", "1", "1.5", "''", "x''"])
    func otherValues(expression: String) throws {
        #expect(URL.fromDatabaseValue(try stored(expression)) == nil)
    }
}
