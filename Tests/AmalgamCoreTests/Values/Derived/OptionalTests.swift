import Amalgam
import CAmalgam
import Foundation
import Testing

@Suite struct OptionalTests {
    @Test func storage() throws {
        #expect((1 as Int?).databaseValue == 1.databaseValue)
        #expect((nil as Int?).databaseValue == .null)
        #expect(try sql("a" as String?) == "text 'a'")
        #expect(try sql(nil as String?) == "null NULL")
    }

    @Test func conversions() {
        #expect(Int?.fromDatabaseValue(1.databaseValue) == .some(1))
        #expect(Int?.fromDatabaseValue(.null) == .some(nil))
        #expect(Int?.fromDatabaseValue("a".databaseValue) == nil)
        #expect(Int??.fromDatabaseValue(.null) == .some(.some(nil)))
    }

    @Test func fetching() throws {
        try withDatabase { (db) throws in
            #expect(try String?.fetchAll(db, sql: "SELECT NULL UNION ALL SELECT 'a'") == [nil, "a"])
            #expect(try URL?.fetchAll(db, sql: "SELECT NULL UNION ALL SELECT 'a'") == [nil, URL(string: "a")])
            #expect(try Int?.fetchSet(db, sql: "SELECT NULL UNION ALL SELECT 1") == [nil, 1])
            #expect(try Int?.fetchOne(db, sql: "SELECT NULL") == .some(nil))
            #expect(try Int?.fetchOne(db, sql: "SELECT 1") == .some(1))
            #expect(try Int?.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
            #expect(throws: RowDecodingError.self) { try Int8?.fetchAll(db, sql: "SELECT 1000") }
            #expect(throws: RowDecodingError.self) { try Date?.fetchAll(db, sql: "SELECT 'hello'") }
        }
    }

    /// NULL is a database value.
    @Test func optionalDatabaseValues() throws {
        #expect(DatabaseValue?.fromDatabaseValue(.null) == .some(.some(.null)))
        try withDatabase { (db) throws in
            #expect(try DatabaseValue?.fetchAll(db, sql: "SELECT NULL") == [.some(.null)])
        }
    }

    @Test func missingColumns() {
        #expect(Int?.fromMissingColumn() == .some(nil))
        #expect(Int.fromMissingColumn() == nil)
        #expect(DatabaseValue?.fromMissingColumn() == .some(nil))
    }

    @Test func expressions() throws {
        try withDatabase { db in
            for (value, text) in [(nil, "NULL"), (1, "?")] as [(Int?, String)] {
                let (sql, arguments) = try SQL(value.sqlExpression).build(db)
                #expect(sql == text)
                #expect(arguments == (value == nil ? [] : [1]))
            }
            #expect(try SQL((nil as SQLExpression?).sqlExpression).build(db).sql == "NULL")
        }
    }

    @Test func binding() throws {
        #expect(try bindingResult(nil as UInt64?) == SQLITE_OK)
        #expect(try bindingResult(UInt64.max as UInt64?) == SQLITE_MISMATCH)
    }
}
