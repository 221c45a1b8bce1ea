import Amalgam
import Foundation
import TestSupport
import Testing

/// An expression that is too deep for SQLite throws SQLite's error, also on a thread with a small stack.
struct DeepExpressionTests {
    /// The message of SQLite.
    private static let message = "Expression tree is too large (maximum depth 1000)"

    /// Expressions that are built step by step. Each step contains the previous one.
    static let steps: [String: @Sendable (SQLExpression, Int) -> SQLExpression] = [
        "!": { expression, _ in !(expression == 1) },
        "! of NOT": { expression, _ in !(expression > 1) },
        "-": { expression, index in expression - index.sqlExpression },
        "- on the right": { expression, index in index.sqlExpression - expression },
        "+": { expression, index in expression + index.sqlExpression },
        "+ on the right": { expression, index in index.sqlExpression + expression },
        "*": { expression, index in expression * index.sqlExpression },
        "unary -": { expression, _ in -expression },
        "function": { expression, _ in abs(expression) },
        "cast": { expression, _ in cast(expression, as: .integer) },
        "AND and OR": { expression, index in (expression && Column("id") == index) || Column("id") == -index },
        "IN": { expression, index in [expression, index.sqlExpression].contains(Column("id")) },
        "literal": { expression, _ in SQL("(\(expression))").sqlExpression },
        "subquery": { expression, _ in SQLRequest<Int>("SELECT \(expression)").sqlExpression },
    ]

    private static func expression(_ name: String, depth: Int) -> SQLExpression {
        (0..<depth).reduce(Column("id").sqlExpression) { steps[name]!($0, $1) }
    }

    /// Runs a closure on a thread whose stack has 512 KB, like those of dispatch queues on Apple systems. Sanitized code takes more.
    private static func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
        nonisolated(unsafe) var result: Result<Void, any Error>?
        let end = DispatchSemaphore(value: 0)
        let thread = Thread {
            result = Result { try body() }
            end.signal()
        }
        thread.stackSize = (isSanitized ? 4096 : 512) << 10
        thread.start()
        end.wait()
        try result!.get()
    }

    @Test(arguments: steps.keys.sorted())
    func aTreeThatIsTooDeepThrowsTheErrorOfSQLite(_ name: String) throws {
        try Self.onSmallStack {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
                for depth in [1500, 5000] {
                    let expression = Self.expression(name, depth: depth)
                    let error = expectCode(.SQLITE_ERROR) { try Row.fetchAll(db, Table("t").filter(expression)) }
                    #expect(error?.message == Self.message)
                }
            }
        }
    }

    @Test(arguments: steps.keys.sorted())
    func aTreeThatSQLiteAcceptsIsWritten(_ name: String) throws {
        try Self.onSmallStack {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
                // A level of subqueries takes more of the stack than one of operators.
                let depth = name == "subquery" ? 30 : 90
                _ = try Row.fetchAll(db, Table("t").filter(Self.expression(name, depth: depth)))
            }
        }
    }

    @Test func aSumAndAConjunctionThatSQLiteAcceptsAreWritten() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            let sum = (1...990).reduce(0.sqlExpression) { $0 + $1.sqlExpression }
            expectEqual(try Int.fetchOne(db, Table("t").select(sum)), 990 * 991 / 2)
            let condition = (2...990).reduce(true.sqlExpression) { $0 && Column("id") != $1 }
            expectEqual(try Table("t").filter(condition).fetchCount(db), 1)
        }
    }

    @Test func aSumIsWrittenAsBefore() throws {
        let (a, b, c) = (Column("a").sqlExpression, Column("b").sqlExpression, Column("c").sqlExpression)
        try expectSQL([a, b, c].joined(operator: .add) + a, #"("a" + "b" + "c") + "a""#)
        try expectSQL(a + b + c + a, #"(("a" + "b") + "c") + "a""#)
        try expectSQL(a + (b + c), #""a" + ("b" + "c")"#)
        try expectSQL(a * b + c, #"("a" * "b") + "c""#)
    }

    private func expectSQL(_ expression: SQLExpression, _ sql: String) throws {
        try DatabaseQueue().read { db in
            let literal: SQL = "\(expression)"
            let text = try literal.build(db).sql
            #expect(text == sql)
        }
    }
}
