import Amalgam
import AmalgamCore
import Testing

/// Changes of the schema, and of the whole file.
@Suite struct SchemaFaults {
    @Test(arguments: Weather.all)
    func changes(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "CREATE TABLE city (name TEXT PRIMARY KEY) WITHOUT ROWID") }
            try attempt.step { db in try db.execute(sql: "CREATE INDEX playerOnScore ON player(score)") }
            try attempt.step { db in try db.execute(sql: "ALTER TABLE player ADD COLUMN city TEXT") }
            try attempt.step { db in try db.execute(sql: "ALTER TABLE player RENAME COLUMN score TO points") }
            try attempt.step { db in try db.execute(sql: "DROP TABLE city") }
        }
    }

    /// A statement compiled before a schema change is compiled again, and its facts are updated.
    @Test(arguments: Weather.memory)
    func statementsInUse(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            let statement = try attempt.step { db in try db.makeStatement(sql: "SELECT * FROM team") }
            try attempt.step { db in
                try attempt.calmly { try db.execute(sql: "ALTER TABLE team ADD COLUMN city TEXT") }
            }
            try attempt.step { _ in
                attempt.note(try Row.fetchAll(statement))
                // If memory is exhausted, the region is unknown, and so the full database.
                let region = statement.databaseRegion
                attempt.note(region.isFullDatabase ? "team(city,id,name)" : region.description)
            }
        }
    }

    @Test(arguments: Weather.allocations([.journal, .pool]) + Weather.files([.journal, .pool]))
    func attach(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                defer { attempt.calmly { try? db.execute(sql: "DETACH other") } }
                try db.execute(sql: "ATTACH ? AS other", arguments: [attempt.path + "-other"])
                try db.execute(sql: "CREATE TABLE other.city (name TEXT); INSERT INTO other.city VALUES ('Oslo')")
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM other.city"))
                try db.execute(sql: "DETACH other")
            }
        }
    }

    @Test(arguments: Weather.all)
    func fullTextTable(weather: Weather) throws {
        try everyFault(of: weather, stride: weather.fault.isMemory ? 5 : 2) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "CREATE VIRTUAL TABLE doc USING fts5(title, body)") }
            try attempt.step { db in try db.execute(sql: "INSERT INTO doc VALUES ('one', 'a b c'), ('two', 'b c d')") }
            try attempt.step { db in try db.execute(sql: "DELETE FROM doc WHERE title = 'one'") }
            attempt.note(try attempt.read { try String.fetchAll($0, sql: "SELECT title FROM doc('c')") })
        }
    }

    @Test(arguments: Weather.all)
    func vacuum(weather: Weather) throws {
        try everyFault(of: weather, stride: 2, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "VACUUM") }
        }
    }

    @Test(arguments: Weather.files([.journal, .wal]) + Weather.allocations([.wal]))
    func memoryMap(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createPages() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.execute(sql: "PRAGMA mmap_size = 1000000") }
            attempt.note(try attempt.read { try Int.fetchOne($0, sql: "SELECT SUM(length(content)) FROM page") ?? -1 })
        }
    }

    @Test(arguments: Weather.memory)
    func trace(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                defer { db.trace() }
                var count = 0
                db.trace(options: [.statement, .profile]) { event in
                    count += event.expandedDescription.isEmpty ? 0 : 1
                }
                attempt.note(
                    try String.fetchAll(db, sql: "SELECT name FROM team WHERE id > ? OR ?", arguments: [0, "a"]))
                attempt.note(count)
            }
        }
    }
}
