import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import TestSupport
import Testing

@Suite("Planning of virtual tables")
struct VirtualTableIndexInfoTests {
    /// Records the planner's constraints, at the first call in which all are usable.
    private final class Asked: VirtualTable, FunctionOverloadingVirtualTable {
        typealias BestIndex = @Sendable (borrowing VirtualTableIndexInfo) throws -> [Int]?
        typealias Filter = @Sendable ([Int], borrowing VirtualTableArguments) throws -> Void

        let schema = "CREATE TABLE x(a, b TEXT COLLATE NOCASE, c, d HIDDEN)"
        let choose: BestIndex
        let start: Filter

        init(_ choose: @escaping BestIndex, _ start: @escaping Filter) {
            self.choose = choose
            self.start = start
        }

        var functions: [VirtualTableFunction] {
            [
                VirtualTableFunction("nearby", argumentCount: 2, isConstraint: true) { arguments, result in
                    let (value, limit): (Int, Int) = (try arguments[0], try arguments[1])
                    result.set(value <= limit)
                },
                VirtualTableFunction("label", argumentCount: nil) { arguments, result in
                    let value: Int = try arguments[0]
                    result.set("\(value) of \(arguments.count)")
                },
                VirtualTableFunction("broken", argumentCount: 1) { _, _ in throw Failure(number: 9) },
                VirtualTableFunction("REGEXP", argumentCount: 2) { arguments, result in
                    let pattern: String = try arguments[0]
                    result.set(pattern == "yes")
                },
            ]
        }

        func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> [Int]? { try choose(info) }
        func open() -> Cursor { Cursor(table: self) }

        struct Cursor: VirtualTableCursor {
            let table: Asked
            private var value = 0

            init(table: Asked) { self.table = table }

            mutating func filter(_ plan: [Int], _ arguments: borrowing VirtualTableArguments) throws {
                value = 0
                try table.start(plan, arguments)
            }

            mutating func next() -> Bool {
                value += 1
                return value <= 3
            }

            func column(_ index: Int, _ result: borrowing SQLiteResult) { if index < 3 { result.set(value) } }
            var rowID: Int64 { Int64(value) }
        }
    }

