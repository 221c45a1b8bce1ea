import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import Foundation
import TestSupport
import Testing

@Suite("Lives of virtual tables, and nested statements")
struct VirtualTableSafetyTests {
    // MARK: Lifetimes

    @Test("cursors are freed when a statement ends early, and when it is released", arguments: DatabaseKind.allCases)
    func earlyEnds(kind: DatabaseKind) throws {
        try withPlayers(kind) { db, store in
            do {
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player a, player b")
                _ = try cursor.next()
                #expect(store.cursors.alive == 2)
            }
            #expect(store.cursors.alive == 0)
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            let first = try Row.fetchCursor(statement)
            _ = try first.next()
            #expect(store.cursors.alive == 1)
            let second = try Row.fetchCursor(statement)
            _ = try second.next()
            #expect(store.cursors.alive == 1)
            #expect(throws: DatabaseError.self) { try first.next() }
        }
    }

    @Test("a function's rows are released when the scan ends, however it ends")
    func rowsAreReleased() throws {
        let census = Census()
        try DatabaseKind.memory.run { db in
            let function = DatabaseTableFunction("f", arguments: ["fails"], columns: ["a"]) { arguments in
                let (life, fails): (Census.Member, Bool) = (census.birth(), try arguments[0])
                var count = 0
                return AnyCursor<Int> {
                    try withExtendedLifetime(life) {
                        count += 1
                        if fails && count == 3 { throw Failure() }
                        return count > 5 ? nil : count
                    }
                }
            }
            try db.add(tableFunction: function)
            try #expect(db.integers("SELECT a FROM f(0)") == [1, 2, 3, 4, 5])
            #expect(census.alive == 0)
            try #expect(db.integers("SELECT a FROM f(0) LIMIT 1") == [1])
            #expect(census.alive == 0)
            #expect(throws: DatabaseError.self) { try db.integers("SELECT a FROM f(1)") }
            #expect(census.alive == 0)
            try #expect(db.integers("SELECT count(*) FROM json_each('[0,0,0]') j, f(j.value)") == [15])
            #expect(census.alive == 0)
            #expect(census.total == 6)
        }
    }

