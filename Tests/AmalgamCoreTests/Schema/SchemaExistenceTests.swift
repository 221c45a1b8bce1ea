import Amalgam
@testable import AmalgamCore
import TestSupport
import Testing

struct SchemaExistenceTests {
    @Test(arguments: DatabaseKind.allCases)
    func tablesViewsIndexesAndTriggers(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a);
                    CREATE VIEW v AS SELECT * FROM t;
                    CREATE INDEX i ON t(a);
                    CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;
                    """)
            let names = ["t", "v", "i", "r", "x", ""]
            #expect(try names.filter { try db.tableExists($0) } == ["t"])
            #expect(try names.filter { try db.viewExists($0) } == ["v"])
            #expect(try names.filter { try db.indexExists($0) } == ["i"])
            #expect(try names.filter { try db.triggerExists($0) } == ["r"])
        }
    }

    @Test func temporaryObjectsCount() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(
                sql: """
                    CREATE TEMPORARY TABLE t (a);
                    CREATE TEMPORARY VIEW v AS SELECT * FROM t;
                    CREATE INDEX temp.i ON t(a);
                    CREATE TEMPORARY TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END;
                    """)
            for (schema, expected) in [(nil, true), ("temp", true), ("TEMP", true), ("main", false)] {
                #expect(try db.tableExists("t", in: schema) == expected)
                #expect(try db.viewExists("v", in: schema) == expected)
                #expect(try db.indexExists("i", in: schema) == expected)
                #expect(try db.triggerExists("r", in: schema) == expected)
            }
        }
    }

    @Test func aTableIsFoundBehindAViewOfTheSameName() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TEMPORARY VIEW t AS SELECT 1 AS b")
            #expect(try db.tableExists("t"))
            #expect(try db.viewExists("t"))
            #expect(try db.columns(in: "t").map(\.name) == ["b"])
            #expect(try db.columns(in: "t", in: "main").map(\.name) == ["a"])
        }
    }

    @Test func aDatabaseThatIsNotThere() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let lookUps: [(Database, String) throws -> Void] = [
                { _ = try $0.tableExists("t", in: $1) },
                { _ = try $0.viewExists("t", in: $1) },
                { _ = try $0.triggerExists("t", in: $1) },
                { _ = try $0.indexExists("t", in: $1) },
                { _ = try $0.columns(in: "t", in: $1) },
                { _ = try $0.primaryKey("t", in: $1) },
                { _ = try $0.indexes(on: "t", in: $1) },
                { _ = try $0.indexes(on: "t", in: $1, includingExpressions: true) },
                { _ = try $0.foreignKeys(on: "t", in: $1) },
                { _ = try $0.foreignKeyViolations(in: "t", in: $1) },
                { try $0.checkForeignKeys(in: "t", in: $1) },
                { _ = try $0.table("t", in: $1) },
                { _ = try $0.tables(in: $1) },
                { _ = try $0.schemaObjects(in: $1) },
                { _ = try $0.integrityCheck("t", in: $1) },
                { _ = try $0.integrityCheck(in: $1) },
                { _ = try $0.quickCheck(in: $1) },
            ]
            for name in ["invalid", "", "main\0"] {
                for lookUp in lookUps {
                    let error = expectError(.SQLITE_ERROR, "no such schema: \(name)") { try lookUp(db, name) }
                    #expect(error?.description == "SQLite error 1: no such schema: \(name)")
                }
            }
        }
    }

    @Test func aTableThatIsNotThere() throws {
        try DatabaseKind.memory.run { db in
            let lookUps: [(Database, String) throws -> Void] = [
                { _ = try $0.columns(in: $1) },
                { _ = try $0.columns(in: $1, in: "temp") },
                { _ = try $0.primaryKey($1) },
                { _ = try $0.primaryKey($1, in: "main") },
                { _ = try $0.indexes(on: $1) },
                { _ = try $0.indexes(on: $1, includingExpressions: true) },
                { _ = try $0.foreignKeys(on: $1) },
                { _ = try $0.table($1, hasUniqueKey: ["id"]) },
                { _ = try $0.foreignKeyViolations(in: $1) },
                { try $0.checkForeignKeys(in: $1) },
                { _ = try $0.table($1) },
                { _ = try $0.integrityCheck($1) },
                { _ = try $0.quickCheck($1) },
            ]
            for name in ["items", "", "\0", "sqlite_master\0", "pragma_", "json_each\0"] {
                for lookUp in lookUps {
                    let error = expectError(.SQLITE_ERROR, "no such table: \(name)") { try lookUp(db, name) }
                    #expect(error?.description == "SQLite error 1: no such table: \(name)")
                }
                let exists = try db.tableExists(name)
                #expect(!exists)
            }
        }
    }

    @Test(arguments: [
        "player", "PLAYER", "", " ", "a\"b", "a'b", "[a]", "`a`", "a.b", "main.t", "select", "table", "é", "日本", "😀",
        "a\nb",
        "--", "5", "?", ");", String(repeating: "long", count: 500),
    ])
    func anyNameWillDo(_ name: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseKind.memory.run(configuration) { db in
            let quoted = name.quotedDatabaseIdentifier
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS \(quoted)")
            for schema in ["main", "temp", name] {
                let table = "\(schema.quotedDatabaseIdentifier).\(quoted)"
                let other = (name + "2").quotedDatabaseIdentifier
                try db.execute(
                    sql: """
                        CREATE TABLE \(table) (
                          \(quoted) INTEGER PRIMARY KEY,
                          \(other) REFERENCES \(quoted) UNIQUE);
                        INSERT INTO \(table) VALUES (1, 1), (2, 3);
                        """)
                #expect(try db.tableExists(name, in: schema))
                #expect(try db.columns(in: name, in: schema).map(\.name) == [name, name + "2"])
                #expect(try db.primaryKey(name, in: schema).columns == [name])
                #expect(try db.indexes(on: name, in: schema).map(\.columns) == [[name + "2"]])
                #expect(try db.foreignKeys(on: name, in: schema).map(\.destinationTable) == [name])
                #expect(try db.foreignKeys(on: name, in: schema).map(\.destinationColumns) == [[name]])
                #expect(try db.tables(in: schema).map(\.id.schemaID.name) == [schema])
                #expect(try db.table(name, in: schema).name == name)
                #expect(try db.integrityCheck(name, in: schema) == [])
                #expect(try db.quickCheck(in: schema) == [])
                let violation = try #require(try db.foreignKeyViolations(in: name, in: schema).next())
                #expect(violation.originRowID == 2)
                let text = try violation.failureDescription(db)
                #expect(
                    text == "FOREIGN KEY constraint violation - from \(name)(\(name)2) to \(name)(\(name)), in "
                        + "[\(name):2 \(name)2:3]")
            }
        }
    }

    @Test func namesIgnoreTheCaseOfASCIILetters() throws {
        try DatabaseKind.memory.run { db in
            try db.execute(sql: "CREATE TABLE Été (ID INTEGER PRIMARY KEY, naMe UNIQUE)")
            #expect(try db.tableExists("ÉTé"))
            #expect(try db.tableExists("été") == false)
            #expect(try db.primaryKey("ÉTé").columns == ["ID"])
            #expect(try db.table("ÉTé", hasUniqueKey: ["NAME"]))
            #expect(try db.table("ÉTé", in: "MAIN").id == DatabaseObjectID(name: "Été", schemaID: .main))
        }
    }

    @Test func tablesOfSQLite() throws {
        try DatabaseKind.memory.run { db in
            for name in ["sqlite_master", "sqlite_schema", "SQLITE_MASTER"] {
                #expect(try db.tableExists(name))
                #expect(try db.columns(in: name).map(\.name) == ["type", "name", "tbl_name", "rootpage", "sql"])
                #expect(try db.table(name).id.schemaID == .main)
                #expect(try db.table(name, in: "temp").id.schemaID == .temp)
                #expect(try db.primaryKey(name).columns == ["rowid"])
            }
            for name in ["sqlite_temp_master", "sqlite_temp_schema"] {
                #expect(try db.table(name).id.schemaID == .temp)
            }
            #expect(try db.tableExists("sqlite_sequence") == false)
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)")
            #expect(try db.tableExists("sqlite_sequence"))
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func aLookUpShowsNoSQL(_ kind: DatabaseKind) throws {
        try kind.run { db in
            try db.createTeams()
            db.clearSchemaCache()
            let sql = try db.tracing {
                try db.inTransaction {
                    _ = try db.tableExists("player")
                    _ = try db.columns(in: "player")
                    _ = try db.primaryKey("player")
                    _ = try db.indexes(on: "player")
                    _ = try db.foreignKeys(on: "player")
                    _ = try db.table("player", hasUniqueKey: ["id"])
                    _ = try db.tables()
                    _ = try db.table("player")
                    return .commit
                }
            }
            #expect(sql == ["BEGIN IMMEDIATE TRANSACTION", "COMMIT TRANSACTION"])
        }
    }

    /// A look-up doesn't add the schema to the recorded region of a closure.
    @Test func aLookUpIsNotRecorded() throws {
        try DatabaseKind.memory.run { db in
            try db.createTeams()
            var region = DatabaseRegion()
            try db.recordingAccess(in: &region) {
                _ = try db.primaryKey("player")
                _ = try db.tables()
                _ = try Row.fetchAll(db, sql: "SELECT score FROM player")
            }
            #expect(region.description == "player(score)")
        }
    }

    @Test func misuse() throws {
        let dbQueue = try makeQueue(playerSchema)
        let leaked = try dbQueue.inDatabase { db in
            _ = try db.columns(in: "player")
            return Leaked(db: db)
        }
        #expect(throws: DatabaseError.self) { try leaked.db.columns(in: "player") }
        #expect(throws: DatabaseError.self) { try leaked.db.tableExists("player") }
        #expect(throws: DatabaseError.self) { try leaked.db.attachedDatabases() }
        #expect(throws: DatabaseError.self) { try leaked.db.integrityCheck() }
        leaked.db.clearSchemaCache()
        try dbQueue.close()
        let error = #expect(throws: DatabaseError.self) { try leaked.db.primaryKey("player") }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    private struct Leaked: @unchecked Sendable {
        // Only the thread of the test uses it.
        var db: Database
    }
}
