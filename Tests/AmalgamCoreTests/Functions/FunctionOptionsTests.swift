import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

struct FunctionOptionsTests {
    @Test func directOnly() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("f", argumentCount: 0, options: .directOnly) { _ in 1 })
            #expect(try Int.fetchOne(db, sql: "SELECT f()") == 1)
            try db.execute(sql: "CREATE VIEW v AS SELECT f() AS a")
            expectError(.SQLITE_ERROR, "unsafe use of f()", sql: "SELECT a FROM v") {
                try db.execute(sql: "SELECT a FROM v")
            }
        }
    }

    @Test func innocuous() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("plain") { 1 })
            db.add(function: DatabaseFunction("harmless", options: .innocuous) { 1 })
            try db.execute(sql: "CREATE VIEW v AS SELECT plain() AS a; CREATE VIEW w AS SELECT harmless() AS a")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            #expect(try Int.fetchOne(db, sql: "SELECT a FROM w") == 1)
            expectError(.SQLITE_ERROR, "unsafe use of plain()", sql: "SELECT a FROM v") {
                try db.execute(sql: "SELECT a FROM v")
            }
        }
    }

    @Test func returnsSubtype() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(
                function: DatabaseFunction("list", options: .returnsSubtype) { (a: Int, b: Int) in
                    DatabaseFunction.Subtyped("[\(a),\(b)]", subtype: 74)
                })
            #expect(try String.fetchOne(db, sql: "SELECT json_object('list', list(1, 2))") == #"{"list":[1,2]}"#)
            db.add(
                function: DatabaseFunction("values_of", argumentCount: 0, options: .returnsSubtype) { _ in
                    DatabaseFunction.Subtyped("[]", subtype: 74)
                })
            #expect(try String.fetchOne(db, sql: "SELECT json_array(values_of())") == "[[]]")
        }
    }

    @Test func readsSubtypes() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(
                function: DatabaseFunction("subtype", options: .readsSubtypes) {
                    (x: DatabaseFunction.Subtyped<DatabaseValue>) in Int(x.subtype)
                })
            #expect(try Int.fetchAll(db, sql: "VALUES (subtype(json('[]'))), (subtype('[]'))") == [74, 0])
        }
    }

    @Test func undeclaredSubtype() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("list") { DatabaseFunction.Subtyped("[]", subtype: 74) })
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT list()") }
            #expect(error?.message == "misuse of sqlite3_result_subtype() by list()")
        }
    }

    @Test func ofAggregates() throws {
        struct One: DatabaseAggregate {
            mutating func step(_ dbValues: [DatabaseValue]) {}
            func finalize() -> (any DatabaseValueConvertible)? { 1 }
        }
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("one", options: .directOnly, aggregate: One.self))
            #expect(try Int.fetchOne(db, sql: "SELECT one()") == 1)
            try db.execute(sql: "CREATE VIEW v AS SELECT one() AS a")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT a FROM v") }
        }
    }

    /// A function that SQLite can't register causes an error where it is used.
    @Test func namesAndCountsOutOfRange() throws {
        try DatabaseKind.memory.run { db throws in
            db.add(function: DatabaseFunction("a\0b") { 1 })
            db.add(function: DatabaseFunction("") { 1 })
            let long = String(repeating: "é", count: 128)
            db.add(function: DatabaseFunction(long) { 1 })
            db.add(function: DatabaseFunction("f", argumentCount: 1001) { _ in 1 })
            db.add(function: DatabaseFunction("f", argumentCount: -2) { _ in 1 })
            db.add(function: DatabaseFunction("f", argumentCount: .max) { _ in 1 })
            db.remove(function: DatabaseFunction("a\0b") { 1 })
            db.remove(function: DatabaseFunction("f", argumentCount: .min) { _ in 1 })
            for name in ["a", "f", long] {
                let sql = "SELECT \(name)()"
                expectError(.SQLITE_ERROR, "no such function: \(name)", sql: sql) { try db.execute(sql: sql) }
            }
            let longest = String(repeating: "x", count: 255)
            db.add(function: DatabaseFunction(longest) { 2 })
            db.add(function: DatabaseFunction("many", argumentCount: 1000) { _ in 3 })
            #expect(try Int.fetchOne(db, sql: "SELECT \(longest)()") == 2)
        }
    }

    @Test func outsideOfAnAccess() throws {
        let queue = try DatabaseQueue()
        let db = queue.inDatabase { $0.shared }
        db.value.add(function: DatabaseFunction("f") { 1 })
        db.value.remove(function: .uppercase)
        db.value.add(collation: DatabaseCollation("c") { _, _ in .orderedSame })
        db.value.remove(collation: .unicodeCompare)
        try queue.inDatabase { db throws in
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT f()") }
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1 ORDER BY 1 COLLATE c") }
            try db.execute(sql: "SELECT swiftUppercaseString('a') ORDER BY 1 COLLATE swiftCompare")
        }
        try queue.close()
        db.value.add(function: DatabaseFunction("f") { 1 })
        db.value.remove(function: .uppercase)
    }
}
