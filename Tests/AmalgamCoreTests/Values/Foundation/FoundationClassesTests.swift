import Amalgam
import Foundation
import Testing

@Suite struct FoundationClassesTests {
    @Test func data() throws {
        let data = NSData(data: Data("bar".utf8))
        #expect(try sql(data) == "blob X'626172'")
        #expect(try sql(NSData()) == "blob X''")
        #expect(NSData.fromDatabaseValue(data.databaseValue) == data)
        #expect(NSData.fromDatabaseValue("bar".databaseValue) == data)
        #expect(NSData.fromDatabaseValue(Data().databaseValue) == NSData())
        #expect(NSMutableData.fromDatabaseValue(data.databaseValue)?.length == 3)
        for expression in ["NULL", "1", "1.5"] {
            #expect(NSData.fromDatabaseValue(try stored(expression)) == nil)
        }
    }

    @Test func date() throws {
        let date = NSDate(timeIntervalSince1970: 123_456.789)
        #expect(date.databaseValue == "1970-01-02 10:17:36.789".databaseValue)
        #expect(NSDate.fromDatabaseValue(date.databaseValue) == NSDate(timeIntervalSince1970: 123_456.789))
        #expect(NSDate.fromDatabaseValue(1.databaseValue) == NSDate(timeIntervalSince1970: 1))
        #expect(NSDate.fromDatabaseValue("hello".databaseValue) == nil)
        #expect(NSDate.fromDatabaseValue(.null) == nil)
    }

    @Test(arguments: ["NULL", "1", "1.5", "'a'", "x''"])
    func null(expression: String) throws {
        #expect(NSNull().databaseValue == .null)
        #expect(NSNull.fromDatabaseValue(try stored(expression)) == nil)
    }

    @Test func string() throws {
        let string = NSString(string: "héhé")
        #expect(string.databaseValue == "héhé".databaseValue)
        #expect(NSString.fromDatabaseValue("héhé".databaseValue) == string)
        #expect(NSString.fromDatabaseValue(Data("héhé".utf8).databaseValue) == string)
        #expect(NSMutableString.fromDatabaseValue("a".databaseValue) == NSMutableString(string: "a"))
        #expect(NSString.fromDatabaseValue(Data([0x61, 0xff]).databaseValue) == NSString(string: "a\u{FFFD}"))
        for expression in ["NULL", "1", "1.5"] {
            #expect(NSString.fromDatabaseValue(try stored(expression)) == nil)
        }
    }

    @Test(arguments: ["https://sqlite.org/", "file:///tmp/a/"])
    func url(text: String) throws {
        let url = try #require(NSURL(string: text))
        #expect(url.databaseValue == text.databaseValue)
        #expect(NSURL.fromDatabaseValue(url.databaseValue) == url)
    }

    @Test func urlsOfOtherValues() throws {
        let bar = try #require(NSURL.fromDatabaseValue(Data("bar".utf8).databaseValue))
        #expect(bar.databaseValue == "bar".databaseValue)
        for expression in ["NULL", "1", "1.5", "''"] {
            #expect(NSURL.fromDatabaseValue(try stored(expression)) == nil)
        }
    }

    @Test func uuid() throws {
        let uuid = NSUUID()
        #expect(uuid.databaseValue == UUID(uuidString: uuid.uuidString)?.databaseValue)
        #expect(NSUUID.fromDatabaseValue(uuid.databaseValue) == uuid)
        #expect(NSUUID.fromDatabaseValue(uuid.uuidString.databaseValue) == uuid)
        #expect(NSUUID.fromDatabaseValue("hello".databaseValue) == nil)
    }

    @Test func fetching() throws {
        try withDatabase { db in
            let strings = try NSString.fetchAll(db, sql: "SELECT 'a' UNION SELECT 'b'")
            #expect(strings == [NSString(string: "a"), NSString(string: "b")])
            #expect(try NSDate.fetchOne(db, sql: "SELECT NULL") == nil)
        }
    }
}
