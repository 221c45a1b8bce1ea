import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct FunctionCallTests {
    private func sql(_ expression: SQLExpression) throws -> (String, StatementArguments) {
        try DatabaseQueue().inDatabase { db throws in
            let literal: SQL = "\(expression)"
            let (sql, arguments) = try literal.build(db)
            return (sql, arguments)
        }
    }

    @Test func call() throws {
        let function = DatabaseFunction("avgOf") { values in values.count }
        let (text, arguments) = try sql(function(SQL(sql: "\"qty\""), 1, "a", nil as Int?))
        #expect(text == "avgOf(\"qty\", ?, ?, NULL)")
        #expect(arguments == [1, "a"])
        #expect(try sql(function()).0 == "avgOf()")
        #expect(try sql(function(function(1))).0 == "avgOf(avgOf(?))")
    }

    @Test func unusualNames() throws {
        for (name, quoted) in [
            ("a b", "\"a b\""), ("1st", "\"1st\""), ("select", "\"select\""), ("é", "é"), ("a\"b", "\"a\"\"b\""),
        ] {
            let function = DatabaseFunction(name) { (x: Int) in 2 * x }
            #expect(try sql(function(1)).0 == quoted + "(?)")
            try DatabaseKind.memory.run { db throws in
                db.add(function: function)
                let (sql, arguments) = try ("SELECT \(function(21))" as SQL).build(db)
                #expect(try Int.fetchOne(db, sql: sql, arguments: arguments) == 42)
            }
        }
    }

    @Test func valuesAreExpressions() throws {
        let function = DatabaseFunction("f") { values in values.count }
        let value = 1.databaseValue
        let literal = SQL(value)
        try DatabaseKind.memory.run { db throws in
            let (text, arguments) = try literal.build(db)
            #expect(text == "?")
            #expect(arguments == [1])
            #expect(try function(value, DatabaseValue.null).sqlExpression.description(db) == "f(?, NULL)")
        }
    }

    @Test func collationNames() throws {
        try DatabaseKind.memory.run { db throws in
            let byLength = DatabaseCollation("by length") { _, _ in .orderedSame }
            let query: SQL = "ORDER BY a COLLATE \(.nocase), b COLLATE \(.unicodeCompare), c COLLATE \(byLength)"
            let (text, _) = try query.build(db)
            #expect(text == "ORDER BY a COLLATE NOCASE, b COLLATE swiftCompare, c COLLATE \"by length\"")
        }
    }
}

extension SQLExpression {
    fileprivate func description(_ db: Database) throws -> String {
        let literal: SQL = "\(self)"
        return try literal.build(db).sql
    }
}
