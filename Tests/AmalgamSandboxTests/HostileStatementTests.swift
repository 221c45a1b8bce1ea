import Amalgam
import Foundation
import TestSupport
import Testing

/// Statements of a sandbox that would take minutes, hours or gigabytes, in one call of a function or in the compiler.
struct HostileStatementTests {
    private static func text(_ count: Int, _ part: String) -> String {
        "replace(hex(zeroblob(\(count / part.count / 2 + 1))), '00', '\(part)\(part)')"
    }

    private static let large = text(900_000, "a")
    private static let half = text(450_000, "a")
    private static let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000)"

    private static func sum(_ call: String, count: Int = 50) -> String {
        numbers + " SELECT " + Array(repeating: call, count: count).joined(separator: " + ") + " FROM n"
    }

    /// Statements that end at a limit, or soon by themselves.
    static let statements = [
        "instr": sum("instr(\(large), \(half) || 'b')", count: 12),
        "instr of blobs": sum("instr(CAST(\(large) AS BLOB), CAST(\(half) || 'b' AS BLOB))", count: 12),
        "instr of a blob and a string": sum("instr(CAST(\(large) AS BLOB), \(half) || 'b')", count: 12),
        "instr of a string and a blob": sum("instr(\(large), CAST(\(half) || 'b' AS BLOB))", count: 12),
        "median": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT median(CASE "
            + "WHEN i > 150000 THEN 2 * (i - 150000) WHEN i % 2 THEN i ELSE 150000 + i END) FROM n",
        "replace": sum("length(replace(\(large), \(half) || 'b', 'c'))", count: 12),
        "many replacements": sum("length(replace(\(half), 'a', 'aa'))", count: 12),
        "LIKE": sum("\(large) LIKE '%a%a%a%a%a%a%a%a%a%a%a%ab'", count: 12),
        "GLOB": sum("\(large) GLOB '*[a]*[a]*[a]*[a]*[a]*[a]*[b]'", count: 12),
        "trim": "SELECT trim(\(large), \(text(900_000, "b")) || 'a')",
        "unhex": "SELECT unhex(\(text(900_000, "x")), \(text(900_000, "y")) || 'x')",
        "many functions": sum("length(upper(\(large) || i))", count: 90),
        "Swift functions": sum("length(swiftUppercaseString(\(large) || i))", count: 90),
        "printf": sum("length(printf('%.900000c', 'a'))", count: 90),
        "hex": sum("length(hex(zeroblob(450000)))", count: 90),
        "group_concat": numbers + " SELECT length(group_concat('abc')) FROM n",
        "window": numbers + " SELECT MAX(x) FROM (SELECT length(group_concat(printf('%.1000c', 'a')) OVER "
            + "(ORDER BY i ROWS 500 PRECEDING)) AS x FROM n)",
        "json_patch": "SELECT length(json_patch(a, a)) FROM (SELECT json_group_object('k' || i, i) AS a FROM "
            + "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT i FROM n))",
        "json": sum("json_valid(\(text(900_000, "[")))", count: 90),
        "sort": numbers + " SELECT i FROM n ORDER BY random()",
        "distinct": numbers + " SELECT COUNT(DISTINCT random()) FROM n",
        "bomb": bomb,
        "bomb of unions": bomb.replacing("SELECT a.x FROM", with: "SELECT 1 UNION ALL SELECT a.x FROM"),
        "columns": "SELECT "
            + Array(repeating: "(SELECT COUNT(*) FROM t AS a, t AS b, t AS c)", count: 99)
            .joined(separator: ", "),
    ]

    private static let bomb =
        "WITH c0(x) AS (SELECT 1), "
        + (1...60).map { "c\($0)(x) AS (SELECT a.x FROM c\($0 - 1) a, c\($0 - 1) b)" }.joined(separator: ", ")
        + " SELECT COUNT(*) FROM c60"

    @Test(arguments: statements.keys.sorted())
    func aHostileStatementEndsAtItsLimit(_ name: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)") }
        var sandbox = Sandbox.readOnly(tables: ["t"])
        sandbox.limits.time = .milliseconds(500)
        sandbox.functions = ["swiftUppercaseString", "median"]
        let sql = Self.statements[name]!
        try queue.read { db in
            let time = threadTime {
                do {
                    try db.sandboxed(sandbox) { _ = try Row.fetchOne(db, sql: sql) }
                } catch let error as DatabaseError {
                    #expect(
                        error.exceededLimit != nil || error.resultCode == .SQLITE_TOOBIG, "\(error.message ?? "")")
                } catch {
                    Issue.record(error)
                }
            }
            // Twice the limit, and the same again for debug builds.
            #expect(time < .seconds(2), "\(name)")
            expectEqual(try Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2])
        }
        try queue.close()
    }

    @Test func aSandboxHasALimitOfMemory() throws {
        #expect(Sandbox.readOnly.limits == ExecutionLimits(time: .seconds(5), memory: 64 << 20))
        try DatabaseQueue().read { db in
            let error = expectCode(.SQLITE_INTERRUPT) {
                try db.sandboxed(.readOnly) {
                    _ = try Row.fetchAll(
                        db,
                        sql: Self.numbers + " SELECT x FROM (SELECT printf('%.1000c%d', 'a', i) AS x FROM n) ORDER BY x"
                    )
                }
            }
            #expect(error?.exceededLimit == .memory)
        }
    }
}
