import Amalgam
import TestSupport
import Testing

/// 0.0 and -0.0 are different values for the log. A REAL column stores both as 0; any other column preserves the sign.
@Suite struct SignOfZeroTests {
    @Test func anAuditKeepsTheSignOfZero() throws {
        try Store.memory.audit("measure") { db in
            try db.execute(
                sql: """
                    CREATE TABLE measure (id INTEGER PRIMARY KEY, value);
                    INSERT INTO measure VALUES (1, 0.0);
                    """)
            try db.execute(sql: "UPDATE measure SET value = ? WHERE id = 1", arguments: [-0.0])
            let entry = try #require(try AuditLog.lastChange(of: "value", in: "measure", key: 1).fetchOne(db))
            func sign(_ value: DatabaseValue?) throws -> FloatingPointSign {
                try #require(value.flatMap { Double.fromDatabaseValue($0) }).sign
            }
            try expectEqual(sign(entry["value"]?.oldValue), .plus)
            try expectEqual(sign(entry["value"]?.newValue), .minus)
        }
    }
}
