import Amalgam
import TestSupport
import Testing

@Suite("Decimals in a sandbox", .enabled(if: SQLiteBuild.hasDecimals, "this SQLite has no decimal.c"))
struct DecimalSandboxTests {
    @Test("pure functions and the collation are allowed")
    func allowed() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE item (price TEXT); INSERT INTO item VALUES ('0.1'), ('0.2'), ('10'), ('9')")
            try db.sandboxed(.readOnly(tables: ["item"])) {
                expectEqual(
                    try String.fetchAll(db, sql: "SELECT price FROM item ORDER BY price COLLATE decimal DESC LIMIT 2"),
                    ["10", "9"])
                expectEqual(try String.fetchOne(db, sql: "SELECT decimal_sum(price) FROM item"), "19.3")
                expectEqual(try String.fetchOne(db, sql: "SELECT decimal_add(decimal_mul('0.1', '3'), '1')"), "1.3")
            }
        }
    }

    @Test("no call takes long, because a number has at most 4,096 digits")
    func bounded() throws {
        try DatabaseQueue().write { db in
            let digits = String(repeating: "9", count: 5_000)
            let product = try? String.fetchOne(db, sql: "SELECT decimal_mul(?1, ?1)", arguments: [digits])
            #expect((product ?? nil) == nil)
            let power = try? String.fetchOne(db, sql: "SELECT decimal('1e9999999')")
            #expect(((power ?? nil)?.count ?? 0) < 5_000)
            expectEqual(
                try String.fetchOne(
                    db, sql: "SELECT length(decimal_mul(?1, ?1))", arguments: [String(digits.prefix(2_000))]), "4000")
        }
    }
}
