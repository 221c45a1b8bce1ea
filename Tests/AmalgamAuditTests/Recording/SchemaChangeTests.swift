import Amalgam
import AmalgamConcurrency
import AmalgamCore
import TestSupport
import Testing

/// Changes are recorded, whichever connection has changed the schema after the statement was compiled.
@Suite struct SchemaChangeTests {
    /// A statement that changed no audited table before fires a trigger that another connection has created.
    @Test(arguments: [Store.queue, .pool], [true, false])
    func aTriggerOfAnotherConnection(store: Store, inTransaction: Bool) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                let other = try DatabaseQueue(path: db.filePath)
                let renaming = try db.makeStatement(sql: "UPDATE team SET name = name || '!' WHERE id = 1")
                func logged() throws -> [String] {
                    try db.logged {
                        if inTransaction { try db.execute(sql: "BEGIN") }
                        try renaming.execute()
                        if inTransaction { try db.execute(sql: "COMMIT") }
                    }
                }
                try expectEqual(logged(), [])
                try renaming.execute()
                try other.inDatabase { db in
                    try db.execute(
                        sql: """
                            CREATE TRIGGER renaming AFTER UPDATE ON team BEGIN
                              UPDATE player SET score = score + 1 WHERE teamId = new.id;
                            END
                            """)
                }
                try expectEqual(logged(), ["UPDATE player 1 (score: 10 -> 11)", "UPDATE player 2 (score: 20 -> 21)"])
                try expectEqual(logged(), ["UPDATE player 1 (score: 11 -> 12)", "UPDATE player 2 (score: 21 -> 22)"])
                try other.inDatabase { try $0.execute(sql: "DROP TRIGGER renaming") }
                try expectEqual(logged(), [])
                try other.close()
            }
        }
    }

    /// After ANALYZE, DROP TABLE deletes rows of `sqlite_stat1` while the module drops its shadow tables.
    @Test(arguments: Store.allCases, [true, false])
    func virtualTablesAreDroppedAfterAnalyze(store: Store, byAnotherConnection: Bool) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE player (name PRIMARY KEY);
                        INSERT INTO player VALUES ('Anna');
                        CREATE VIRTUAL TABLE text USING fts5(body);
                        CREATE VIRTUAL TABLE box USING rtree(id, minimum, maximum);
                        """)
                try db.audit(.everyTable)
                if byAnotherConnection && store != .memory {
                    try DatabaseQueue(path: db.filePath).inDatabase { try $0.execute(sql: "ANALYZE") }
                } else {
                    try db.execute(sql: "ANALYZE")
                }
                #expect(try db.tableExists("sqlite_stat1"))
                try db.execute(sql: "ALTER TABLE text RENAME TO document; DROP TABLE document; DROP TABLE box")
                let tables = "SELECT name FROM sqlite_master WHERE name LIKE 'document%' OR name LIKE 'box%'"
                try expectEqual(String.fetchAll(db, sql: tables), [])
                try expectEqual(
                    db.logged { try db.execute(sql: "DELETE FROM player") }, ["DELETE player \"Anna\" (name: \"Anna\")"]
                )
            }
        }
    }

    /// A rule by name doesn't follow a renamed table. The log reports such tables.
    @Test(arguments: Store.allCases)
    func tablesThatWereRenamedOrDroppedAreMissing(store: Store) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try expectEqual(AuditLog.missingTables(db), [])
                try db.createTeams()
                try db.audit("Player", "team", "future")
                try expectEqual(AuditLog.missingTables(db), [])  // "future" may be created later.
                try db.execute(sql: "ALTER TABLE player RENAME TO person; UPDATE person SET score = 0")
                try expectEqual(AuditLog.missingTables(db), ["player"])
                try expectEqual(db.log, [])
                try db.audit("person")
                try expectEqual(db.logged { try db.execute(sql: "UPDATE person SET score = 1 WHERE id = 1") }.count, 1)
                try db.execute(sql: "DROP TABLE person; DROP TABLE team")
                try expectEqual(AuditLog.missingTables(db), ["person", "player", "team"])
                try db.execute(sql: "CREATE TABLE PLAYER (id INTEGER PRIMARY KEY)")
                try expectEqual(AuditLog.missingTables(db), ["person", "team"])
            }
        }
    }

    /// `DROP TABLE` runs the foreign key actions of a deletion of all rows. The rows of the dropped table make no entries.
    @Test(arguments: Store.allCases, [true, false])
    func foreignKeyActionsOfADroppedTable(store: Store, inTransaction: Bool) throws {
        try store.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE game (id INTEGER PRIMARY KEY);
                        CREATE TABLE goal (id INTEGER PRIMARY KEY, game REFERENCES game ON DELETE CASCADE);
                        CREATE TABLE card (id INTEGER PRIMARY KEY, game REFERENCES game ON DELETE SET NULL);
                        INSERT INTO game VALUES (1), (2);
                        INSERT INTO goal VALUES (10, 1);
                        INSERT INTO card VALUES (20, 2);
                        """)
                try db.audit("game", "goal", "card")
                let entries = try db.logged {
                    if inTransaction { try db.execute(sql: "BEGIN") }
                    try db.execute(sql: "DROP TABLE game")
                    if inTransaction { try db.execute(sql: "COMMIT") }
                }
                expectEqual(
                    entries.sorted(), ["DELETE goal 10 (id: 10, game: 1)", "UPDATE card 20 (game: 2 -> NULL)"])
            }
        }
    }
}
