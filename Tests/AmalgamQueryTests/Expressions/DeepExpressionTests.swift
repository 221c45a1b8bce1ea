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
        "EXISTS": { expression, _ in SQLRequest<Int>("SELECT 1 WHERE \(expression)").exists() },
        "EXISTS of a request": { expression, _ in Table("t").filter(expression).exists() },
        "IN of a request": { expression, _ in
            Table("t").filter(expression).select(Column("id")).contains(Column("id"))
        },
        "JSON elements": { expression, _ in JSONColumn("id").each.allSatisfy { _ in expression } },
        "JSON function": { expression, _ in JSONElements.each(of: expression).contains { _ in true.sqlExpression } },
    ]

    /// Further steps, for which SQLite has no such deep statement.
    static let otherSteps: [String: @Sendable (SQLExpression, Int) -> SQLExpression] = [
        "PARTITION BY": { expression, _ in count().over(partitionBy: expression) },
        "ORDER BY of a window": { expression, _ in count().over(orderBy: expression.desc) },
        "ORDER BY of an aggregate": { expression, _ in groupConcat(Column("id"), orderBy: expression.desc) },
        "ordering in a literal": { expression, _ in SQL("(\(expression.desc))").sqlExpression },
        "selection in a literal": { expression, _ in SQL("(\(expression.forKey("a")))").sqlExpression },
        "ORDER BY": { expression, _ in Table("t").order(expression).sqlExpression },
        "GROUP BY": { expression, _ in Table("t").all().group(expression).sqlExpression },
        "HAVING": { expression, _ in Table("t").all().having(expression).sqlExpression },
        "JOIN": { expression, _ in
            let other = CommonTableExpression(named: "c", sql: "SELECT 1")
            let association = Table("t").association(to: other, on: { _, _ in expression })
            return Table("t").joining(required: association).sqlExpression
        },
    ]

    /// Requests that are built step by step. Each step contains the previous one.
    static let requests: [String: @Sendable (Int) -> any FetchRequest] = [
        "SQL": { depth in
            (0..<depth).reduce(SQLRequest<Int>("SELECT id FROM t")) { request, _ in "SELECT id FROM (\(request))" }
        },
        "UNION": { depth in
            let ids = Table("t").select(Column("id"), as: Int.self)
            return (0..<depth).reduce(ids.union(ids)) { request, _ in ids.union(request) }
        },
        "WITH": { depth in
            (0..<depth).reduce(Table("t").all()) { request, _ in
                let table = CommonTableExpression(named: "c", request: request)
                return table.all().with(table)
            }
        },
        "WITH in SQL": { depth in
            (0..<depth).reduce(SQLRequest<Row>("SELECT id FROM t")) { request, _ in
                let table = CommonTableExpression(named: "c", request: request)
                return "WITH \(definitionFor: table) SELECT id FROM \(table)"
            }
        },
    ]

    private static func expression(_ name: String, depth: Int) -> SQLExpression {
        let step = steps[name] ?? otherSteps[name]!
        return (0..<depth).reduce(Column("id").sqlExpression) { step($0, $1) }
    }

    /// Runs a closure on a thread whose stack has 512 KB, like those of dispatch queues on Apple systems. Sanitized code takes more.
    private static func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
        try onStack(of: 512 << 10, body)
    }

    private static func onStack(of size: Int, _ body: @escaping @Sendable () throws -> Void) throws {
        nonisolated(unsafe) var result: Result<Void, any Error>?
        let end = DispatchSemaphore(value: 0)
        let thread = Thread {
            result = Result { try body() }
            end.signal()
        }
        thread.stackSize = isSanitized ? 8 * size : size
        thread.start()
        end.wait()
        try result!.get()
    }

    @Test(arguments: (Array(steps.keys) + otherSteps.keys).sorted())
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

    @Test(arguments: requests.keys.sorted())
    func aRequestThatIsTooDeepThrowsTheErrorOfSQLite(_ name: String) throws {
        try Self.onSmallStack {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
                for depth in [1500, 5000] {
                    let request = Self.requests[name]!(depth)
                    let error = expectCode(.SQLITE_ERROR) {
                        _ = try request.makePreparedRequest(db, forSingleResult: false)
                    }
                    #expect(error?.message == Self.message)
                }
                let statement = try Self.requests[name]!(10).makePreparedRequest(db, forSingleResult: false).statement
                expectEqual(try Int.fetchAll(statement), [1])
            }
        }
    }

    /// SQLite ignores the DISTINCT directly inside EXISTS. A level whose text has DISTINCT and OFFSET is written once, too.
    @Test func eachLevelIsWrittenOnce() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
            var expression = SQLRequest<Int>("SELECT DISTINCT id FROM t LIMIT 1 OFFSET 1").exists()
            for _ in 0..<24 { expression = SQLRequest<Int>("SELECT id FROM t WHERE \(expression)").exists() }
            let literal: SQL = "\(expression)"
            var sql = ""
            let time = try threadTime { sql = try literal.build(db).sql }
            // Twice at each level would take hours.
            #expect(time < .seconds(60))
            expectEqual(sql.components(separatedBy: "EXISTS (SELECT * FROM (").count, 26)
            #expect(sql.hasPrefix("EXISTS (SELECT * FROM (SELECT id FROM t WHERE EXISTS (SELECT * FROM ("))
            #expect(sql.contains("(SELECT * FROM (SELECT DISTINCT id FROM t LIMIT 1 OFFSET 1))"))
        }
    }

    /// Each subquery has the name of its outer table, refers to this table, and therefore gets another name.
    @Test func subqueriesThatNeedOtherNamesAreNotWrittenAgainWithoutEnd() throws {
        func request(_ depth: Int) -> QueryInterfaceRequest<Row> {
            let aliases = (0...depth).map { _ in TableAlias() }
            var request = Table("t").aliased(aliases[depth])
            for index in (0..<depth).reversed() {
                let (outer, inner) = (aliases[index], aliases[index + 1])
                let condition = request.filter(outer["id"] == inner["id"]).exists()
                request = Table("t").aliased(outer).filter(condition)
            }
            return request
        }
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
            expectEqual(try request(10).fetchCount(db), 2)
            let time = threadTime {
                let error = expectCode(.SQLITE_ERROR) { try request(26).fetchCount(db) }
                #expect(error?.message == Self.message)
            }
            #expect(time < .seconds(60))
        }
    }

    @Test(arguments: steps.keys.sorted())
    func aTreeThatSQLiteAcceptsIsWritten(_ name: String) throws {
        // A level of subqueries takes more of the stack than one of operators.
        let subqueries = ["EXISTS", "EXISTS of a request", "IN of a request", "JSON elements", "JSON function"]
        try Self.onSmallStack {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
                let depth = subqueries.contains(name) ? 10 : name == "subquery" ? 30 : 90
                _ = try Row.fetchAll(db, Table("t").filter(Self.expression(name, depth: depth)))
            }
        }
    }

    /// A larger stack has space for deeper trees, up to the limit of SQLite.
    @Test func aLargeStackHasSpaceForDeepTrees() throws {
        try Self.onStack(of: 8 << 20) {
            try DatabaseQueue().write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (-399)")
                let request = Table("t").filter(Self.expression("AND and OR", depth: 400))
                expectEqual(try request.fetchCount(db), 1)
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
