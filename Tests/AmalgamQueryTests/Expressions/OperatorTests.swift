import Amalgam
import AmalgamCore
import Testing

/// Each operator with each kind of operand, alone and nested in each other one: SQLite computes the same as Swift.
struct OperatorTests {
    /// A kind of operand, and its value in a row.
    struct Operand: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expression: SQLExpression
        var isNULL = false
        let value: @Sendable (Row) -> Int64?

        typealias Row = (a: Int64?, b: Int64?)
    }

    private static let a = Column("a")
    private static let b = Column("b")

    static let operands: [Operand] = [
        Operand(testDescription: "column", expression: a.sqlExpression) { $0.a },
        Operand(testDescription: "value", expression: 2.sqlExpression) { _ in 2 },
        Operand(testDescription: "negative value", expression: (-3).sqlExpression) { _ in -3 },
        Operand(testDescription: "optional", expression: (3 as Int?).sqlExpression) { _ in 3 },
        Operand(testDescription: "nil", expression: (nil as Int?).sqlExpression, isNULL: true) { _ in nil },
        Operand(testDescription: "NULL", expression: DatabaseValue.null.sqlExpression, isNULL: true) { _ in nil },
        Operand(testDescription: "Bool", expression: true.sqlExpression) { _ in 1 },
        Operand(testDescription: "expression", expression: a + b) { row in map(row.a, row.b, &+) },
        Operand(testDescription: "negation", expression: !(a > 1)) { row in row.a.map { $0 > 1 ? 0 : 1 } },
        Operand(testDescription: "subquery", expression: SQLRequest<Int>("SELECT MAX(a) FROM t").sqlExpression) { _ in 3
        },
        Operand(testDescription: "literal", expression: SQL("b - 1").sqlExpression) { row in row.b.map { $0 - 1 } },
        Operand(testDescription: "function", expression: abs(b)) { row in row.b.map(Swift.abs) },
    ]

    struct Operator: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expression: @Sendable (SQLExpression, SQLExpression) -> SQLExpression
        let value: @Sendable (Int64?, Int64?) -> Int64?

        /// Whether a constant NULL makes the operator test for NULL.
        var asksForNULL = false
    }

    static let operators: [Operator] = [
        Operator(testDescription: "+", expression: { $0 + $1 }) { map($0, $1, &+) },
        Operator(testDescription: "-", expression: { $0 - $1 }) { map($0, $1, &-) },
        Operator(testDescription: "*", expression: { $0 * $1 }) { map($0, $1, &*) },
        Operator(testDescription: "/", expression: { $0 / $1 }) { $1 == 0 ? nil : map($0, $1, /) },
        Operator(testDescription: "%", expression: { $0 % $1 }) { $1 == 0 ? nil : map($0, $1, %) },
        Operator(testDescription: "&", expression: { $0 & $1 }) { map($0, $1, &) },
        Operator(testDescription: "|", expression: { $0 | $1 }) { map($0, $1, |) },
        Operator(testDescription: "<<", expression: { $0 << $1 }) { map($0, $1, <<) },
        Operator(testDescription: ">>", expression: { $0 >> $1 }) { map($0, $1, >>) },
        Operator(testDescription: "<", expression: { $0 < $1 }) { map($0, $1) { $0 < $1 ? 1 : 0 } },
        Operator(testDescription: "<=", expression: { $0 <= $1 }) { map($0, $1) { $0 <= $1 ? 1 : 0 } },
        Operator(testDescription: ">", expression: { $0 > $1 }) { map($0, $1) { $0 > $1 ? 1 : 0 } },
        Operator(testDescription: ">=", expression: { $0 >= $1 }) { map($0, $1) { $0 >= $1 ? 1 : 0 } },
        Operator(
            testDescription: "==", expression: { $0 == $1 }, value: { map($0, $1) { $0 == $1 ? 1 : 0 } },
            asksForNULL: true),
        Operator(
            testDescription: "!=", expression: { $0 != $1 }, value: { map($0, $1) { $0 != $1 ? 1 : 0 } },
            asksForNULL: true),
        Operator(testDescription: "===", expression: { $0 === $1 }) { $0 == $1 ? 1 : 0 },
        Operator(testDescription: "!==", expression: { $0 !== $1 }) { $0 == $1 ? 0 : 1 },
        Operator(testDescription: "&&", expression: { $0 && $1 }) { lhs, rhs in
            if lhs == 0 || rhs == 0 { 0 } else { map(lhs, rhs) { _, _ in 1 } }
        },
        Operator(testDescription: "||", expression: { $0 || $1 }) { lhs, rhs in
            if (lhs ?? 0) != 0 || (rhs ?? 0) != 0 { 1 } else { map(lhs, rhs) { _, _ in 0 } }
        },
        Operator(testDescription: "??", expression: { $0 ?? $1 }) { $0 ?? $1 },
        Operator(testDescription: "contains", expression: { [$1, $1 + 1].contains($0) }) { element, value in
            map(element, value) { $0 == $1 || $0 == $1 + 1 ? 1 : 0 }
        },
    ]

    private static func map(_ lhs: Int64?, _ rhs: Int64?, _ transform: (Int64, Int64) -> Int64) -> Int64? {
        if let lhs, let rhs { transform(lhs, rhs) } else { nil }
    }

    /// Applies an operator to two operands, and computes its value.
    private static func apply(_ operation: Operator, _ lhs: Operand, _ rhs: Operand) -> Operand {
        let asksForNULL = operation.asksForNULL && (lhs.isNULL || rhs.isNULL)
        return Operand(
            testDescription: "(\(lhs.testDescription)) \(operation.testDescription) (\(rhs.testDescription))",
            expression: operation.expression(lhs.expression, rhs.expression)
        ) { row in
            let (left, right) = (lhs.value(row), rhs.value(row))
            return asksForNULL
                ? ((left == right) == (operation.testDescription == "==") ? 1 : 0) : operation.value(left, right)
        }
    }

    private static let rows: [Operand.Row] = {
        let values: [Int64?] = [nil, -2, 0, 1, 3]
        return values.flatMap { a in values.map { (a, $0) } }
    }()

    private static func withRows(_ test: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER, b INTEGER)")
            for row in rows { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [row.a, row.b]) }
            try test(db)
        }
    }

    /// Compares the values of operands in all rows with those of SQLite, with parameters and with literals.
    private static func check(_ db: Database, _ operands: [Operand]) throws {
        for start in stride(from: 0, to: operands.count, by: 100) {
            let batch = operands[start..<min(start + 100, operands.count)]
            for writesLiterals in [false, true] {
                var writer = SQLWriter(db, writesLiterals: writesLiterals)
                writer.append("SELECT ")
                try writer.append(batch.map(\.expression.node))
                writer.append(" FROM t ORDER BY rowid")
                let found = try Row.fetchAll(db, sql: writer.sql, arguments: writer.arguments)
                for (row, found) in zip(rows, found) {
                    let expected = batch.map { $0.value(row)?.databaseValue ?? .null }
                    if Array(found.databaseValues) == expected { continue }
                    for (operand, (actual, expected)) in zip(batch, zip(found.databaseValues, expected))
                    where actual != expected {
                        Issue.record("\(operand.testDescription) of \(row) is \(actual) instead of \(expected)")
                    }
                }
            }
        }
    }

    @Test(arguments: operators)
    func eachKindOfOperand(_ operation: Operator) throws {
        let expressions = Self.operands.flatMap { lhs in Self.operands.map { Self.apply(operation, lhs, $0) } }
        try Self.withRows { try Self.check($0, expressions) }
    }

    @Test(arguments: operators)
    func eachOperatorInEachOther(_ operation: Operator) throws {
        let kinds = ["column", "negative value", "literal"]
        let operands = Self.operands.filter { kinds.contains($0.testDescription) }
        let expressions = Self.operators.flatMap { inner in
            operands.flatMap { a in operands.map { Self.apply(inner, a, $0) } }
        }
        .flatMap { inner in
            operands.flatMap { [Self.apply(operation, inner, $0), Self.apply(operation, $0, inner)] }
        }
        try Self.withRows { try Self.check($0, expressions) }
    }

    @Test(arguments: operators)
    func negations(_ operation: Operator) throws {
        let expressions = Self.operands.flatMap { lhs in
            Self.operands.flatMap { rhs in
                let operand = Self.apply(operation, lhs, rhs)
                let negation = Operand(testDescription: "!\(operand.testDescription)", expression: !operand.expression)
                {
                    operand.value($0).map { $0 == 0 ? 1 : 0 }
                }
                let opposite = Operand(testDescription: "-\(operand.testDescription)", expression: -operand.expression)
                {
                    operand.value($0).map { 0 &- $0 }
                }
                let complement = Operand(
                    testDescription: "~\(operand.testDescription)", expression: ~operand.expression
                ) {
                    operand.value($0).map { ~$0 }
                }
                return [negation, opposite, complement]
            }
        }
        try Self.withRows { try Self.check($0, expressions) }
    }
}
