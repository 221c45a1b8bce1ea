import Amalgam
import AmalgamCore
import Testing

/// Query plans and bytecode are complete, or an error is thrown.
@Suite struct QueryPlanFaults {
    private static let sql = """
        SELECT team.name, (SELECT MAX(score) FROM player WHERE teamId = team.id) FROM team
        WHERE id IN (SELECT teamId FROM player WHERE name > ?) ORDER BY team.name
        """

    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func plan(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in attempt.note(try db.queryPlan(sql: Self.sql, arguments: ["A"])) }
            attempt.note(try attempt.read { try $0.queryPlan(sql: "SELECT * FROM player WHERE id = 1") })
        }
    }

    @Test(arguments: Weather.memory)
    func bytecode(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in attempt.note(try db.bytecode(sql: "SELECT name FROM player ORDER BY 1")) }
        }
    }

    /// A statement explains itself, and runs as before.
    @Test(arguments: Weather.memory)
    func statement(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE teamId = ? ORDER BY name")
                attempt.note(try statement.queryPlan())
                attempt.note(try statement.bytecode())
                attempt.note(try String.fetchAll(statement, arguments: [1]))
            }
        }
    }
}
