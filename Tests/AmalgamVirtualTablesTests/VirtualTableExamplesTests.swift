import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import Foundation
import TestSupport
import Testing

@Suite("Examples of the documentation of virtual tables")
struct VirtualTableExamplesTests {
    private final class Weekdays: VirtualTable {
        let schema = "CREATE TABLE x(name TEXT, isWeekend INTEGER)"

        func open() -> Cursor { Cursor() }

        struct Cursor: VirtualTableCursor {
            private let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
            private var index = -1

            mutating func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) { index = -1 }

            mutating func next() -> Bool {
                index += 1
                return index < names.count
            }

            func column(_ column: Int, _ result: borrowing SQLiteResult) {
                if column == 0 { result.set(names[index]) } else { result.set(index == 0 || index == 6) }
            }
        }
    }

    @Test("weekdays")
    func weekdays() throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: DatabaseModule("weekdays") { _ in Weekdays() })
            let names = try String.fetchAll(db, sql: "SELECT name FROM weekdays WHERE NOT isWeekend")
            #expect(names == ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"])
        }
    }

    @Test("words and squares")
    func sequences() throws {
        try DatabaseKind.memory.run { db in
            let words = DatabaseTableFunction("words", arguments: ["text"], columns: ["word"]) { arguments in
                let text: String = try arguments["text"]
                return text.split(separator: " ").lazy.map(String.init)
            }
            try db.add(tableFunction: words)
            let found = try String.fetchAll(db, sql: "SELECT DISTINCT word FROM words('to be or not to be')")
            #expect(found == ["to", "be", "or", "not"])
            let squares = DatabaseTableFunction("squares", arguments: ["count"], columns: ["n", "square"]) {
                arguments in
                try (0..<(arguments["count"] as Int)).lazy.map { ($0, $0 * $0) }
            }
            try db.add(tableFunction: squares)
            let sum = try Int.fetchOne(db, sql: "SELECT sum(square) FROM squares(10)")
            #expect(sum == 285)
        }
    }

    @Test("scores, rivals and roster")
    func rowsOfTheDatabase() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT, team TEXT, score INTEGER);
                    INSERT INTO player VALUES ('Anna', 'Reds', 10), ('Bo', 'Reds', NULL), ('Cleo', 'Blues', 30)
                    """)
            let scores = DatabaseTableFunction(
                "scores", of: Row.self, arguments: ["team"],
                columns: [.init("name") { $0["name"] as String }, .init("score") { $0["score"] as Int? }]
            ) { arguments in
                try Row.fetchCursor(
                    arguments.database, sql: "SELECT * FROM player WHERE team = ?",
                    arguments: [arguments["team"] as String])
            }
            try db.add(tableFunction: scores)
            let reds = try db.rows("SELECT * FROM scores('Reds')").description
            #expect(reds == #"[["Anna", 10], ["Bo", NULL]]"#)
            let rivals = DatabaseTableFunction("rivals", arguments: ["team"], columns: ["name"]) { arguments in
                try String.fetchCursor(
                    arguments.database, sql: "SELECT name FROM player WHERE team <> ?",
                    arguments: [arguments["team"] as String])
            }.reading(
                AnyDatabaseRegionConvertible { db in
                    try db.makeStatement(sql: "SELECT name, team FROM player").databaseRegion
                })
            try db.add(tableFunction: rivals)
            let statement = try db.makeStatement(sql: "SELECT name FROM rivals('Reds')")
            #expect(statement.databaseRegion.description == "player(name,team),rivals(name)")
            let names = try String.fetchAll(statement)
            #expect(names == ["Cleo"])
        }
    }

    private struct Player: Sendable {
        var name: String
        var score: Int
    }

    @Test("players, and lines of a file that may fail")
    func columnsAndCursors() throws {
        try DatabaseKind.memory.run { db in
            let players = [Player(name: "Anna", score: 10), Player(name: "Bo", score: 20)]
            let function = DatabaseTableFunction(
                "players", of: Player.self, columns: [.init("name", \.name), .init("score", \.score)]
            ) { _ in players }
            try db.add(tableFunction: function)
            let best = try String.fetchOne(db, sql: "SELECT name FROM players ORDER BY score DESC")
            #expect(best == "Bo")
            let lines = DatabaseTableFunction("lines", arguments: ["path"], columns: ["line"]) { arguments in
                let path: String = try arguments["path"]
                let text = try String(contentsOfFile: path, encoding: .utf8)
                var lines = text.split(separator: "\n")[...]
                return AnyCursor<String> { lines.popFirst().map(String.init) }
            }
            try db.add(tableFunction: lines)
            #expect(throws: DatabaseError.self) { try db.rows("SELECT * FROM lines('/no/such/file')") }
        }
    }
}
