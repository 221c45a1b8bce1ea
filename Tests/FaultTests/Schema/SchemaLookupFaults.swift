import Amalgam
import AmalgamCore
import Testing

/// Look-ups of the schema, which is read again when another connection has changed it.
@Suite struct SchemaLookupFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal, .pool]))
    func lookup(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createIndexedTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try attempt.noteSchema(db) }
            attempt.note(try attempt.read { try $0.primaryKey("player").columns })
        }
    }

    @Test(arguments: Weather.allocations([.journal, .pool]) + Weather.files([.journal, .pool]))
    func changeElsewhere(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createIndexedTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try attempt.calmly { try attempt.noteSchema(db) } }
            try attempt.step {
                try attempt.calmly {
                    let other = try DatabaseQueue(path: attempt.path)
                    try other.write { db in
                        try db.execute(
                            sql: """
                                ALTER TABLE player ADD COLUMN city TEXT;
                                DROP INDEX playerOnScore;
                                CREATE UNIQUE INDEX playerOnCity ON player(city DESC, name) WHERE score > 1;
                                CREATE TABLE city (name TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
                                """)
                    }
                    try other.close()
                }
            }
            try attempt.step { db in
                try attempt.noteSchema(db)
                attempt.note(try db.primaryKey("city").columns)
            }
            attempt.note(try attempt.read { try $0.columns(in: "player").map(\.name) })
        }
    }

    @Test(arguments: Weather.allocations([.memory]) + Weather.files([.journal]))
    func listing(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createIndexedTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                attempt.note(try db.tables().map(\.name))
                attempt.note(try db.schemaObjects().map(\.name))
                attempt.note(try db.tableExists("team"))
                attempt.note(try db.tableExists("nowhere"))
                attempt.note(try db.indexExists("playerOnScore"))
                attempt.note(try db.triggerExists("newcomer"))
                attempt.note(try db.viewExists("winner"))
            }
        }
    }

    @Test(arguments: Weather.memory + Weather.files([.journal]))
    func violations(weather: Weather) throws {
        let setUp = { (db: Database) in
            try db.createTeams()
            try db.execute(sql: "PRAGMA foreign_keys = OFF; UPDATE player SET teamId = 9 WHERE id < 3")
        }
        try everyFault(of: weather, setUp: setUp) { attempt in
            try attempt.connect()
            try attempt.step { db in
                attempt.note(
                    try db.foreignKeyViolations().map { try $0.failureDescription(db) }.reduce("") { $0 + $1 })
            }
        }
    }
}

extension Database {
    fileprivate func createIndexedTeams() throws {
        try createTeams()
        try execute(
            sql: """
                CREATE INDEX playerOnScore ON player(score DESC, name COLLATE NOCASE);
                CREATE VIEW winner AS SELECT name FROM player WHERE score > 10;
                """)
    }
}

extension Attempt {
    /// Records the complete schema of the players.
    fileprivate func noteSchema(_ db: Database) throws {
        note(try db.columns(in: "player").map { "\($0.name) \($0.type) \($0.isNotNull)" })
        note(try db.primaryKey("player").columns)
        note(try db.indexes(on: "player").map { "\($0.name) \($0.columns) \($0.isUnique)" })
        note(try db.foreignKeys(on: "player").map { "\($0.destinationTable) \($0.mapping)" })
        note(try db.table("player", hasUniqueKey: ["name"]))
    }
}