    private func withTable(
        bestIndex: @escaping Asked.BestIndex, filter: @escaping Asked.Filter = { _, _ in },
        _ test: (Database) throws -> Void
    ) throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("t") { _ in Asked(bestIndex, filter) })
            try test(db)
        }
    }

    @Test(
        "constraints name the column and the operator",
        arguments: [
            ("a = 1", "0 ="), ("a > 1", "0 >"), ("a >= 1", "0 >="), ("1 > a", "0 <"), ("a <= 1", "0 <="),
            ("a <> 1", "0 <>"), ("a IS 1", "0 IS"), ("a IS NOT 1", "0 IS NOT"), ("a IS NULL", "0 IS NULL"),
            ("a IS NOT NULL", "0 IS NOT NULL"), ("b LIKE 'x'", "1 LIKE"), ("b GLOB 'x'", "1 GLOB"),
            ("b MATCH 'x'", "1 MATCH"), ("c REGEXP 'x'", "2 REGEXP"), ("rowid = 1", "rowid ="), ("a IN (1, 2)", "0 ="),
            ("nearby(a, 5)", "0 function 150 nearby"), ("d = 7", "3 ="),
        ])
    func operators(condition: String, expected: String) throws {
        let journal = Journal()
        try withTable(bestIndex: { info in
            for constraint in info.constraints {
                let column = constraint.column.map { "\($0)" } ?? "rowid"
                let name = constraint.functionName.map { " \($0)" } ?? ""
                journal.write("\(column) \(constraint.operator)\(name)")
            }
            return []
        }) { db in
            _ = try db.makeStatement(sql: "SELECT 1 FROM t WHERE \(condition)")
            #expect(journal.read().contains(expected))
        }
    }

    @Test("LIMIT and OFFSET are constraints without a column")
    func limit() throws {
        let journal = Journal()
        try withTable(
            bestIndex: { info in
                for constraint in info.constraints {
                    journal.write("\(constraint.column as Any) \(constraint.operator)")
                }
                guard let limit = info.constraint(on: nil, .limit), let offset = info.constraint(on: nil, .offset)
                else {
                    return []
                }
                return [try info.use(limit), try info.use(offset)]
            },
            filter: { plan, arguments in
                if plan.isEmpty { return }
                let (limit, offset): (Int, Int) = (try arguments[plan[0]], try arguments[plan[1]])
                journal.write("limit \(limit) offset \(offset)")
            }
        ) { db in
            _ = try db.rows("SELECT a FROM t LIMIT 2 OFFSET 1")
            let lines = journal.read()
            #expect(lines.contains("nil LIMIT"))
            #expect(lines.contains("nil OFFSET"))
            #expect(lines.last == "limit 2 offset 1")
        }
    }

    @Test("literals, collations, order, distinctness and columns are told")
    func questions() throws {
        let journal = Journal()
        try withTable(bestIndex: { info in
            for constraint in info.constraints {
                journal.write("\(info.value(of: constraint) as Any) \(info.collation(of: constraint))")
            }
            for term in info.orderBy {
                journal.write("order \(term.column.map { "\($0)" } ?? "rowid") \(term.isDescending)")
            }
            let columns = (-1..<5).filter { info.usesColumn($0) }
            journal.write("\(info.distinctness) \(columns)")
            info.isOrdered = true
            info.isUnique = true
            info.estimatedRows = 7
            info.estimatedCost = 8
            journal.write("\(info.isOrdered) \(info.isUnique) \(info.estimatedRows) \(info.estimatedCost)")
            info.isUnique = false
            journal.write("unique \(info.isUnique)")
            return []
        }) { db in
            _ = try db.makeStatement(sql: "SELECT a FROM t WHERE b = 'x' AND c = ? ORDER BY a, c DESC")
            let lines = journal.read()
            #expect(lines.prefix(2) == [#"Optional("x") NOCASE"#, "nil BINARY"])
            #expect(lines.contains("order 0 false"))
            #expect(lines.contains("order 2 true"))
            #expect(lines.contains("ordered [0, 1, 2]"))
            #expect(lines.contains("true true 7 8.0"))
            #expect(lines.contains("unique false"))
            _ = try db.makeStatement(sql: "SELECT DISTINCT a FROM t")
            #expect(journal.read().contains("distinct [0]"))
            _ = try db.makeStatement(sql: "SELECT a, count(*) FROM t GROUP BY a")
            #expect(journal.read().contains("grouped [0]"))
            _ = try db.makeStatement(sql: "SELECT rowid FROM t ORDER BY rowid")
            #expect(journal.read().contains("order rowid false"))
            // The table returns its rows in order: SQLite doesn't sort them.
            try #expect(!db.plan("SELECT a FROM t ORDER BY a").contains("USE TEMP B-TREE FOR ORDER BY"))
        }
    }

    @Test("arguments have the positions that use(_:) returns")
    func positions() throws {
        let journal = Journal()
        try withTable(
            bestIndex: { info in
                var plan: [Int] = []
                for constraint in info.constraints.reversed() where constraint.isUsable {
                    plan.append(try info.use(constraint))
                    plan.append(try info.use(constraint))
                }
                return plan
            },
            filter: { plan, arguments in
                let (first, second): (Int, Int) = (try arguments[0], try arguments[1])
                journal.write("\(plan) \(arguments.count) \(first) \(second)")
            }
        ) { db in
            _ = try db.rows("SELECT a FROM t WHERE a > 1 AND b < 9")
            #expect(journal.read() == ["[0, 0, 1, 1] 2 9 1"])
        }
    }

    @Test("an IN list is one argument when the plan wants it so")
    func lists() throws {
        let journal = Journal()
        try withTable(
            bestIndex: { info in
                guard let constraint = info.constraint(on: 0, .equal) else { return [] }
                try info.use(constraint, omit: true, inList: info.isList(constraint))
                return [1]
            },
            filter: { plan, arguments in
                if plan.isEmpty { return }
                let values: [Int] = try arguments.list(at: 0)
                journal.write("\(values)")
            }
        ) { db in
            _ = try db.rows("SELECT a FROM t WHERE a IN (5, 3, 4)")
            _ = try db.rows("SELECT a FROM t WHERE a IN (SELECT value FROM json_each('[2, 1]'))")
            #expect(journal.read() == ["[3, 4, 5]", "[1, 2]"])
            let sql = "SELECT a FROM t WHERE a = 1"
            let message = "argument 0 isn't a list: use(_:inList:) makes it one"
            expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try db.rows(sql) }
            let texts = "SELECT a FROM t WHERE a IN ('x', 'y')"
            expectError(.SQLITE_MISMATCH, "list 0 does not convert from TEXT to Int", sql: texts) {
                _ = try db.rows(texts)
            }
        }
    }

    @Test("misuse of a plan is an error")
    func misuse() throws {
        let kept = Unsafely<VirtualTableConstraint>()
        try withTable(bestIndex: { info in
            if let constraint = kept.value {
                let value = info.value(of: constraint)
                let (collation, isList) = (info.collation(of: constraint), info.isList(constraint))
                #expect(value == nil && collation == "BINARY" && !isList)
                try info.use(constraint)
            }
            kept.value = info.constraints.last
            return []
        }) { db in
            _ = try db.makeStatement(sql: "SELECT a FROM t WHERE b = 1 AND a = 1")
            let sql = "SELECT a FROM t"
            let message = "bestIndex: the constraint is not one of this call"
            expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try db.makeStatement(sql: sql) }
        }
        try withTable(bestIndex: { info in
            if let constraint = info.constraints.first { try info.use(constraint, inList: true) }
            return []
        }) { db in
            let sql = "SELECT a FROM t WHERE a = 1"
            expectError(.SQLITE_MISUSE, "bestIndex: the constraint isn't a list", sql: sql) {
                _ = try db.makeStatement(sql: sql)
            }
        }
        try withTable(
            bestIndex: { _ in [] },
            filter: { _, arguments in
                let _: Int = try arguments[0]
            }
        ) { db in
            let sql = "SELECT a FROM t"
            expectError(.SQLITE_MISUSE, "there is no argument 0: the plan uses 0", sql: sql) { _ = try db.rows(sql) }
        }
    }

    @Test("no plan is no query solution")
    func noPlan() throws {
        try withTable(bestIndex: { _ in nil }) { db in
            let sql = "SELECT a FROM t"
            expectError(.SQLITE_ERROR, "no query solution", sql: sql) { _ = try db.rows(sql) }
        }
    }

    @Test("functions whose first argument is a column of the table are those of the table")
    func functions() throws {
        try withTable(bestIndex: { _ in [] }) { db in
            try #expect(db.integers("SELECT a FROM t WHERE nearby(a, 2)") == [1, 2])
            try #expect(String.fetchAll(db, sql: "SELECT label(a, 1, 2) FROM t LIMIT 1") == ["1 of 3"])
            try #expect(db.integers("SELECT a FROM t WHERE a REGEXP 'yes'") == [1, 2, 3])
            let sql = "SELECT broken(a) FROM t"
            expectError(.SQLITE_ERROR, "Failure(number: 9)", sql: sql) { _ = try db.rows(sql) }
            let elsewhere = "SELECT nearby(1, 2)"
            let message = "unable to use function nearby in the requested context"
            expectError(.SQLITE_ERROR, message, sql: elsewhere) { _ = try db.rows(elsewhere) }
        }
    }
}
