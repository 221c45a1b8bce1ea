import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Rows of a cursor that are retained while their statement runs again, with fewer columns.
struct StaleRowTests {
    private static var adapters: [String: any RowAdapter] {
        [
            "suffix": SuffixRowAdapter(fromIndex: 50), "range": RangeRowAdapter(55..<60),
            "names": ColumnMapping(["a": "c52", "b": "c59"]),
            "scopes": ScopeAdapter(["tail": SuffixRowAdapter(fromIndex: 58)]),
        ]
    }

    @Test(arguments: adapters.keys.sorted())
    func aCopyReadsNothingBehindTheColumnsThatAreLeft(_ name: String) throws {
        let adapter = try #require(Self.adapters[name])
        try DatabaseKind.memory.run { db in
            let columns = (0..<60).map { "c\($0)" }
            try db.execute(sql: "CREATE TABLE wide (\(columns.joined(separator: ", ")))")
            try db.execute(sql: "INSERT INTO wide VALUES (\(columns.map { "'\($0)'" }.joined(separator: ", ")))")
            let statement = try db.makeStatement(sql: "SELECT * FROM wide")
            let rows = try Row.fetchCursor(statement, adapter: adapter)
            let row = try #require(try rows.next())
            try statement.execute()
            for column in columns[10...] { try db.execute(sql: "ALTER TABLE wide DROP COLUMN \(column)") }
            let laterRows = try Row.fetchCursor(statement)
            _ = try laterRows.next()
            for read in [row, row.copy()] {
                for index in 0..<read.count where index >= 10 || name != "scopes" {
                    #expect((read[index] as DatabaseValue).isNull)
                }
                let tail = read.scopes["tail"].map { Array($0.databaseValues) } ?? []
                #expect(tail == Array(repeating: .null, count: tail.count))
            }
        }
    }
}
