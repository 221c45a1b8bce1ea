import Amalgam
import TestSupport
import Testing

/// Events of SQLite's virtual tables, and of the shadow tables that contain their data.
struct VirtualTableEventTests {
    let dbQueue: DatabaseQueue
    let log = EventLog()

    init() throws {
        dbQueue = try makeQueue(playerSchema)
        dbQueue.add(transactionObserver: log)
    }

    @Test func fullTextTablesMakeNoNoise() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts5(body)")
            _ = (log.take(), log.takeAsked())
            try db.execute(sql: "INSERT INTO document VALUES ('hello'), ('world')")
            #expect(log.take() == ["willCommit", "didCommit"])
            #expect(log.takeAsked() == [.insert(tableName: "document")])
            try db.execute(sql: "UPDATE document SET body = 'bye' WHERE rowid = 1")
            try db.execute(sql: "DELETE FROM document WHERE rowid = 2")
            try db.execute(sql: "INSERT INTO document(document) VALUES ('optimize')")
            #expect(Set(log.take()) == ["willCommit", "didCommit"])
            #expect(Set(log.takeAsked().map(\.tableName)) == ["document"])
            try #expect(db.integer("SELECT rowid FROM document WHERE document MATCH 'bye'") == 1)
            try db.execute(sql: "DROP TABLE document")
            #expect(log.take() == ["willCommit", "didCommit"])
        }
    }

    @Test func aFullTextIndexOnATableDoesNotHideTheTable() throws {
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE search USING fts5(name, content='player', content_rowid='id');
                    CREATE TRIGGER searchInsert AFTER INSERT ON player BEGIN
                      INSERT INTO search(rowid, name) VALUES (new.id, new.name);
                    END;
                    CREATE TRIGGER searchDelete AFTER DELETE ON player BEGIN
                      INSERT INTO search(search, rowid, name) VALUES ('delete', old.id, old.name);
                    END;
                    """)
            _ = log.take()
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna'), (2, 'Bo')")
            #expect(log.take() == ["insert player(1)", "insert player(2)", "willCommit", "didCommit"])
            try db.execute(sql: "DELETE FROM player")
            #expect(log.take() == ["delete player(1)", "delete player(2)", "willCommit", "didCommit"])
            try #expect(db.integer("SELECT COUNT(*) FROM search('Anna')") == 0)
        }
    }

    @Test func spatialIndexes() throws {
        try dbQueue.inDatabase { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)")
            _ = log.take()
            try db.execute(sql: "INSERT INTO box VALUES (1, 0, 1)")
            try db.execute(sql: "ALTER TABLE box RENAME TO cube")
            try #expect(db.integer("SELECT id FROM cube WHERE x0 < 1") == 1)
            try db.execute(sql: "DELETE FROM cube; DROP TABLE cube")
            #expect(Set(log.take()) == ["willCommit", "didCommit"])
            try #expect(db.integer("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '%cube%'") == 0)
        }
    }
}
