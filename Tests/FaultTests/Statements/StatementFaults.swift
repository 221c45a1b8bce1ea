import Amalgam
import AmalgamCore
import Foundation
import Testing

/// Compiling, binding, and stepping.
@Suite struct StatementFaults {
    @Test(arguments: Weather.memory)
    func prepare(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let sql = """
                    SELECT team.name, COUNT(*), MAX(score) FROM player JOIN team ON team.id = teamId
                    WHERE player.name LIKE ? GROUP BY team.id ORDER BY 2
                    """
                let statement = try db.makeStatement(sql: sql)
                attempt.note(statement.columnNames)
                attempt.note(statement.databaseRegion)
                attempt.note(statement.isReadonly)
                let update = try db.makeStatement(sql: "UPDATE player SET score = :score WHERE name = :name")
                attempt.note(update.isReadonly)
                attempt.note(try db.cachedStatement(sql: sql).columnCount)
            }
        }
    }

    /// FTS5 compiles its own statements during a compilation: the facts of both are separate.
    @Test(arguments: Weather.memory)
    func prepareWithVirtualTable(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(sql: "CREATE VIRTUAL TABLE doc USING fts5(title, body)")
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let statement = try db.makeStatement(
                    sql: "SELECT team.name, body FROM player, team, doc WHERE doc MATCH 'reds' AND player.score > 2")
                attempt.note(statement.databaseRegion)
            }
        }
    }

    @Test(arguments: Weather.memory)
    func prepareSeveral(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let sql = "SELECT name FROM team WHERE id = ?; SELECT score FROM player WHERE id = ?"
                let statements = try db.allStatements(sql: sql, arguments: [1, 2])
                while let statement = try statements.next() {
                    attempt.note(try Row.fetchAll(statement))
                }
            }
        }
    }

    /// SQL that doesn't compile is reported as such, or as exhausted memory.
    @Test(arguments: Weather.memory)
    func wrongSQL(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                do {
                    _ = try db.makeStatement(sql: "SELECT nothing FROM nowhere")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    attempt.note(error.message ?? "")
                }
            }
        }
    }

    @Test(arguments: Weather.memory)
    func bind(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let text = String(repeating: "text ", count: 100)
                let data = Data(repeating: 7, count: 300)
                let arguments: StatementArguments = [text, data, 1, 2.5, nil]
                attempt.note(try Row.fetchAll(db, sql: "SELECT ?, ?, ?, ?, ?", arguments: arguments))
                let named: StatementArguments = ["a": text, "b": data]
                attempt.note(try Row.fetchAll(db, sql: "SELECT :a, :b, :a", arguments: named))
            }
        }
    }

    @Test(arguments: Weather.memory)
    func bindMany(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let values = (0..<60).map { "value \($0)" }
                let list = values.map { _ in "(?)" }.joined(separator: ",")
                let sql = "WITH v(x) AS (VALUES \(list)) SELECT COUNT(*), MAX(x) FROM v"
                attempt.note(try Row.fetchAll(db, sql: sql, arguments: StatementArguments(values)))
            }
        }
    }

    /// Arguments that couldn't be bound are bound again for the next run.
    @Test(arguments: Weather.memory)
    func bindAgain(weather: Weather) throws {
        try everyFault(of: weather) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let text = String(repeating: "x", count: 200)
                let statement = try attempt.calmly { try db.makeStatement(sql: "SELECT ?, ?") }
                statement.setUncheckedArguments([text, text + "y"])
                attempt.note(try Row.fetchAll(statement))
            }
        }
    }
}
