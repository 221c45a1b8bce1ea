import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

struct RowTests {
    // MARK: Building

    @Test func aLiteralKeepsItsOrderAndItsDuplicates() {
        let row: Row = ["b": 0, "a": "x", "B": nil, "b": 1.5, "data": Data([1])]
        #expect(row.count == 5)
        #expect(Array(row.columnNames) == ["b", "a", "B", "b", "data"])
        #expect(
            Array(row.databaseValues)
                == [0.databaseValue, "x".databaseValue, .null, 1.5.databaseValue, Data([1]).databaseValue])
    }

    @Test func aDictionaryKeepsItsOrder() {
        let dictionary: [String: (any DatabaseValueConvertible)?] = ["a": 0, "b": 1, "c": nil]
        let row = Row(dictionary)
        #expect(Array(row.columnNames) == Array(dictionary.keys))
        for (key, value) in dictionary {
            let index = dictionary.distance(from: dictionary.startIndex, to: dictionary.index(forKey: key)!)
            #expect(row[index] as DatabaseValue == value?.databaseValue ?? .null)
        }
    }

    @Test func columnsOfTypesKnownAtRunTime() {
        #expect(Row(["a": 1] as [AnyHashable: Any]) == ["a": 1])
        #expect(Row(["a": NSObject()] as [AnyHashable: Any]) == nil)
        #expect(Row([1: "a"] as [AnyHashable: Any]) == nil)
    }

    @Test func aRowWithoutColumns() {
        let row = Row()
        #expect(row.isEmpty && row.count == 0)
        #expect(row.description == "[]")
        #expect(row == [:])
        #expect(!row.hasColumn("a"))
        #expect(!row.containsNonNullValue)
        #expect(row.copy() == row)
    }

    // MARK: Reading

    static let storedValues: [DatabaseValue] = [
        .null, 0.databaseValue, Int64.max.databaseValue, Int64.min.databaseValue, 1.5.databaseValue,
        Double.infinity.databaseValue, "".databaseValue, "été 🎈".databaseValue, "a\0b".databaseValue,
        Data().databaseValue, Data([0, 255]).databaseValue, String(repeating: "x", count: 10_000).databaseValue,
    ]

    @Test(arguments: RowKind.allCases, storedValues)
    func everyStorageInEveryRow(_ kind: RowKind, _ value: DatabaseValue) throws {
        try kind.with(["before": 1.databaseValue, "value": value, "after": "x".databaseValue]) { (row) throws in
            #expect(row.count == 3)
            #expect(row[1] as DatabaseValue == value)
            #expect(row["value"] as DatabaseValue == value)
            #expect(try row.decode(DatabaseValue.self, atIndex: 1) == value)
            #expect(try row.decode(DatabaseValue.self, forColumn: "VALUE") == value)
            #expect((row[1] as (any DatabaseValueConvertible)?)?.databaseValue ?? .null == value)
            #expect((row["value"] as (any DatabaseValueConvertible)?)?.databaseValue ?? .null == value)
            #expect(row.hasNull(atIndex: 1) == value.isNull)
            #expect(Array(row.databaseValues) == [1.databaseValue, value, "x".databaseValue])
            #expect(row["before"] as Int == 1 && row["after"] as String == "x")
            #expect(row.copy() == row)
        }
    }

    @Test(arguments: RowKind.allCases)
    func integers(_ kind: RowKind) throws {
        try kind.with(["a": 0.databaseValue, "b": 256.databaseValue, "c": 2.databaseValue]) { row in
            #expect(row["b"] as? Int64 == 256)
            #expect(row[1] as Int == 256 && row["b"] as Int == 256 && row["b"] as Int? == 256)
            #expect(row[1] as Int32 == 256 && row["B"] as UInt16 == 256)
            #expect(row[1] as Double == 256)
            #expect(row["a"] as Bool == false && row["c"] as Bool == true)
            #expect(try row.decode(Int.self, atIndex: 1) == 256)
            #expect(try row.decode(Int?.self, forColumn: "b") == 256)
            #expect(throws: RowDecodingError.self) { try row.decode(UInt8.self, atIndex: 1) }
            #expect(throws: RowDecodingError.self) { try row.decode(UInt8.self, forColumn: "b") }
            #expect(throws: RowDecodingError.self) { try row.decode(UInt8?.self, forColumn: "b") }
            let inferred: Int = try row.decode(forColumn: "c")
            let inferredByIndex: Int? = try row.decode(atIndex: 2)
            #expect(inferred == 2 && inferredByIndex == 2)
        }
    }

    @Test(arguments: RowKind.allCases)
    func fastAndSlowTypes(_ kind: RowKind) throws {
        try kind.with(["name": "Anna".databaseValue, "none": .null]) { (row) throws in
            #expect(row[0] as String == "Anna" && row[0] as Name == "Anna")
            #expect(row["name"] as String? == "Anna" && row["name"] as Name? == "Anna")
            #expect(try row.decode(Name.self, forColumn: "name") == "Anna")
            #expect(try row.decode(Name.self, atIndex: 0) == "Anna")
            #expect(row[1] as String? == nil && row["none"] as Name? == nil)
            #expect(try row.decode(String?.self, atIndex: 1) == nil)
            #expect(try row.decode(Name?.self, forColumn: "none") == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(String.self, atIndex: 1) }
            #expect(throws: RowDecodingError.self) { try row.decode(Name.self, forColumn: "none") }
        }
    }

    @Test(arguments: RowKind.allCases)
    func theCaseOfNamesIsIgnored(_ kind: RowKind) throws {
        try kind.with(["teamId": 1.databaseValue, "Été": 2.databaseValue]) { (row) throws in
            for name in ["teamId", "TEAMID", "teamid", "TeamID"] {
                #expect(row[name] as Int? == 1)
                #expect(row.hasColumn(name))
                #expect(try row.decode(Int.self, forColumn: name) == 1)
            }
            #expect(row["ÉTÉ"] as Int? == 2)
            #expect(!row.hasColumn("team") && !row.hasColumn("teamIdx") && !row.hasColumn(""))
        }
    }

    @Test(arguments: RowKind.allCases)
    func theLeftmostOfDuplicatesWins(_ kind: RowKind) throws {
        try kind.with(["x": 0.databaseValue, "a": 1.databaseValue, "A": 2.databaseValue, "a": 3.databaseValue]) {
            (row) throws in
            for _ in 1...3 {
                for name in ["a", "A"] {
                    #expect(row[name] as Int == 1)
                    #expect(try row.decode(Int.self, forColumn: name) == 1)
                }
                #expect(row["x"] as Int == 0)
            }
            #expect(Array(row.columnNames) == ["x", "a", "A", "a"])
            #expect(row[3] as Int == 3)
        }
    }

    @Test(arguments: RowKind.allCases)
    func missingColumns(_ kind: RowKind) throws {
        try kind.with(["a": 1.databaseValue]) { (row) throws in
            #expect(!row.hasColumn("b"))
            #expect(row["b"] as (any DatabaseValueConvertible)? == nil)
            #expect(row["b"] as Int? == nil)
            #expect(row["b"] as Name? == nil)
            #expect(row["b"] as DatabaseValue? == nil)
            #expect(try row.decode(Int?.self, forColumn: "b") == nil)
            let error = #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: "b") }
            #expect(error?.description.hasPrefix(#"column not found: "b" - row: ["#) == true)
            #expect(throws: RowDecodingError.self) { try row.decode(Name.self, forColumn: "b") }
        }
    }

    @Test func readingErrorsTrap() async {
        expectText(
            "row index out of range",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": 1] as Row)[1] as Int
            })
        expectText(
            "row index out of range",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": 1] as Row)[-1] as (any DatabaseValueConvertible)?
            })
        expectText(
            #"no such column: b - row: [a:1]"#,
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": 1] as Row)["b"] as Int
            })
        expectText(
            #"could not convert NULL to Int: could not decode Int from database value NULL - column: "a""#,
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": nil] as Row)["a"] as Int
            })
        expectText(
            #"could not convert "x" to Optional<Int>: could not decode"#,
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = (["a": "x"] as Row)["a"] as Int?
            })
    }

    /// The error of a live row contains its SQL and its arguments.
    @Test func missingColumnsOfLiveRowsTrapWithTheSQL() async {
        expectText(
            "no such column: nope - row: [a:1], sql: `SELECT ? AS a`, arguments: [1]",
            of: await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try DatabaseQueue().read { db in
                    try Row.fetchCursor(db, sql: "SELECT ? AS a", arguments: [1]).forEach { row in
                        _ = row["nope"] as Int
                    }
                }
            })
    }

    /// The columns of a live row can be read in any order, which may differ from row to row.
    @Test func anyOrderOfReading() throws {
        try DatabaseKind.memory.run { db in
            let names = ["a", "b", "c", "d", "e"]
            let row = (0..<5).map { "column1 * 10 + \($0) AS \(names[$0])" }.joined(separator: ", ")
            let sql = "SELECT \(row) FROM (VALUES \((0..<40).map { "(\($0))" }.joined(separator: ",")))"
            let orders = [
                names, names.reversed(), ["a", "c", "e"], ["e"], ["b", "b", "b"], ["a", "missing", "b"], ["D", "A"],
            ]
            let rows = try Row.fetchCursor(db, sql: sql)
            var number = 0
            while let row = try rows.next() {
                for name in orders[(number / 3) % orders.count] {
                    let expected = names.firstIndex(of: name.lowercased()).map { number * 10 + $0 }
                    #expect(row[name] as Int? == expected)
                }
                number += 1
            }
            #expect(number == 40)
        }
    }

    // MARK: Live rows

    @Test func aRowThatIsKeptStaysAsItIs() throws {
        try DatabaseKind.memory.run { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT column1 AS a FROM (VALUES (1), (NULL), ('x'))")
            let first = try #require(try rows.next())
            let copy = first.copy()
            #expect(first["a"] as Int? == 1)
            let second = try #require(try rows.next())
            #expect(first["a"] as Int? == 1 && first == copy)
            #expect(second["a"] as Int? == nil && second[0] as String? == nil)
            #expect(try rows.next()?["a"] as String? == "x")
            #expect(copy["a"] as Int == 1)
            #expect(copy.copy() === copy)
        }
    }

    @Test func aRowThatIsKeptOutlivesTheEnd() throws {
        try DatabaseKind.memory.run { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'x' AS b, x'ff' AS c")
            let row = try #require(try rows.next())
            #expect(try rows.next() == nil)
            #expect(row["a"] as Int? == 1 && row["b"] as String? == "x" && row["c"] as Data? == Data([255]))
            #expect(row == ["a": 1, "b": "x", "c": Data([255])])
            let copy = row.copy()
            #expect(copy == row)
            #expect(copy.description == #"[a:1 b:"x" c:Data(1 bytes)]"#)
        }
    }

    @Test func aRowOutlivesItsCursorAndItsStatement() throws {
        try DatabaseKind.memory.run { db in
            var rows: RowCursor? = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'text' AS b")
            let row = try #require(try rows?.next())
            let copy = row.copy()
            rows = nil
            #expect(row["a"] as Int? == 1)
            #expect(row == ["a": 1, "b": "text"] && copy == row)
        }
    }

    // MARK: Bytes

    @Test(arguments: RowKind.allCases)
    func bytes(_ kind: RowKind) throws {
        try kind.with([
            "blob": Data([1, 2, 3]).databaseValue, "empty": Data().databaseValue, "none": .null,
            "text": "été".databaseValue, "noText": "".databaseValue,
        ]) { (row) throws in
            func data(_ name: String, _ index: Int) throws -> Data? {
                let byName = try row.withUnsafeData(named: name) { $0.map { Data($0.map { $0 }) } }
                let byIndex = try row.withUnsafeData(atIndex: index) { $0.map { Data($0.map { $0 }) } }
                #expect(byName == byIndex)
                return byName
            }
            #expect(try data("blob", 0) == Data([1, 2, 3]))
            #expect(try data("empty", 1) == Data())
            #expect(try data("none", 2) == nil)
            #expect(try data("text", 3) == Data("été".utf8))
            #expect(try data("noText", 4) == Data())
            #expect(try row.withUnsafeData(named: "missing") { $0 == nil })
            #expect(throws: Failure()) { try row.withUnsafeData(named: "blob") { _ in throw Failure() } }
            #expect(throws: RowDecodingError.self) { try row.withUnsafeData(atIndex: 5) { _ in } }
        }
    }

    @Test(arguments: RowKind.allCases)
    func numbersHaveNoBytes(_ kind: RowKind) throws {
        try kind.with(["a": 1.databaseValue, "b": 1.5.databaseValue]) { row in
            #expect(throws: RowDecodingError.self) { try row.withUnsafeData(atIndex: 0) { _ in } }
            #expect(throws: RowDecodingError.self) { try row.withUnsafeData(named: "b") { _ in } }
        }
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func theBytesOfATextAreUTF8(_ encoding: String) throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t (a); INSERT INTO t VALUES ('été')")
            let rows = try Row.fetchCursor(db, sql: "SELECT a FROM t")
            let row = try #require(try rows.next())
            #expect(try row.withUnsafeData(atIndex: 0) { $0 == Data("été".utf8) })
            #expect(try row.copy().withUnsafeData(atIndex: 0) { $0 == Data("été".utf8) })
            #expect(row["a"] as String == "été")
            #expect(try rows.next() == nil)
        }
    }

    /// Bytes that aren't UTF-8 are preserved as data, but not as a string.
    @Test func bytesThatAreNotUTF8AreKept() throws {
        try DatabaseKind.memory.run { (db) throws in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT 1, CAST(x'61ff62' AS TEXT) AS t", adapter: SuffixRowAdapter(fromIndex: 1))
            let live = try #require(try rows.next())
            for row in [live, live.copy()] {
                #expect(row["t"] as Data == Data([0x61, 0xff, 0x62]))
                #expect(row[0] as Data? == Data([0x61, 0xff, 0x62]))
                #expect(try row.decode(Data.self, forColumn: "t") == Data([0x61, 0xff, 0x62]))
                #expect(try row.withUnsafeData(atIndex: 0) { $0 } == Data([0x61, 0xff, 0x62]))
                #expect(row["t"] as String == "a\u{fffd}b")
            }
            #expect(try rows.next() == nil)
        }
    }

    @Test func zeroblobs() throws {
        try DatabaseKind.memory.run { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT zeroblob(3) AS a, 'x' AS b")
            let row = try #require(try rows.next())
            let copy = row.copy()
            for row in [row, copy] {
                #expect(row["a"] as Data == Data(count: 3))
                #expect(try row.withUnsafeData(atIndex: 0) { $0 == Data(count: 3) })
                #expect(row["b"] as String == "x")
            }
            #expect(try rows.next() == nil)
        }
    }

    // MARK: coalesce

    @Test(arguments: RowKind.allCases)
    func coalesce(_ kind: RowKind) throws {
        try kind.with(["a": .null, "b": "Anna".databaseValue, "c": "Bo".databaseValue]) { row in
            #expect(row.coalesce(["a", "b", "c"]) as String? == "Anna")
            #expect(row.coalesce(["c", "b"]) as String? == "Bo")
            #expect(row.coalesce(["A", "missing", "C"]) as Name? == "Bo")
            #expect(row.coalesce(["a"]) as String? == nil)
            #expect(row.coalesce(["missing"]) as String? == nil)
            #expect(row.coalesce([]) as String? == nil)
        }
    }
}
