import Amalgam
import Foundation
import TestSupport
import Testing

@Suite struct DatabaseValueTests {
    static let text = "1".databaseValue
    static let blob = Data("1".utf8).databaseValue

    @Test func valuesAreEqualWhenTheirContentIs() {
        #expect(1.databaseValue == Int64(1).databaseValue)
        #expect(Self.text == "1".databaseValue)
        #expect(Self.blob == Data("1".utf8).databaseValue)
        #expect(DatabaseValue.null == (nil as Int?).databaseValue)
        let values = [DatabaseValue.null, 1.databaseValue, 1.5.databaseValue, Self.text, Self.blob]
        #expect(Set(values).count == values.count)
    }

    @Test func descriptionsEscapeControlCharacters() {
        let values: [(DatabaseValue, String)] = [
            ("a\nb\tc\rd".databaseValue, #""a\nb\tc\rd""#), ("\u{0}\u{7F}".databaseValue, #""\0\u{7F}""#),
            (#"a"b\c"#.databaseValue, #""a\"b\\c""#), ("é🙂".databaseValue, #""é🙂""#), ("".databaseValue, #""""#),
        ]
        for (value, description) in values { #expect(value.description == description) }
    }

    /// An integer equals a real as in SQLite, where `1 = 1.0` is true. Their storage classes differ.
    @Test func theIntegerOneEqualsTheRealOne() throws {
        let (integer, real) = (1.databaseValue, 1.0.databaseValue)
        #expect(integer == real && real == integer)
        #expect(integer.hashValue == real.hashValue)
        #expect(Set([integer, real]).count == 1)
        #expect(integer.storage != real.storage)
        #expect(0.databaseValue == (-0.0).databaseValue)
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a REAL); INSERT INTO t VALUES (1)")
            expectEqual(try Row.fetchOne(db, sql: "SELECT a FROM t"), ["a": 1])
            expectEqual(try Row.fetchSet(db, sql: "SELECT 1 AS a UNION ALL SELECT 1.0"), [["a": 1]])
        }
    }

    /// Integers beyond 2^53, not all of which are reals.
    @Test(arguments: [(9_007_199_254_740_993, 9_007_199_254_740_992.0), (Int64.max, 0x1p63), (1, 1.5), (0, .infinity)])
    func otherNumbersDiffer(integer: Int64, real: Double) throws {
        #expect(integer.databaseValue != real.databaseValue)
        #expect(real.databaseValue != integer.databaseValue)
        try withDatabase { db in
            let isEqual = try Bool.fetchOne(db, sql: "SELECT ? = ?", arguments: [integer, real])
            expectEqual(isEqual, false)
        }
    }
}
