import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import TestSupport
import Testing

@Suite("Functions of virtual tables")
struct FunctionOverloadingVirtualTableTests {
    /// A table with one row and overloaded functions.
    private final class Single: FunctionOverloadingVirtualTable {
        let schema = "CREATE TABLE x(value)"
        let functions: [VirtualTableFunction]

        init(_ functions: [VirtualTableFunction]) { self.functions = functions }

        func bestIndex(_ info: borrowing VirtualTableIndexInfo) -> Bool? { true }
        func open() -> Cursor { Cursor() }

        struct Cursor: VirtualTableCursor {
            private var count = 0

            mutating func filter(_ plan: Bool, _ arguments: borrowing VirtualTableArguments) { count = 0 }

            mutating func next() -> Bool {
                count += 1
                return count == 1
            }

            func column(_ index: Int, _ result: borrowing SQLiteResult) { result.set(7) }
            var rowID: Int64 { 1 }
        }
    }

    private func withModule(
        _ name: String, argumentCount: Int?, _ test: (Database) throws -> Void
    ) throws {
        try DatabaseKind.memory.run { db in
            let function = VirtualTableFunction(name, argumentCount: argumentCount) { arguments, result in
                result.set("\(arguments.count) arguments")
            }
            try db.add(module: DatabaseModule("single") { _ in Single([function]) })
            try test(db)
        }
    }

    @Test("without a number of arguments, a function takes any", arguments: ["value", "value, 1", "value, 1, 2, 3"])
    func anyNumberOfArguments(arguments: String) throws {
        try withModule("told", argumentCount: nil) { db in
            let text = try String.fetchOne(db, sql: "SELECT told(\(arguments)) FROM single")
            #expect(text == "\(arguments.split(separator: ",").count) arguments")
        }
    }

    @Test(
        "a table with a function that SQLite cannot know is refused",
        arguments: [(String(repeating: "x", count: 256), 1), ("told", 40_000), ("told", -1), ("told", -2)])
    func illegalFunctions(name: String, argumentCount: Int) throws {
        try withModule(name, argumentCount: argumentCount) { db in
            let sql = "CREATE VIRTUAL TABLE t USING single"
            let message =
                "the function \(name)() of a virtual table has too long a name, or cannot have so many arguments"
            expectError(.SQLITE_MISUSE, message, sql: sql) { try db.execute(sql: sql) }
            try expectEqual(String.fetchAll(db, sql: "SELECT name FROM sqlite_schema"), [])
        }
    }

    @Test("the longest name")
    func longestName() throws {
        let name = String(repeating: "x", count: 255)
        try withModule(name, argumentCount: 1) { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE t USING single")
            let text = try String.fetchOne(db, sql: "SELECT \(name)(value) FROM t")
            #expect(text == "1 arguments")
        }
    }
}
