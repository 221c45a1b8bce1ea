import Amalgam
@testable import AmalgamCore
import Synchronization
import TestSupport
import Testing

struct SchemaSourceTests {
    /// A source that answers for one view, and records its calls.
    private final class Keys: DatabaseSchemaSource {
        let answer: [String]?
        let view: String
        let questions = Mutex<[DatabaseObjectID]>([])

        init(_ answer: [String]?, for view: String = "v") {
            self.answer = answer
            self.view = view
        }

        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
            questions.withLock { $0.append(view) }
            return view.name == self.view ? answer : nil
        }
    }

    private struct Silent: DatabaseSchemaSource {}

    private struct Failing: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
            throw Failure(number: 1)
        }
    }

    private func run(_ source: (any DatabaseSchemaSource)?, _ test: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.schemaSource = source
        try DatabaseKind.memory.run(configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE VIEW v AS SELECT id AS playerId, name FROM player;
                    CREATE TEMPORARY VIEW w AS SELECT * FROM v;
                    """)
            try test(db)
        }
    }

    private func expectKey(_ db: Database, _ columns: [String], of view: String = "v") throws {
        let key = try db.primaryKey(view)
        #expect(key.columns == columns)
    }

    private func expectNoKey(_ db: Database) {
        expectError(.SQLITE_ERROR, "database view v has no primary key") { _ = try db.primaryKey("v") }
    }

    @Test func theKeyOfAView() throws {
        let keys = Keys(["PLAYERID"])
        try run(keys) { db in
            let key = try db.primaryKey("V")
            #expect(key.columns == ["playerId"])
            #expect(key.rowIDColumn == nil)
            #expect(!key.isRowID)
            #expect(!key.tableHasRowID)
            #expect(key.columnInfos?.map(\.type) == ["INTEGER"])
            #expect(try db.table("v", hasUniqueKey: ["playerId", "name"]))
            #expect(try db.table("v", hasUniqueKey: ["name"]) == false)
            #expect(try db.primaryKey("player").columns == ["id"])
            #expect(keys.questions.withLock { $0 } == [DatabaseObjectID(name: "v", schemaID: .main)])
        }
    }

    @Test func temporaryViews() throws {
        try run(Keys(["name", "playerId"], for: "w")) { db in
            try expectKey(db, ["name", "playerId"], of: "w")
            expectNoKey(db)
        }
    }

    @Test(arguments: [nil, []] as [[String]?])
    func noKey(_ answer: [String]?) throws {
        try run(Keys(answer)) { expectNoKey($0) }
        try run(Silent()) { expectNoKey($0) }
    }

    @Test func columnsThatAreNotThere() throws {
        try run(Keys(["id"])) { db in
            expectError(.SQLITE_MISUSE, "No such column in view v: id. Check the schema source.") {
                _ = try db.primaryKey("v")
            }
        }
    }

    @Test func errors() throws {
        try run(Failing()) { db in
            #expect(throws: Failure(number: 1)) { try db.primaryKey("v") }
            #expect(throws: Failure(number: 1)) { try db.table("v", hasUniqueKey: ["playerId"]) }
            try expectKey(db, ["id"], of: "player")
            #expect(try db.columns(in: "v").count == 2)
        }
    }

    @Test func chains() throws {
        try run(Keys(nil).then(Keys(["playerId"]))) { try expectKey($0, ["playerId"]) }
        try run(Keys(["name"]).then(Keys(["playerId"]))) { try expectKey($0, ["name"]) }
        try run(Silent().then(Silent()).then(Keys(["name"]))) { try expectKey($0, ["name"]) }
        // An empty answer is valid.
        try run(Keys([]).then(Keys(["playerId"]))) { expectNoKey($0) }
        try run(Failing().then(Keys(["name"]))) { db in
            #expect(throws: Failure(number: 1)) { try db.primaryKey("v") }
        }
    }

    @Test func anotherSourceForAWhile() throws {
        try run(Keys(["playerId"])) { db in
            #expect(db.schemaSource is Keys)
            try expectKey(db, ["playerId"])
            let columns = try db.withSchemaSource(Keys(["name"])) { try db.primaryKey("v").columns }
            #expect(columns == ["name"])
            try db.withSchemaSource(nil) {
                #expect(db.schemaSource == nil)
                expectNoKey(db)
                try db.withSchemaSource(Keys(["name", "playerId"])) {
                    try expectKey(db, ["name", "playerId"])
                }
                expectNoKey(db)
            }
            try expectKey(db, ["playerId"])
            #expect(throws: Failure()) { try db.withSchemaSource(nil) { throw Failure() } }
            try expectKey(db, ["playerId"])
            let number: Int = db.withSchemaSource(nil) { 1 }
            #expect(number == 1)
        }
    }

    /// A source may query the database.
    @Test func sourcesMayFetch() throws {
        struct Fetching: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
                try db.columns(in: view.name, in: view.schemaID.name).prefix(1).map(\.name)
            }
        }
        try run(Fetching()) { try expectKey($0, ["playerId"]) }
    }

    /// A source that changes the schema in each call doesn't cause an endless loop.
    @Test func sourcesMayChangeTheSchema() throws {
        struct Changing: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
                try db.execute(sql: "DROP TABLE IF EXISTS t; CREATE TABLE t (a)")
                return ["playerId"]
            }
        }
        try run(Changing()) { try expectKey($0, ["playerId"]) }
    }

    @Test func readersOfAPoolHaveTheSource() throws {
        var configuration = Configuration()
        configuration.schemaSource = Keys(["a"])
        try DatabaseKind.pool.open(configuration) { writer in
            try writer.write { try $0.execute(sql: "CREATE VIEW v AS SELECT 1 AS a") }
            #expect(try writer.read { try $0.primaryKey("v").columns } == ["a"])
        }
    }
}
