import Amalgam
import Foundation
import TestSupport
import Testing

/// A table with a column of each affinity, and expressions of each affinity. Each row has one value, in all columns.
private let schema = """
    CREATE TABLE t (
        id INTEGER PRIMARY KEY, "text" TEXT, name TEXT COLLATE NOCASE, "integer" INTEGER, "real" REAL, number NUMERIC,
        bytes BLOB, anything, unindexed TEXT, decimal REAL);
    CREATE INDEX byText ON t("text");
    CREATE INDEX byName ON t(name);
    CREATE INDEX byInteger ON t("integer");
    CREATE INDEX byReal ON t("real");
    CREATE INDEX byNumber ON t(number);
    CREATE INDEX byBytes ON t(bytes);
    CREATE INDEX byAnything ON t(anything);
    CREATE VIEW v AS SELECT *, "text" || '' AS joined, CAST(anything AS REAL) AS cast, "real" AS realOfView FROM t;
    """

private let columnNames = ["text", "name", "integer", "real", "number", "bytes", "anything", "unindexed", "decimal"]

private let operands: [SQLExpression] =
    (["id"] + columnNames + ["joined", "cast", "realOfView"]).map { Column($0).sqlExpression } + [
        SQL("CAST(anything AS TEXT)").sqlExpression, SQL("CAST(anything AS REAL)").sqlExpression,
        SQL("CAST(anything AS INTEGER)").sqlExpression, SQL("CAST(anything AS BLOB)").sqlExpression,
        SQL("coalesce(anything, 1)").sqlExpression, SQL("+\"text\"").sqlExpression,
        SQL("(SELECT u.\"text\" FROM t u WHERE u.id = v.id)").sqlExpression,
        SQL("(SELECT u.\"real\" FROM t u WHERE u.id = v.id)").sqlExpression,
        Column("text").collating(.nocase), Column("anything").collating(.nocase), Column("real") + 0, Column("id") * 1,
    ]

/// Integers around those that a `Double` can't represent, and strings that SQLite converts to numbers.
private let valuesByKind: [[DatabaseValue]] = [
    [0, 1, -1, 2, 1 << 53, 1 << 53 + 1, .max, .min, .max - 1].map { (integer: Int64) in integer.databaseValue },
    [
        0.0, -0.0, 1, 0.5, 0.1, 0x1p53, 0x1p63, -0x1p63, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity,
    ].map { (double: Double) in double.databaseValue },
    [
        "", "a", "A", "a ", "1", "01", "1.0", "1e0", " 1 ", "0.1", "9007199254740993", " 9223372036854775807 ",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9.2233720368547758e18", "é\"\\\n", "Inf",
    ].map(\.databaseValue),
    [Data(), Data([0]), Data("1".utf8), Data("a".utf8), Data([0, 255])].map(\.databaseValue),
    ["a\0b".databaseValue, .null],
]

/// Returns values of one storage class, or, in a third of the calls, of all.
private func randomList(using random: inout SeededRandom) -> [DatabaseValue] {
    let kind = Int.random(in: 0..<6, using: &random)
    let pool = kind < 4 ? valuesByKind[kind] : Array(valuesByKind.joined().dropLast(kind == 4 ? 2 : 0))
    return (0..<Int.random(in: 9...14, using: &random)).map { _ in pool.randomElement(using: &random)! }
}

/// Runs a closure in which lists of nine elements or more are one argument, because a statement has only eight parameters.
private func asOneArgument<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    let limit = try db.limit(.parameterCount)
    try db.setLimit(.parameterCount, to: 8)
    let result = Result { try body() }
    try db.setLimit(.parameterCount, to: limit)
    return try result.get()
}

private func withValues(_ test: (Database) throws -> Void) throws {
    try DatabaseQueue().write { db in
        try db.execute(sql: schema)
        let names = columnNames.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let insertion = try db.makeStatement(
            sql: "INSERT INTO t (\(names)) VALUES (\(columnNames.map { _ in "?1" }.joined(separator: ", ")))")
        for value in valuesByKind.joined() { try insertion.execute(arguments: [value]) }
        try test(db)
    }
}

/// The rows for which a condition is true, with an index or without, and the value of the condition in each row.
private struct Answer: Equatable {
    var ids: [Int64]
    var others: [Int64]
    var values: [DatabaseValue]

    init(_ db: Database, _ condition: SQLExpression) throws {
        let rows = Table("v").order(Column("id"))
        ids = try Int64.fetchAll(db, rows.filter(condition).select(Column("id")))
        others = try Int64.fetchAll(db, rows.filter(!condition).select(Column("id")))
        values = try DatabaseValue.fetchAll(db, rows.select(condition))
    }
}

