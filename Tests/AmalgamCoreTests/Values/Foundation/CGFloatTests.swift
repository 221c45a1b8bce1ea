import Amalgam
import Foundation
import Testing

@Suite struct CGFloatTests {
    @Test func roundTrip() throws {
        #expect(CGFloat(1).databaseValue.storage == .double(1))
        try withDatabase { (db) throws in
            #expect(try CGFloat.fetchOne(db, sql: "SELECT ?", arguments: [CGFloat(1.5)]) == 1.5)
            #expect(try CGFloat?.fetchOne(db, sql: "SELECT ?", arguments: [nil as CGFloat?]) == .some(nil))
        }
    }

    @Test(arguments: [("1", 1.0), ("1.5", 1.5), ("NULL", nil), ("'1'", nil), ("x''", nil)])
    func conversions(expression: String, expected: Double?) throws {
        #expect(CGFloat.fromDatabaseValue(try stored(expression)) == expected.map { CGFloat($0) })
    }
}
