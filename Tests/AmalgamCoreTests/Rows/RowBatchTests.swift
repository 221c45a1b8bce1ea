import Amalgam
@testable import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Copied rows in one object, as they are fetched for associations to many.
struct RowBatchTests {
    private func withBatch(
        _ sql: String, adapter: (any RowAdapter)? = nil, _ body: (RowBatch) throws -> Void
    ) throws {
        try DatabaseKind.memory.run { db in try body(RowBatch(db.makeStatement(sql: sql), adapter: adapter)) }
    }

    private let players = """
        VALUES (1, 10, 'Anna'), (2, 20, 'Bo'), (3, 10, 'Carl'), (4, NULL, 'Dora'), (5, 30, 'Ed'), (6, 20, NULL)
        """

    @Test func rows() throws {
        try withBatch(players) { batch in
            #expect(batch.count == 6)
            #expect(batch.rows.map { $0[0] as Int } == [1, 2, 3, 4, 5, 6])
            #expect(batch.rows.map { $0[2] as String? } == ["Anna", "Bo", "Carl", "Dora", "Ed", nil])
            #expect(batch.rows == batch.rows)
            #expect(batch.rows[0] == ["column1": 1, "column2": 10, "column3": "Anna"])
            #expect(batch.rows[0].copy() == batch.rows[0])
        }
        try withBatch("SELECT 1 AS a WHERE 0") { batch in
            #expect(batch.rows.isEmpty)
            #expect(batch.index(ofColumn: "A") == 0)
            #expect(batch.integers(atIndex: 0) == [])
            #expect(batch.arrange(by: [], groupCount: 2) == [0..<0, 0..<0])
        }
    }

    /// Short rows share memory; a long row has separate memory.
    @Test func rowsOfAllSizes() throws {
        let sql = """
            WITH RECURSIVE numbers(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
            SELECT n, substr(hex(zeroblob(100000)), 1, CASE n % 500 WHEN 7 THEN n * 60 ELSE n % 30 END),
                zeroblob(n % 11), n / 2.0, NULL
            FROM numbers
            """
        try withBatch(sql) { batch in
            let rows = batch.rows
            #expect(batch.count == 3001)
            for (n, row) in rows.enumerated() {
                let length = n % 500 == 7 ? n * 60 : n % 30
                let isRight =
                    row[0] == n && row[1] == String(repeating: "0", count: length)
                    && row[2] == Data(count: n % 11) && row[3] == Double(n) / 2
                    && row.hasNull(atIndex: 4)
                #expect(isRight, "row \(n)")
            }
        }
    }

    @Test("rows outlive what they come from")
    func rowsKeepTheBatch() throws {
        var row: Row?
        try withBatch(players) { row = $0.rows[4] }
        #expect(row?["column3"] == "Ed")
    }

    @Test func integers() throws {
        try withBatch(players) { batch in
            #expect(batch.integers(atIndex: 0) == [1, 2, 3, 4, 5, 6])
            #expect(batch.integers(atIndex: 1) == [10, 20, 10, nil, 30, 20])
            #expect(batch.integers(atIndex: 2) == nil)
        }
        try withBatch("SELECT 1 AS a UNION ALL SELECT 2.0") { #expect($0.integers(atIndex: 0) == nil) }
    }

    @Test func adapters() throws {
        let adapter = SuffixRowAdapter(fromIndex: 1).addingScopes(["first": RangeRowAdapter(0..<1)])
        try withBatch(players, adapter: adapter) { batch in
            #expect(batch.index(ofColumn: "column1") == nil)
            #expect(batch.index(ofColumn: "column2") == 0)
            #expect(batch.integers(atIndex: 0) == [10, 20, 10, nil, 30, 20])
            #expect(batch.rows[1].columnNames.elementsEqual(["column2", "column3"]))
            #expect(batch.rows[1].scopes["first"] == ["column1": 2])
            #expect(batch.rows[1].unadapted == ["column1": 2, "column2": 20, "column3": "Bo"])
        }
    }

    @Test("rows of a group come next to each other, in their order; those of no group come last")
    func arrange() throws {
        try withBatch(players) { batch in
            // Groups 0: 20, 1: 10, 2: 99
            #expect(batch.arrange(by: [1, 0, 1, nil, nil, 0], groupCount: 3) == [0..<2, 2..<4, 4..<4])
            #expect(batch.rows.map { $0[0] as Int } == [2, 6, 1, 3, 4, 5])
            #expect(PrefetchedRows.part(batch, 2..<4).rows.map { $0[2] as String } == ["Anna", "Carl"])
            #expect(PrefetchedRows.part(batch, 2..<4).count == 2)
            #expect(PrefetchedRows.part(batch, 4..<4) == .rows([]))
            #expect(PrefetchedRows.part(batch, 0..<1) == .rows([["column1": 2, "column2": 20, "column3": "Bo"]]))
            #expect(PrefetchedRows.part(batch, 0..<1) != .part(batch, 1..<2))
        }
    }

    @Test("a row that is lent serves again, unless somebody keeps it")
    func lentRows() throws {
        var kept: [Row] = []
        try withBatch(players) { batch in
            var known: Set<ObjectIdentifier> = []
            var ids: [Int] = []
            PrefetchedRows.part(batch, 1..<6).forEachRow { row in
                ids.append(row[0])
                known.insert(ObjectIdentifier(row))
            }
            #expect(ids == [2, 3, 4, 5, 6])
            #expect(known.count == 1)
            PrefetchedRows.part(batch, 0..<6).forEachRow { row in
                if row[0] as Int % 2 == 0 { kept.append(row) }
            }
            #expect(throws: CancellationError.self) {
                try PrefetchedRows.part(batch, 0..<6).forEachRow { row in
                    kept.append(row)
                    if row[0] as Int == 2 { throw CancellationError() }
                }
            }
        }
        #expect(kept.map { $0[0] as Int } == [2, 4, 6, 1, 2])
    }

    @Test("an error in the middle of the rows leaves nothing behind")
    func errors() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT abs(column1) FROM (VALUES (1), (2), (-9223372036854775808), (3))"
            let statement = try db.makeStatement(sql: sql)
            for _ in 1...2 {
                let error = #expect(throws: DatabaseError.self) { try RowBatch(statement, adapter: nil) }
                #expect(error?.message == "integer overflow")
            }
            let one = try Int.fetchOne(db, sql: "SELECT 1")
            #expect(one == 1)
        }
    }
}
