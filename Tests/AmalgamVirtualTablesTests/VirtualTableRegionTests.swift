import Amalgam
import AmalgamCore
import AmalgamVirtualTables
import TestSupport
import Testing

@Suite("Regions and observation of virtual tables")
struct VirtualTableRegionTests {
    private func region(_ db: Database, _ sql: String) throws -> String {
        try db.makeStatement(sql: sql).databaseRegion.description
    }

    @Test("a statement reads all columns of a virtual table, and columns of a table function")
    func regions() throws {
        try withPlayers { db, _ in
            try #expect(region(db, "SELECT name FROM player WHERE score > 1") == "player(*)")
            try #expect(region(db, "SELECT count(*) FROM player") == "player(*)")
            let rowID = try region(db, "SELECT rowid FROM player")
            #expect(rowID == "player(*)")
            try db.add(tableFunction: series)
            try #expect(region(db, "SELECT value FROM series(1, 2)") == "series(value)")
            try #expect(
                region(db, "SELECT value FROM series WHERE start = 1 AND stop = 2") == "series(start,stop,value)")
        }
    }

    @Test("what a function reads is part of the region of the statements that use it")
    func regionsOfFunctions() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let roster = DatabaseTableFunction(
                "roster", arguments: ["team"], columns: ["name"],
                sql: "SELECT name FROM player WHERE teamId = :team")
            try db.add(tableFunction: roster)
            let used = try region(db, "SELECT name FROM ROSTER(1)")
            #expect(used == "player(name,teamId),roster(name)")
            try #expect(region(db, "SELECT name FROM team") == "team(name)")
            let teams = DatabaseTableFunction("teams", columns: ["n"]) { arguments in
                try Int.fetchCursor(arguments.database, sql: "SELECT count(*) FROM team")
            }
            try db.add(tableFunction: teams)
            try #expect(region(db, "SELECT n FROM teams") == "teams(n)")
            try db.add(
                tableFunction: teams.reading(
                    AnyDatabaseRegionConvertible {
                        try $0.makeStatement(sql: "SELECT id, name FROM team").databaseRegion
                    }))
            try #expect(region(db, "SELECT n FROM teams") == "team(id,name),teams(n)")
            try db.add(tableFunction: teams.reading(AnyDatabaseRegionConvertible { _ in throw Failure() }))
            try #expect(region(db, "SELECT n FROM teams") == "full database")
            try db.remove(tableFunction: roster)
            try db.execute(sql: "CREATE TABLE roster (name)")
            try #expect(region(db, "SELECT name FROM roster") == "roster(name)")
        }
    }

    @Test("functions in SQL that use each other have a region, and an end")
    func cycle() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            func add(_ name: String, _ sql: String) throws {
                try db.add(tableFunction: DatabaseTableFunction(name, columns: ["a"], sql: sql))
            }
            try add("ping", "SELECT 1")
            try add("pong", "SELECT a FROM ping, team")
            try add("ping", "SELECT a FROM pong")
            try #expect(region(db, "SELECT a FROM ping") == "ping(a),pong(a),team(*)")
            let sql = "SELECT a FROM ping"
            let message = "functions run statements that call functions, too many levels deep"
            expectError(.SQLITE_ERROR, message, sql: sql) { _ = try db.rows(sql) }
            try add("ping", "SELECT 1")
            try #expect(db.integers("SELECT a FROM pong") == [1, 1])
        }
    }

    // MARK: Functions in SQL

    @Test("a function in SQL is a view with parameters", arguments: DatabaseKind.allCases)
    func sqlFunctions(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            let roster = DatabaseTableFunction(
                "roster", arguments: ["team", .optional("minimum")], columns: ["name", "score", "extra"],
                sql: """
                    SELECT name, score FROM player WHERE teamId = :team AND ifnull(score, 0) >= ifnull(:minimum, 0)
                    ORDER BY id
                    """)
            try db.add(tableFunction: roster)
            for _ in 1...3 {
                try #expect(
                    db.rows("SELECT * FROM roster(1)").description == #"[["Anna", 10, NULL], ["Bo", 20, NULL]]"#)
                try #expect(db.rows("SELECT name FROM roster(1, 15)").description == #"[["Bo"]]"#)
                let join = "SELECT t.name, r.name FROM team t, roster(t.id) r ORDER BY 2"
                try #expect(
                    db.rows(join).description == #"[["Reds", "Anna"], ["Reds", "Bo"], ["Blues", "Cleo"]]"#)
                let crossed = "SELECT count(*) FROM roster(1) a, roster(1) b"
                try #expect(db.integers(crossed) == [4])
            }
        }
    }

    @Test("a function in SQL only reads, and its errors are those of the statement")
    func wrongSQLFunctions() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            let sql = "SELECT * FROM f"
            func expect(_ code: ResultCode, _ message: String, _ functionSQL: String) throws {
                try db.add(tableFunction: DatabaseTableFunction("f", columns: ["a"], sql: functionSQL))
                expectError(code, message, sql: sql) { _ = try db.rows(sql) }
            }
            try expect(.SQLITE_MISUSE, "a table function can only read", "DELETE FROM player")
            try expect(.SQLITE_ERROR, "no such table: nowhere", "SELECT 1 FROM nowhere")
            try expect(.SQLITE_MISUSE, "wrong number of statement arguments: 0", "SELECT ?")
            try #expect(db.integers("SELECT count(*) FROM player") == [3])
        }
    }

    // MARK: Events

    private final class Recorder: TransactionObserver {
        let journal = Journal()
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange() { journal.write("change") }
        func databaseDidChange(with event: DatabaseEvent) {
            journal.write("\(event.kind) \(event.tableName) \(event.rowID)")
        }
        func databaseDidCommit(_ db: Database) { journal.write("commit") }
        func databaseDidRollback(_ db: Database) { journal.write("rollback") }
    }

    @Test("writing to a virtual table has no row events, and ends a transaction")
    func noRowEvents() throws {
        try withPlayers { db, store in
            let recorder = Recorder()
            db.add(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO player VALUES ('Cleo', 1)")
            #expect(recorder.journal.read() == ["change", "commit"])
            try db.execute(sql: "BEGIN; DELETE FROM player; ROLLBACK")
            #expect(recorder.journal.read().last == "rollback")
        }
    }

    /// Stores its rows in the ordinary table `…_content`.
    private final class Stored: UpdatableVirtualTable, ShadowedVirtualTable, CheckableVirtualTable {
        static let shadowNames: Set<String> = ["content"]
        let schema = "CREATE TABLE x(text TEXT)"
        private unowned let db: Database
        private let content: String

        init(_ declaration: VirtualTableDeclaration) {
            db = declaration.database
            content = "\(declaration.schemaName).\(declaration.tableName)_content"
        }

        static let module = DatabaseModule(
            "stored",
            create: { declaration in
                let table = Stored(declaration)
                try table.db.execute(sql: "CREATE TABLE \(table.content) (id INTEGER PRIMARY KEY, text TEXT)")
                return table
            },
            connect: { Stored($0) })

        func destroy() throws { try db.execute(sql: "DROP TABLE \(content)") }
        func open() -> Cursor { Cursor(db: db, content: content) }

        final class Cursor: VirtualTableCursor {
            private unowned let db: Database
            private let content: String
            private var rows: RowCursor?
            private var row: Row?

            init(db: Database, content: String) {
                self.db = db
                self.content = content
            }

            func filter(_ plan: FullScan, _ arguments: borrowing VirtualTableArguments) throws {
                rows = try Row.fetchCursor(db, sql: "SELECT id, text FROM \(content) ORDER BY id")
            }

            func next() throws -> Bool {
                row = try rows?.next()
                return row != nil
            }

            func column(_ index: Int, _ result: borrowing SQLiteResult) {
                if let text: String = row?["text"] { result.set(text) }
            }

            var rowID: Int64 { row?["id"] ?? 0 }
        }

        func insert(_ values: borrowing VirtualTableValues) throws -> Int64 {
            let text: String? = try values[0]
            try db.execute(sql: "INSERT INTO \(content) (text) VALUES (?)", arguments: [text])
            return db.lastInsertedRowID
        }

        func update(_ id: Int64, _ values: borrowing VirtualTableValues) throws {
            let text: String? = try values[0]
            try db.execute(sql: "UPDATE \(content) SET text = ? WHERE id = ?", arguments: [text, id])
        }

        func delete(_ id: Int64) throws {
            try db.execute(sql: "DELETE FROM \(content) WHERE id = ?", arguments: [id])
        }

        func checkIntegrity(isQuick: Bool) throws -> String? {
            let sql = "SELECT count(*) FROM \(content) WHERE text = 'bad'"
            let count = try Int.fetchOne(db, sql: sql) ?? 0
            if count > 1 { throw Failure(number: count) }
            return count == 0 ? nil : "\(count) bad text\(isQuick ? ", quickly" : "")"
        }
    }

    @Test("what a virtual table writes to ordinary tables has events", arguments: DatabaseKind.allCases)
    func eventsOfShadowTables(kind: DatabaseKind) throws {
        try kind.run { db in
            try db.add(module: Stored.module)
            try db.execute(sql: "CREATE VIRTUAL TABLE note USING stored")
            let recorder = Recorder()
            db.add(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO note VALUES ('a'), ('b')")
            #expect(
                recorder.journal.read() == [
                    "insert note_content 1", "insert note_content 2", "change", "commit",
                ])
            #expect(db.lastInsertedRowID == 2)
            try db.execute(sql: "UPDATE note SET text = text || '!' WHERE text = 'b'")
            #expect(recorder.journal.read().contains("update note_content 2"))
            try db.execute(sql: "DELETE FROM note WHERE rowid = 1")
            #expect(recorder.journal.read().contains("delete note_content 1"))
            try #expect(String.fetchAll(db, sql: "SELECT text FROM note") == ["b!"])
            try db.execute(sql: "BEGIN; INSERT INTO note VALUES ('c'); ROLLBACK")
            try #expect(String.fetchAll(db, sql: "SELECT text FROM note") == ["b!"])
            try db.execute(sql: "DROP TABLE note")
            try #expect(db.integers("SELECT count(*) FROM sqlite_master") == [0])
        }
    }

    @Test("shadow tables are known as such")
    func shadowTables() throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: Stored.module)
            try db.execute(sql: "CREATE VIRTUAL TABLE note USING stored; CREATE TABLE note_other (a)")
            let sql = "SELECT type FROM pragma_table_list WHERE name = ?"
            try #expect(String.fetchAll(db, sql: sql, arguments: ["note"]) == ["virtual"])
            try #expect(String.fetchAll(db, sql: sql, arguments: ["note_content"]) == ["shadow"])
            try #expect(String.fetchAll(db, sql: sql, arguments: ["note_other"]) == ["table"])
        }
    }

    @Test("PRAGMA integrity_check asks the table")
    func integrity() throws {
        try DatabaseKind.memory.run { db in
            try db.add(module: Stored.module)
            try db.execute(sql: "CREATE VIRTUAL TABLE note USING stored")
            try #expect(String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
            try db.execute(sql: "INSERT INTO note VALUES ('bad')")
            try #expect(String.fetchAll(db, sql: "PRAGMA integrity_check") == ["1 bad text"])
            try #expect(String.fetchAll(db, sql: "PRAGMA quick_check") == ["1 bad text, quickly"])
            try db.execute(sql: "INSERT INTO note VALUES ('bad')")
            let sql = "PRAGMA integrity_check"
            expectError(.SQLITE_ERROR, "Failure(number: 2)", sql: sql) { _ = try String.fetchAll(db, sql: sql) }
        }
    }
}
