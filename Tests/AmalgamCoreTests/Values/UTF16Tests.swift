import Amalgam
import Foundation
import Testing

/// TEXT values of a UTF-16 database can't be read in place: every type that reads bytes has a second way.
@Suite(.serialized) struct UTF16Tests {
    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func textsOfAnyEncoding(encoding: String) throws {
        try withDatabase { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (a)")
            func read<T: DatabaseValueConvertible & StatementColumnConvertible>(
                _ type: T.Type, _ text: String
            ) throws -> T? {
                try db.execute(sql: "DELETE FROM t")
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
                return try T.fetchOne(db, sql: "SELECT a FROM t")
            }
            #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == encoding)
            for string in StringTests.strings where !string.utf8.contains(0) {
                #expect(try read(String.self, string) == string)
                #expect(try read(Data.self, string) == Data(string.utf8))
            }
            #expect(try read(Int.self, "12") == 12)
            #expect(try read(Double.self, "1.5") == 1.5)
            #expect(try read(Decimal.self, "1.5") == Decimal(string: "1.5"))
            #expect(try read(Date.self, "1970-01-01 00:00:01") == Date(timeIntervalSince1970: 1))
            #expect(try read(DatabaseDateComponents.self, "12:34")?.dateComponents.minute == 34)
            let uuid = UUID()
            #expect(try read(UUID.self, uuid.uuidString) == uuid)
        }
    }
}
