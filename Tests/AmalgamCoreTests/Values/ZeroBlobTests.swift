import Amalgam
import Foundation
import TestSupport
import Testing

/// Blobs of zeros.
struct ZeroBlobTests {
    func lengths(_ insert: (Database) throws -> Void) throws -> [Int] {
        try makeQueue("CREATE TABLE file (content)").inDatabase { db in
            try insert(db)
            return try Int.fetchAll(db, sql: "SELECT length(content) FROM file WHERE typeof(content) = 'blob'")
        }
    }

    @Test func arguments() throws {
        let sql = "INSERT INTO file VALUES (?)"
        let lengths = try lengths { db in
            try db.execute(sql: sql, arguments: [ZeroBlob(count: 10)])
            try db.execute(sql: "INSERT INTO file VALUES (:content)", arguments: ["content": ZeroBlob(count: 11)])
            try db.execute(sql: sql, arguments: StatementArguments([ZeroBlob(count: 12)]))
            let statement = try db.makeStatement(sql: sql)
            try statement.execute(arguments: [ZeroBlob(count: 13)])
            try db.execute(sql: sql, arguments: [ZeroBlob(count: 0)])
            try db.execute(sql: sql, arguments: [ZeroBlob(count: -5)])
        }
        #expect(lengths == [10, 11, 12, 13, 0, 0])
    }

    @Test func literals() throws {
        let lengths = try lengths { db in
            let sql: SQL = "INSERT INTO file VALUES (\(ZeroBlob(count: 10)))"
            #expect(try sql.build(db).sql == "INSERT INTO file VALUES (ZEROBLOB(?))")
            try db.execute(literal: sql)
        }
        #expect(lengths == [10])
    }

    @Test func aLargeOne() throws {
        let lengths = try lengths { db in
            try db.execute(sql: "INSERT INTO file VALUES (?)", arguments: [ZeroBlob(count: 50_000_000)])
        }
        #expect(lengths == [50_000_000])
    }

    @Test(arguments: [1_000_000_001, Int(Int32.max) + 1, Int.max])
    func tooBig(count: Int) throws {
        try makeQueue("CREATE TABLE file (content)").inDatabase { db in
            _ = expectFailure(.SQLITE_TOOBIG, "string or blob too big") {
                try db.execute(sql: "INSERT INTO file VALUES (?)", arguments: [ZeroBlob(count: count)])
            }
            _ = expectFailure(.SQLITE_TOOBIG) {
                try db.execute(literal: "INSERT INTO file VALUES (\(ZeroBlob(count: count)))")
            }
            let count = try db.integer("SELECT COUNT(*) FROM file")
            #expect(count == 0)
        }
    }

    @Test func theLimitOfTheConnection() throws {
        try makeQueue("CREATE TABLE file (content)").inDatabase { db in
            try db.setLimit(.length, to: 1000)
            _ = expectFailure(.SQLITE_TOOBIG) {
                try db.execute(sql: "INSERT INTO file VALUES (?)", arguments: [ZeroBlob(count: 1001)])
            }
        }
    }

    @Test func values() throws {
        #expect(ZeroBlob(count: 3).databaseValue == Data([0, 0, 0]).databaseValue)
        #expect(ZeroBlob.fromDatabaseValue(Data(count: 3).databaseValue) == ZeroBlob(count: 3))
        #expect(ZeroBlob.fromDatabaseValue(Data([0, 1]).databaseValue) == nil)
        #expect(ZeroBlob.fromDatabaseValue(0.databaseValue) == nil)
        #expect(ZeroBlob(count: -1).count == 0)
    }
}