    @Test("a statement released on another thread frees its cursor at the next access")
    func foreignThread() throws {
        let store = PlayerTable.Store()
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.add(module: PlayerTable.module(store)) }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in try db.execute(sql: "CREATE VIRTUAL TABLE player USING players") }
        let leaked = Unsafely<RowCursor>()
        try queue.inDatabase { db in
            leaked.value = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            _ = try leaked.value?.next()
        }
        let thread = Thread { leaked.value = nil }
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        queue.inDatabase { _ in }
        #expect(store.cursors.alive == 0)
        try queue.close()
        #expect(store.tables.alive == 0)
    }

    @Test("a connection that is closed, or let go, frees its tables and modules")
    func closing() throws {
        let store = PlayerTable.Store()
        let census = Census()
        for closes in [true, false] {
            let life = Unsafely<Census.Member>()
            life.value = census.birth()
            let module = DatabaseModule("letters") { _ in withExtendedLifetime(life) { PlayerTable(store) } }
            var queue: DatabaseQueue? = try DatabaseQueue()
            try queue?.write { db in
                try db.add(module: module)
                _ = try db.rows("SELECT * FROM letters")
            }
            #expect(store.tables.alive == 1)
            if closes { try queue?.close() }
            queue = nil
            #expect(store.tables.alive == 0)
        }
        #expect(census.alive == 0)
    }

    @Test("a table cannot be dropped while a statement reads it")
    func dropWhileReading() throws {
        try withPlayers { db, store in
            do {
                let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player")
                _ = try cursor.next()
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "DROP TABLE player") }
                #expect(error?.resultCode == .SQLITE_LOCKED)
                _ = try cursor.next()
            }
            try db.execute(sql: "DROP TABLE player")
            #expect(store.tables.alive == 0)
        }
    }

    @Test("a module that is replaced or removed stays for tables in use")
    func replacement() throws {
        try withPlayers { db, store in
            let statement = try db.makeStatement(sql: "SELECT name FROM player")
            let other = PlayerTable.Store()
            other.players = [7: .init(name: "Other", score: nil)]
            try db.add(module: PlayerTable.module(other))
            try #expect(String.fetchAll(statement) == ["Anna", "Bo"])
            try db.execute(sql: "CREATE VIRTUAL TABLE stranger USING players")
            try #expect(String.fetchAll(db, sql: "SELECT name FROM stranger") == ["Other"])
            try db.remove(module: PlayerTable.module(other))
            try #expect(String.fetchAll(statement) == ["Anna", "Bo"])
            let sql = "CREATE VIRTUAL TABLE third USING players"
            expectError(.SQLITE_ERROR, "no such module: players", sql: sql) { try db.execute(sql: sql) }
            let drop = "DROP TABLE stranger"
            expectError(.SQLITE_ERROR, "no such module: players", sql: drop) { try db.execute(sql: drop) }
            try db.add(module: PlayerTable.module(store))
            try db.execute(sql: drop)
            #expect(other.tables.alive == 0)
        }
    }

    @Test("a function that is replaced or removed is not used by statements compiled before")
    func functionReplacement() throws {
        try DatabaseKind.memory.run { db in
            func function(_ number: Int) -> DatabaseTableFunction {
                DatabaseTableFunction("f", columns: ["a"]) { _ in [number, number] }
            }
            try db.add(tableFunction: function(1))
            let statement = try db.cachedStatement(sql: "SELECT a FROM f")
            try #expect(Int.fetchAll(statement) == [1, 1])
            let running = try Int.fetchCursor(db, sql: "SELECT a FROM f")
            _ = try running.next()
            try db.add(tableFunction: function(2))
            try #expect(Int.fetchAll(statement) == [2, 2])
            try #expect(running.next() == 1)
            try db.remove(tableFunction: function(2))
            expectError(.SQLITE_ERROR, "no such table: f", sql: "SELECT a FROM f") { _ = try Int.fetchAll(statement) }
            try db.add(tableFunction: function(3))
            try #expect(Int.fetchAll(statement) == [3, 3])
        }
    }

    // MARK: Nested statements

    @Test("closures read and write the same connection", arguments: DatabaseKind.allCases)
    func nestedStatements(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            try db.execute(sql: "CREATE TABLE log (text TEXT)")
            let roster = DatabaseTableFunction("roster", arguments: ["team"], columns: ["name"]) { arguments in
                let team: Int = try arguments["team"]
                try arguments.database.execute(sql: "INSERT INTO log VALUES (?)", arguments: ["team \(team)"])
                return try String.fetchCursor(
                    arguments.database, sql: "SELECT name FROM player WHERE teamId = ? ORDER BY id",
                    arguments: [team])
            }
            try db.add(tableFunction: roster)
            let sql = "SELECT team.name, roster.name FROM team, roster(team.id) ORDER BY 1, 2"
            for _ in 1...3 {
                try #expect(
                    db.rows(sql).description == #"[["Blues", "Cleo"], ["Reds", "Anna"], ["Reds", "Bo"]]"#)
            }
            try #expect(db.integers("SELECT count(*) FROM log") == [6])
            // A function inside itself.
            let nested = DatabaseTableFunction("nested", arguments: ["n"], columns: ["value"]) { arguments in
                let n: Int = try arguments["n"]
                let sql = "SELECT value FROM nested(?)"
                return n == 0 ? [0] : try Int.fetchAll(arguments.database, sql: sql, arguments: [n - 1]) + [n]
            }
            try db.add(tableFunction: nested)
            try #expect(db.integers("SELECT value FROM nested(5)") == [0, 1, 2, 3, 4, 5])
        }
    }

    @Test("a statement cannot be run from inside of its own run")
    func recursion() throws {
        try DatabaseKind.memory.run { db in
            let sql = "SELECT a FROM f"
            let function = DatabaseTableFunction("f", columns: ["a"]) { arguments in
                try Int.fetchAll(arguments.database.cachedStatement(sql: sql))
            }
            try db.add(tableFunction: function)
            let message = """
                The statement is running. The functions, collations and virtual tables that it uses cannot run it: \
                prepare another statement for them.
                """
            for _ in 1...2 {
                expectError(.SQLITE_MISUSE, message, sql: sql) { _ = try Int.fetchAll(db.cachedStatement(sql: sql)) }
            }
        }
    }

    @Test("an error of a nested statement is that of the outer one")
    func nestedErrors() throws {
        try DatabaseKind.memory.run { db in
            let function = DatabaseTableFunction("f", columns: ["a"]) { arguments in
                try Int.fetchAll(arguments.database, sql: "SELECT a FROM nowhere")
            }
            try db.add(tableFunction: function)
            expectError(.SQLITE_ERROR, "no such table: nowhere", sql: "SELECT * FROM f") {
                _ = try db.rows("SELECT * FROM f")
            }
        }
    }

    @Test("in a read, closures cannot write")
    func readOnly() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE log (text TEXT)")
            let function = DatabaseTableFunction("f", columns: ["a"]) { arguments in
                try arguments.database.execute(sql: "INSERT INTO log VALUES ('x')")
                return [1]
            }
            try db.add(tableFunction: function)
            try #expect(db.integers("SELECT a FROM f") == [1])
        }
        try queue.read { db in
            let error = #expect(throws: DatabaseError.self) { try db.integers("SELECT a FROM f") }
            #expect(error?.resultCode == .SQLITE_READONLY)
        }
        try queue.close()
    }

    @Test("all connections of a pool use a module, each with tables of its own")
    func pool() throws {
        let store = PlayerTable.Store()
        try withTemporaryDirectory { directory in
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                try db.add(tableFunction: series)
                try db.add(module: DatabaseModule("letters") { _ in PlayerTable(store) })
            }
            let path = directory.appendingPathComponent("pool.sqlite").path
            let pool = try DatabasePool(path: path, configuration: configuration)
            DispatchQueue.concurrentPerform(iterations: 20) { index in
                let sum = try? pool.read { db in
                    try Int.fetchOne(
                        db, sql: "SELECT sum(value) FROM series(1, 1000) WHERE value > ?", arguments: [index])
                }
                #expect(sum == 500_500 - index * (index + 1) / 2)
            }
            try pool.close()
        }
    }
}
