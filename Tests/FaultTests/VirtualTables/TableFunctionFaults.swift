import Amalgam
import AmalgamCore
import Testing

/// Table-valued functions are added, planned, and scanned.
@Suite struct TableFunctionFaults {
    private static let series = DatabaseTableFunction(
        "series", arguments: ["start", "stop", .optional("step")], columns: ["value"]
    ) { arguments -> StrideThrough<Int> in
        let (start, stop, step): (Int, Int, Int?) = (try arguments[0], try arguments[1], try arguments[2])
        return stride(from: start, through: stop, by: step ?? 1)
    }

    private static let roster = DatabaseTableFunction(
        "roster", arguments: ["team", .optional("minimum")], columns: ["name", "score"],
        sql: "SELECT name, score FROM player WHERE teamId = :team AND ifnull(score, 0) >= ifnull(:minimum, 0)")

    private static let words = DatabaseTableFunction("words", arguments: ["text"], columns: ["word", "length"]) {
        arguments in
        let text: String = try arguments["text"]
        return text.split(separator: " ").map { (String($0), $0.count) }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]))
    func scan(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.add(tableFunction: Self.series)
                attempt.note(try Int.fetchAll(db, sql: "SELECT value FROM series(1, 10, 3)"))
                attempt.note(
                    try Row.fetchAll(
                        db, sql: "SELECT id, value FROM player, series(1, player.id) ORDER BY value DESC, id"))
                attempt.note(try Int.fetchAll(db, sql: "SELECT value FROM series WHERE start IN (1, 3) AND stop = 4"))
            }
        }
    }

    @Test(arguments: Weather.memory)
    func texts(weather: Weather) throws {
        let setUp = { (db: Database) in try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a)") }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.add(tableFunction: Self.words)
                attempt.note(try Row.fetchAll(db, sql: "SELECT * FROM words(?)", arguments: ["to be or not to be"]))
                try db.remove(tableFunction: Self.words)
            }
        }
    }

    /// A view with parameters, which runs a nested statement.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func view(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.add(tableFunction: Self.roster)
                let statement = try db.makeStatement(
                    sql: "SELECT team.name, roster.* FROM team, roster(team.id, ?) ORDER BY 2")
                attempt.note(try Row.fetchAll(statement, arguments: [5]))
                attempt.note(try Row.fetchAll(statement, arguments: [nil]))
            }
        }
    }

    /// A table function provides the rows that a statement writes to another table.
    @Test(arguments: Weather.allocations([.memory, .journal]) + Weather.files([.journal]))
    func source(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly { try db.add(tableFunction: Self.series) }
                try db.execute(sql: "INSERT INTO team (name) SELECT 'Team ' || value FROM series(1, 20)")
            }
        }
    }
}