@Suite("Lists that are one argument")
struct LargeListTests {
    @Test("a list finds the same rows with any number of parameters", arguments: seeds(4))
    func randomLists(seed: UInt64) throws {
        try withValues { db in
            var random = SeededRandom(seed: seed)
            for _ in 0..<15 {
                let list = randomList(using: &random)
                for operand in operands {
                    let expected = try Answer(db, list.contains(operand))
                    let large = try asOneArgument(db) { try Answer(db, list.contains(operand)) }
                    let sql = try Table("v").filter(list.contains(operand)).expandedSQL(db)
                    #expect(large == expected, "\(sql)")
                    let array = SQLArray(list)
                    if (try? db.execute(sql: "SELECT count(*) FROM carray(?)", arguments: [array])) == nil { continue }
                    let found = try Answer(db, array.contains(operand))
                    #expect(found == expected, "array: \(sql)")
                }
            }
        }
    }

    @Test("rows of values find the same rows with any number of parameters")
    func randomRowValues() throws {
        try withValues { db in
            var random = SeededRandom(seed: 1)
            for _ in 0..<100 {
                let columns = columnNames.shuffled(using: &random).prefix(2).map { Column($0) }
                let keys = (0..<6).map { _ in randomList(using: &random).prefix(2) }
                let condition = keys.map { SQLRowValue($0.map { $0 as any SQLExpressible }) }
                    .contains(SQLRowValue(columns.map { $0 as any SQLExpressible }))
                let expected = try Answer(db, condition)
                let large = try asOneArgument(db) { try Answer(db, condition) }
                let sql = try Table("v").filter(condition).expandedSQL(db)
                #expect(large == expected, "\(sql)")
            }
        }
    }

    @Test("numbers are compared with a TEXT column as strings, whatever the length of the list is")
    func numbersAndStrings() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE product (code TEXT PRIMARY KEY, price REAL);
                    INSERT INTO product VALUES ('1', 1), ('2', 9223372036854775807), ('x', 0.5);
                    """)
            let (table, code, price) = (Table("product"), Column("code"), Column("price"))
            let keys = Array(1...33_000)
            for count in [3, 33_000] {
                let numbers = keys.prefix(count)
                let found = try String.fetchAll(db, table.filter(keys: Array(numbers)).select(code).order(code))
                #expect(found == ["1", "2"])
                let others = try String.fetchAll(db, table.filter(!numbers.contains(code)).select(code))
                #expect(others == ["x"])
                let counts = try [
                    table.filter(SQLArray(numbers).contains(code)).fetchCount(db),
                    table.filter(numbers.map(Double.init).contains(code)).fetchCount(db),
                    table.filter(numbers.map(Double.init).contains(price)).fetchCount(db),
                    table.filter((numbers + [.max]).contains(price)).fetchCount(db),
                ]
                #expect(counts == [2, 0, 1, 1])
            }
            let deleted = try table.deleteAll(db, keys: keys)
            #expect(deleted == 2)
        }
    }

    @Test("integers that REAL can't represent have a further condition")
    func largeIntegers() throws {
        try withValues { db in
            let list = SQLArray([1, Int64.max])
            let (sql, arguments) = try list.contains(Column("real")).parameterSQL(db)
            #expect(
                sql == """
                    ("real" IN (SELECT +value FROM carray(?)) AND \
                    (typeof("real") <> 'real' OR "real" IN (SELECT +value FROM carray(?))))
                    """)
            #expect(arguments == [list, SQLArray([1])])
            let negation = try (!list.contains(Column("real"))).parameterSQL(db).sql
            #expect(
                negation == """
                    ("real" NOT IN (SELECT +value FROM carray(?)) OR \
                    (typeof("real") = 'real' AND "real" NOT IN (SELECT +value FROM carray(?))))
                    """)
            let strings = try SQLArray(["1", "9223372036854775807"]).contains(Column("real")).parameterSQL(db).sql
            #expect(strings == #""real" IN carray(?)"#)
        }
    }

    @Test("the index of the column is used")
    func indexes() throws {
        try withValues { db in
            let lists: [[DatabaseValue]] = [
                [1, 2, 3, 4].map(\.databaseValue), ["a", "b", "c", "d"].map(\.databaseValue),
                [1.databaseValue, "a".databaseValue, .null, 2.databaseValue],
                [1, 2, 3, Int64.max].map(\.databaseValue),
            ]
            for list in lists.map({ $0 + $0 + $0 }) {
                for column in ["id"] + columnNames.prefix(7) {
                    let steps = try asOneArgument(db) {
                        let statement = try Table("t").filter(list.contains(Column(column)))
                            .makePreparedRequest(db, forSingleResult: false).statement
                        return try Row.fetchAll(
                            db, sql: "EXPLAIN QUERY PLAN \(statement.sql)", arguments: statement.arguments
                        ).map { $0["detail"] as String }
                    }
                    #expect(steps.contains { $0.hasPrefix("SEARCH t USING") }, "\(column) \(steps)")
                }
            }
        }
    }
}
