import Amalgam
import AmalgamCore
import Testing

/// Writable virtual tables in Swift.
@Suite struct VirtualTableFaults {
    @Test(arguments: Weather.allocations([.memory, .pool]))
    func connect(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try db.add(module: TeamView.module)
                defer { attempt.calmly { try? db.execute(sql: "DROP TABLE IF EXISTS temp.teams") } }
                try db.execute(sql: "CREATE VIRTUAL TABLE temp.teams USING teams(a, 'b c')")
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM teams"))
                try db.execute(sql: "ALTER TABLE temp.teams RENAME TO others")
                try db.execute(sql: "DROP TABLE temp.others")
            }
        }
    }

    @Test(arguments: Weather.memory)
    func scan(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in
                try attempt.calmly { try db.add(module: TeamView.module) }
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM teams ORDER BY name"))
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM teams WHERE rowid = 2"))
                attempt.note(
                    try Row.fetchAll(db, sql: "SELECT * FROM player JOIN teams ON teams.rowid = teamId ORDER BY id"))
                attempt.note(try String.fetchAll(db, sql: "SELECT name FROM teams WHERE name IN ('Reds', 'Whites')"))
            }
        }
    }

    /// The rows are those of an ordinary table: all changes of a statement are stored, or none.
    @Test(arguments: Weather.allocations([.memory, .pool]) + Weather.files([.journal]))
    func update(weather: Weather) throws {
        try everyFault(of: weather, setUp: { try $0.createTeams() }) { attempt in
            try attempt.connect()
            try attempt.step { db in try db.add(module: TeamView.module) }
            try attempt.step { db in try db.execute(sql: "INSERT INTO teams (name) VALUES ('Greens'), ('Whites')") }
            try attempt.step { db in try db.execute(sql: "UPDATE teams SET name = name || '!' WHERE rowid <> 2") }
            try attempt.step { db in try db.execute(sql: "UPDATE teams SET rowid = 30 WHERE name = 'Whites!'") }
            try attempt.step { db in try db.execute(sql: "DELETE FROM teams WHERE name LIKE 'W%'") }
        }
    }
}

/// A virtual table that reads and writes the teams.
private final class TeamView: UpdatableVirtualTable, RenamableVirtualTable {
    enum Plan: Hashable { case all, byID, byNames }

    let schema = "CREATE TABLE x(name TEXT)"
    private unowned let database: Database

    static let module = DatabaseModule("teams") { TeamView($0.database) }

    init(_ database: Database) { self.database = database }

    func bestIndex(_ info: borrowing VirtualTableIndexInfo) throws -> Plan? {
        if let id = info.constraint(on: nil, .equal) {
            try info.use(id, omit: true)
            info.isUnique = true
            return .byID
        }
        if let name = info.constraint(on: 0, .equal), info.isList(name) {
            try info.use(name, omit: true, inList: true)
            return .byNames
        }
        return .all
    }

    func open() throws -> Cursor { Cursor(database: database) }

    struct Cursor: VirtualTableCursor {
        unowned let database: Database
        private var rows: [(id: Int64, name: String)] = []
        private var index = -1

        init(database: Database) { self.database = database }

        mutating func filter(_ plan: Plan, _ arguments: borrowing VirtualTableArguments) throws {
            var rows = try Row.fetchAll(database, sql: "SELECT id, name FROM main.team ORDER BY id").map { row in
                (id: row["id"] as Int64, name: row["name"] as String)
            }
            switch plan {
            case .all: break
            case .byID:
                let id: Int64? = try arguments[0]
                rows.removeAll { $0.id != id }
            case .byNames:
                let names: [String] = try arguments.list(at: 0)
                rows.removeAll { !names.contains($0.name) }
            }
            self.rows = rows
            index = -1
        }

        mutating func next() throws -> Bool {
            index += 1
            return index < rows.count
        }

        func column(_ index: Int, _ result: borrowing SQLiteResult) throws { result.set(rows[self.index].name) }

        var rowID: Int64 { rows[index].id }
    }

    func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
        let (id, name): (Int64?, String) = (try values.rowID, try values[0])
        try database.execute(sql: "INSERT INTO main.team VALUES (?, ?)", arguments: [id, name])
        return database.lastInsertedRowID
    }

    func update(_ key: Int64, _ values: borrowing VirtualTableValues) throws {
        let (id, name): (Int64?, String) = (try values.rowID, try values[0])
        try database.execute(
            sql: "UPDATE main.team SET id = ?, name = ? WHERE id = ?", arguments: [id ?? key, name, key])
    }

    func delete(_ key: Int64) throws {
        try database.execute(sql: "DELETE FROM main.team WHERE id = ?", arguments: [key])
    }

    func rename(to tableName: String) throws {}
}
