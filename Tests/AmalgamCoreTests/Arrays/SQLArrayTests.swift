import Amalgam
@testable import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

struct SQLArrayTests {
    private func run(_ test: (Database) throws -> Void) throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            try test(db)
        }
    }

    private static let named = "SELECT name FROM player WHERE id IN carray(?) ORDER BY id"

    @Test(arguments: DatabaseKind.allCases)
    func inTakesAnyNumberOfValues(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            for (ids, names) in [
                ([1, 3], ["Anna", "Cleo"]), ([2], ["Bo"]), ([], []), (Array(0...100_000), ["Anna", "Bo", "Cleo"]),
            ] {
                let found = try String.fetchAll(db, sql: Self.named, arguments: [SQLArray(ids)])
                #expect(found == names)
            }
        }
    }

    @Test func oneStatementServesAllArrays() throws {
        try run { db in
            let statement = try db.cachedStatement(sql: Self.named)
            #expect(try String.fetchAll(statement, arguments: [SQLArray([1])]) == ["Anna"])
            #expect(try String.fetchAll(statement) == ["Anna"])
            #expect(try String.fetchAll(statement, arguments: [SQLArray([2, 3])]) == ["Bo", "Cleo"])
            #expect(try statement.queryPlan().searches(table: "player"))
            #expect(try String.fetchAll(statement, arguments: [SQLArray([Int]())]) == [])
            #expect(try String.fetchAll(statement, arguments: [nil]) == [])
        }
    }

    @Test func anArrayIsATable() throws {
        try run { db in
            let sql = "SELECT value FROM carray(?) WHERE value NOT IN (SELECT id FROM player)"
            try expectEqual(Int.fetchAll(db, sql: sql, arguments: [SQLArray([1, 7, 3, 8])]), [7, 8])
        }
    }

    // MARK: Elements

    private func types(_ array: SQLArray, _ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT typeof(value) FROM carray(?)", arguments: [array])
    }

    private func values<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        _ array: SQLArray, _ db: Database, as type: Value.Type = Value.self
    ) throws -> [Value] {
        try Value.fetchAll(db, sql: "SELECT value FROM carray(?)", arguments: [array])
    }

    @Test func integers() throws {
        try run { db in
            try expectEqual(values(SQLArray([Int64.min, 0, .max]), db), [Int64.min, 0, .max])
            try expectEqual(values(SQLArray([UInt8(1), 255]), db), [1, 255])
            try expectEqual(values(SQLArray(Set([5])), db), [5])
            try expectEqual(values(SQLArray([true, false]), db), [1, 0])
            try expectEqual(types(SQLArray(1...2), db), ["integer", "integer"])
        }
    }

    @Test func reals() throws {
        try run { db in
            try expectEqual(values(SQLArray([1.5, -.infinity, 2]), db), [1.5, -.infinity, 2])
            try expectEqual(types(SQLArray([1.0]), db), ["real"])
        }
    }

    @Test func texts() throws {
        try run { db in
            let texts = ["Anna", "", "O'Brien", "選手", "e\u{301}", String(repeating: "x", count: 10_000)]
            try expectEqual(values(SQLArray(texts), db), texts)
            try expectEqual(types(SQLArray(texts), db), Array(repeating: "text", count: 6))
            try expectEqual(values(SQLArray(texts.map { $0[...].description }), db), texts)
        }
    }

    @Test func blobs() throws {
        try run { db in
            let blobs = [Data([0, 1, 0]), Data(), Data("Anna".utf8)]
            try expectEqual(values(SQLArray(blobs), db), blobs)
            let uuids = [UUID(), UUID()]
            try expectEqual(values(SQLArray(uuids), db), uuids)
            try expectEqual(types(SQLArray(uuids), db), ["blob", "blob"])
        }
    }

    @Test func datesAndRawValues() throws {
        enum Team: String, DatabaseValueConvertible { case reds = "Reds", blues = "Blues" }
        try run { db in
            let date = Date(timeIntervalSince1970: 0)
            try expectEqual(values(SQLArray([date]), db), ["1970-01-01 00:00:00.000"])
            let sql = "SELECT id FROM team WHERE name IN carray(?)"
            try expectEqual(Int.fetchAll(db, sql: sql, arguments: [SQLArray([Team.blues])]), [2])
        }
    }

    private static let misfits: [(SQLArray, String)] = [
        ([1, nil], "an array holds NULL: leave it out, and ask for it with IS NULL"),
        ([1, "a"], "an array holds values of several kinds: convert them, or bind them one by one"),
        ([1, 1.5], "an array holds values of several kinds: convert them, or bind them one by one"),
        (SQLArray(["a\0b"]), "an array holds a string with a NUL character: bind it by itself"),
        (SQLArray([Int?.none]), "an array holds NULL: leave it out, and ask for it with IS NULL"),
    ]

    @Test(arguments: misfits)
    func whatHasNoPlaceInAnArray(_ array: SQLArray, _ message: String) throws {
        try run { db in
            expectError(.SQLITE_MISUSE, message, sql: Self.named) {
                _ = try Row.fetchAll(db, sql: Self.named, arguments: [array])
            }
            expectError(.SQLITE_MISUSE, message) {
                try db.execute(literal: "SELECT * FROM player WHERE id IN \(array)")
            }
            #expect(array.defect == message)
            try expectEqual(db.playerNames.count, 3)
        }
    }

    // MARK: Arguments

    @Test func amongOtherArguments() throws {
        try run { db in
            let ids = SQLArray([1, 2, 3])
            let sql = "SELECT name FROM player WHERE score >= ? AND id IN carray(?) AND name IN carray(?) AND id < ?"
            let names = try String.fetchAll(db, sql: sql, arguments: [11, ids, SQLArray(["Bo", "Cleo"]), 3])
            #expect(names == ["Bo"])
        }
    }

    @Test func namedArguments() throws {
        try run { db in
            let sql = "SELECT name FROM player WHERE id IN carray(:ids) AND name <> :name"
            let arguments: StatementArguments = ["name": "Bo", "ids": SQLArray([1, 2])]
            #expect(try String.fetchAll(db, sql: sql, arguments: arguments) == ["Anna"])
            #expect(arguments.description == #"["ids": [1, 2], "name": "Bo"]"#)
            let replaced = arguments &+ ["ids": SQLArray([2, 3])]
            #expect(try String.fetchAll(db, sql: sql, arguments: replaced) == ["Cleo"])
            let untyped = try #require(StatementArguments(["ids": SQLArray([1]), "name": ""] as [AnyHashable: Any]))
            #expect(try String.fetchAll(db, sql: sql, arguments: untyped) == ["Anna"])
            let plain = arguments &+ ["ids": 1]
            #expect(try String.fetchAll(db, sql: sql, arguments: plain) == [])
            #expect(plain.description == #"["ids": 1, "name": "Bo"]"#)
        }
    }

    @Test func concatenatedArguments() throws {
        try run { db in
            var arguments: StatementArguments = [0]
            arguments += [SQLArray([1, 2])]
            arguments += ["x", SQLArray(["Bo"])]
            #expect(arguments.description == #"[0, [1, 2], "x", ["Bo"]]"#)
            let sql = "SELECT name FROM player WHERE ? = 0 AND id IN carray(?) AND ? = 'x' AND name IN carray(?)"
            #expect(try String.fetchAll(db, sql: sql, arguments: arguments) == ["Bo"])
            let untyped = try #require(StatementArguments([SQLArray([3])] as [Any]))
            #expect(try String.fetchAll(db, sql: Self.named, arguments: untyped) == ["Cleo"])
            #expect(
                try String.fetchAll(db, sql: Self.named, arguments: StatementArguments([SQLArray([3])])) == ["Cleo"])
        }
    }

    @Test func spreadOverStatements() throws {
        try run { db in
            try db.execute(
                sql: """
                    DELETE FROM player WHERE id = ?;
                    DELETE FROM player WHERE id IN carray(?);
                    INSERT INTO team SELECT value, ? FROM carray(?);
                    """, arguments: [99, SQLArray([1, 2]), "new", SQLArray([7, 8])])
            #expect(try db.playerNames == ["Cleo"])
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM team WHERE name = 'new'") == [7, 8])
        }
    }

    @Test func uncheckedArguments() throws {
        try run { db in
            let statement = try db.makeStatement(sql: Self.named)
            statement.setUncheckedArguments([SQLArray([2]), 5])
            #expect(try String.fetchAll(statement) == ["Bo"])
            statement.setUncheckedArguments([])
            #expect(try String.fetchAll(statement) == [])
        }
    }

    @Test func equality() {
        let one: StatementArguments = [SQLArray([1, 2])]
        #expect(one == [SQLArray([1, 2])])
        #expect(one.hashValue == ([SQLArray([1, 2])] as StatementArguments).hashValue)
        #expect(one != [SQLArray([1, 3])])
        #expect(one != ["[1,2]"])
        #expect(SQLArray(["a"]) == SQLArray(["a"]))
        #expect(SQLArray(["a"]) != SQLArray([Data("a".utf8)]))
        #expect(SQLArray([1]) == SQLArray([1.0]) && SQLArray([1]) != SQLArray([1.5]))
    }

    @Test func descriptions() {
        #expect(SQLArray([1, 2]).description == "[1, 2]")
        #expect(SQLArray(["a"]).description == #"["a"]"#)
        #expect(SQLArray(1...1000).description.hasSuffix("99, 100, … 1000 values]"))
        #expect(SQLArray([1, 2]).count == 2)
    }

    @Test func elsewhereAnArrayIsItsJSONText() throws {
        #expect(SQLArray([1, 2]).databaseValue == "[1,2]".databaseValue)
        #expect(SQLArray(["a\"b\n"]).databaseValue == #"["a\"b\u000a"]"#.databaseValue)
        #expect(SQLArray([Data([0, 255])]).databaseValue == #"["00ff"]"#.databaseValue)
        #expect(SQLArray.fromDatabaseValue("[1]".databaseValue) == nil)
    }

    // MARK: SQL

    @Test func interpolation() throws {
        try run { db in
            let ids = [1, 3]
            let query: SQL =
                "SELECT name FROM player WHERE id IN \(array: ids) AND id IN \(SQLArray([3])) AND id IN \(ids)"
            let (sql, arguments) = try query.build(db)
            #expect(sql == "SELECT name FROM player WHERE id IN carray(?) AND id IN carray(?) AND id IN (?,?)")
            #expect(arguments.description == "[[1, 3], [3], 1, 3]")
            #expect(try String.fetchAll(db, sql: sql, arguments: arguments) == ["Cleo"])
        }
    }

    @Test func withoutParametersTheValuesAreWritten() throws {
        try run { db in
            var writer = SQLWriter(db, writesLiterals: true)
            try SQLArray(["a", "O'B"]).write(to: &writer)
            try SQLArray([Int]()).write(to: &writer)
            #expect(writer.sql == "('a','O''B')(SELECT NULL WHERE NULL)")
        }
    }

    @Test func theArrayIsNotInTheRegion() throws {
        try run { db in
            let region = try db.makeStatement(sql: Self.named).databaseRegion
            #expect(region.description == "player(id,name)")
        }
    }

    // MARK: Memory

    @Test func memoryIsKeptAsLongAsItIsBound() throws {
        try run { db in
            weak var storage: ArrayStorage?
            let statement = try db.makeStatement(sql: "SELECT value FROM carray(?)")
            do {
                let array = SQLArray(["Anna", "Bo"])
                storage = array.storage
                _ = array.storage.bind(to: statement.sqliteStatement, at: 1)
            }
            #expect(storage != nil)
            #expect(sqlite3_step(statement.sqliteStatement) == SQLITE_ROW)
            #expect(String(cString: sqlite3_column_text(statement.sqliteStatement, 0)) == "Anna")
            sqlite3_reset(statement.sqliteStatement)
            sqlite3_bind_null(statement.sqliteStatement, 1)
            #expect(storage == nil)
        }
    }

    @Test func executionKeepsNothing() throws {
        try run { db in
            weak var storage: ArrayStorage?
            do {
                let array = SQLArray([1])
                storage = array.storage
                let statement = try db.makeStatement(sql: "DELETE FROM player WHERE id IN carray(?)")
                try statement.execute(arguments: [array])
                try statement.execute(arguments: [nil])
            }
            #expect(storage == nil)
            #expect(try db.playerNames == ["Bo", "Cleo"])
        }
    }

    @Test func bindingBesideAParameterFails() throws {
        try run { db in
            weak var storage: ArrayStorage?
            let statement = try db.makeStatement(sql: Self.named)
            do {
                let array = SQLArray([1])
                storage = array.storage
                #expect(array.bind(to: statement.sqliteStatement, at: 9) == SQLITE_RANGE)
            }
            #expect(storage == nil)
        }
    }
}
