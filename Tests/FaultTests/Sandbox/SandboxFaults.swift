import Amalgam
import AmalgamCore
import Testing

/// A sandbox always denies what it forbids, and its changes of the connection are restored.
@Suite struct SandboxFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func reading(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            var sandbox = Sandbox.readOnly(tables: ["player"])
            sandbox.hideColumns(["score"], of: "player")
            sandbox.maximumRowCount = 10
            try attempt.step { db in
                let length = try attempt.calmly { try db.limit(.length) }
                let rows = Result {
                    try db.sandboxed(sandbox) {
                        try Row.fetchAll(db, sql: "SELECT name, score FROM player ORDER BY name")
                    }
                }
                let lengthAfterwards = try attempt.calmly { try db.limit(.length) }
                #expect(lengthAfterwards == length)
                attempt.note(try rows.get())
            }
            attempt.note(try attempt.read { try Row.fetchAll($0, sql: "SELECT name, score FROM player") })
        }
    }

    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func writing(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.sandboxed(.readWrite(tables: ["player", "team"])) { try db.execute(sql: "DELETE FROM player") }
            }
        }
    }

    /// A denial is never lost: if memory for its error is exhausted, a different error is thrown.
    @Test(arguments: Weather.memory)
    func denial(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                do {
                    try db.sandboxed(.readOnly) { try db.execute(sql: "DELETE FROM player") }
                    Issue.record("what is forbidden was done")
                } catch DatabaseError.SQLITE_AUTH {
                    attempt.note("denied")
                }
            }
        }
    }

    @Test(arguments: Weather.memory)
    func authorizer(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                var tables: Set<String> = []
                let names = try db.withAuthorizer { action in
                    if let table = action.tableName { tables.insert(table) }
                    return .allow
                } perform: {
                    try String.fetchAll(db, sql: "SELECT team.name FROM player JOIN team ON team.id = teamId")
                }
                attempt.note(names)
                attempt.note(tables.sorted())
            }
        }
    }
}
