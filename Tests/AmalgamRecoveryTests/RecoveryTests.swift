import Amalgam
import AmalgamCore
import CAmalgam
import Foundation
import TestSupport
import Testing

@Suite("Recovery of damaged files", hasRecovery)
struct RecoveryTests {
    private static let players = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, score INTEGER DEFAULT 7);
        CREATE UNIQUE INDEX player_name ON player (name);
        CREATE INDEX player_score ON player (score);
        CREATE VIEW best AS SELECT * FROM player ORDER BY score DESC;
        CREATE TRIGGER clamp AFTER INSERT ON player BEGIN UPDATE player SET score = 100 WHERE score > 100; END;
        INSERT INTO player (name, score) VALUES ('Anna', 10), ('Ben', NULL), ('Zoë', 30);
        """

    @Test("An intact file is copied, with its schema and its settings")
    func intact() throws {
        let database = try DamagedDatabase(Self.players + "PRAGMA user_version = 12; PRAGMA application_id = 99;")
        let report = try database.recover()
        #expect(report.tables.map(\.name) == ["player"])
        #expect(report.savedRowCount == 3)
        #expect(report.lostAndFound == nil)
        #expect(report.missingObjects == [])
        #expect(report.description == "player: 3 rows saved")
        #expect(
            try database.strings("SELECT name FROM sqlite_schema ORDER BY name")
                == ["best", "clamp", "player", "player_name", "player_score"])
        #expect(
            try database.strings("SELECT id || name || coalesce(score, '') FROM player")
                == ["1Anna10", "2Ben", "3Zoë30"])
        #expect(try database.integer("PRAGMA user_version") == 12)
        #expect(try database.integer("PRAGMA application_id") == 99)
    }

    @Test(
        "Files of all encodings and page sizes",
        arguments: [(512, "UTF-8"), (1024, "UTF-16le"), (4096, "UTF-16be"), (65536, "UTF-8")])
    func formats(pageSize: Int, encoding: String) throws {
        let database = try DamagedDatabase(pageSize: pageSize, encoding: encoding) { db in
            try db.execute(sql: Self.players)
            let name = String(repeating: "ü", count: 90_000)
            try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])
        }
        try database.recover()
        #expect(try database.integer("PRAGMA page_size") == pageSize)
        #expect(try database.strings("PRAGMA encoding") == [encoding])
        #expect(try database.strings("SELECT name FROM player LIMIT 3") == ["Anna", "Ben", "Zoë"])
        #expect(try database.integer("SELECT length(name) FROM player WHERE id = 4") == 90_000)
    }

    @Test("A damaged index costs no row")
    func damagedIndex() throws {
        let database = try DamagedDatabase(Self.players)
        let page = try database.rootPage(of: "player_name")
        try database.overwrite(page: page, count: 4096, with: 0xee)
        let report = try database.recover()
        #expect(report.savedRowCount == 3)
        #expect(try database.strings("SELECT name FROM player WHERE name = 'ANNA'") == ["Anna"])
    }

    @Test("Without the header, the page size is found from the pages")
    func zeroedHeader() throws {
        let database = try DamagedDatabase(pageSize: 1024) { db in
            try db.execute(sql: Self.players)
            for number in 0..<500 {
                try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["p\(number)"])
            }
        }
        try database.overwrite(page: 1, count: 100, pageSize: 1024)
        let report = try database.recover()
        #expect(report.savedRowCount == 503)
        #expect(try database.integer("PRAGMA page_size") == 1024)
    }

    @Test("Without the schema, the rows are in the table of lost rows")
    func lostSchema() throws {
        let database = try DamagedDatabase(Self.players)
        try database.overwrite(page: 1, from: 100, count: 3900)
        let report = try database.recover()
        #expect(report.tables == [])
        #expect(report.lostAndFound?.tableName == "lost_and_found")
        #expect(
            try database.strings("SELECT id || c1 FROM lost_and_found WHERE id NOT NULL ORDER BY id")
                == ["1Anna", "2Ben", "3Zoë"])
    }

    @Test("The table of lost rows can have another name, or none")
    func lostAndFoundName() throws {
        let database = try DamagedDatabase(Self.players)
        try database.overwrite(page: 1, from: 100, count: 3900)
        let name = "what was 'found'"
        #expect(try database.recover { $0.lostAndFoundTable = name }.lostAndFound?.tableName == name)
        #expect(try database.integer(#"SELECT COUNT(*) FROM "what was 'found'" WHERE c1 = 'Anna'"#) == 1)
        try FileManager.default.removeItem(atPath: database.newPath)
        #expect(try database.recover { $0.lostAndFoundTable = nil }.lostAndFound == nil)
        #expect(try database.integer("SELECT COUNT(*) FROM sqlite_schema") == 0)
    }

    @Test("Deleted rows are left out, unless free pages are included")
    func freePages() throws {
        let database = try DamagedDatabase(
            """
            CREATE TABLE kept (a); CREATE TABLE dropped (a);
            INSERT INTO kept VALUES (1);
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
            INSERT INTO dropped SELECT 'dropped ' || n FROM number;
            PRAGMA secure_delete = OFF; DROP TABLE dropped;
            """)
        #expect(try database.recover().lostAndFound == nil)
        try FileManager.default.removeItem(atPath: database.newPath)
        let lost = try database.recover { $0.includesFreePages = true }.lostAndFound
        // The first page of a list of free pages is overwritten.
        #expect((500...2000).contains(lost?.rowCount ?? 0))
        #expect(try database.integer("SELECT COUNT(*) FROM lost_and_found WHERE c0 LIKE 'dropped %'") == lost?.rowCount)
    }

    @Test("Rows that only the WAL file has are saved, while a pool has the file open")
    func wal() throws {
        let folder = Folder()
        let pool = try DatabasePool(path: folder.path("app.sqlite"))
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('in the WAL file')") }
        let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("app.sqlite-wal")))
        let newPath = folder.path("recovered.sqlite")
        let report = try DatabaseRecovery(of: pool.path).recover(into: newPath)
        #expect(report.savedRowCount == 1)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("app.sqlite-wal"))) == file)
        try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES ('after')") }
        let values = try DatabaseQueue(path: newPath).read { db in try String.fetchAll(db, sql: "SELECT a FROM t") }
        #expect(values == ["in the WAL file"])
    }

    @Test("A journal is rolled back in the copy")
    func journal() throws {
        let database = try DamagedDatabase("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let queue = try DatabaseQueue(path: database.path)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN")
            for number in 0..<200 {
                let text = String(repeating: "\(number)", count: 3000)
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
            }
            // The file as it is when the process is killed now: no connection may have these copies open.
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: database.path + suffix, toPath: database.folder.path("damaged.sqlite-killed" + suffix))
            }
            try db.execute(sql: "ROLLBACK")
        }
        let killed = database.folder.path("damaged.sqlite-killed")
        #expect(FileManager.default.fileExists(atPath: killed + "-journal"))
        let report = try DatabaseRecovery(of: killed).recover(into: database.newPath)
        #expect(report.savedRowCount == 1)
        #expect(FileManager.default.fileExists(atPath: killed + "-journal"))
        #expect(try database.strings("SELECT a FROM t") == ["1"])
    }

    @Test("All kinds of table")
    func kindsOfTable() throws {
        let database = try DamagedDatabase(
            """
            CREATE TABLE keyless (a, b); INSERT INTO keyless (rowid, a, b) VALUES (7, 1, x'00ff');
            CREATE TABLE named (_rowid_, q); INSERT INTO named VALUES (55, 6);
            CREATE TABLE three (_rowid_, rowid, oid); INSERT INTO three VALUES (1, 2, 3);
            CREATE TABLE generated (a, twice AS (a * 2), b, stored AS (b || '!') STORED, c DEFAULT 4);
            INSERT INTO generated (a, b) VALUES (1, 'x');
            CREATE TABLE composite (a, b, c, PRIMARY KEY (c, a)) WITHOUT ROWID; INSERT INTO composite VALUES (1, 2, 3);
            CREATE TABLE numbers (id INTEGER PRIMARY KEY AUTOINCREMENT, r REAL) STRICT;
            INSERT INTO numbers VALUES (9, 1.5); DELETE FROM numbers; INSERT INTO numbers (r) VALUES (2.5);
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER PRIMARY KEY, parent REFERENCES parent (id) ON DELETE CASCADE);
            INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1);
            CREATE TABLE grown (a); INSERT INTO grown VALUES (1); ALTER TABLE grown ADD COLUMN b DEFAULT 'added';
            """)
        try database.recover()
        #expect(try database.strings("SELECT rowid || a || hex(b) FROM keyless") == ["7100FF"])
        #expect(try database.strings("SELECT _rowid_ || q FROM named") == ["556"])
        #expect(try database.strings("SELECT _rowid_ || rowid || oid FROM three") == ["123"])
        #expect(try database.strings("SELECT a || twice || b || stored || c FROM generated") == ["12xx!4"])
        #expect(try database.strings("SELECT a || b || c FROM composite") == ["123"])
        #expect(try database.strings("SELECT id || r FROM numbers") == ["102.5"])
        #expect(try database.integer("SELECT seq FROM sqlite_sequence") == 10)
        #expect(try database.strings("SELECT a || b FROM grown") == ["1added"])
        #expect(try database.read { db in try db.foreignKeyViolations().next() } == nil)
    }

    @Test("A row that its table refuses is counted")
    func refusedRow() throws {
        let database = try DamagedDatabase(
            """
            CREATE TABLE t (a CHECK (json_extract(a, '$.x') < 10));
            INSERT INTO t VALUES ('{"x":1}'), ('{"x":2}');
            """)
        try database.damage { bytes in
            let json = Array("{\"x\":2}".utf8)
            let start = bytes.indices.first { bytes[$0...].starts(with: json) }!
            bytes[start] = UInt8(ascii: "?")
        }
        let report = try database.recover()
        #expect(report.tables.first?.savedRowCount == 1)
        #expect(report.tables.first?.refusedRowCount == 1)
        #expect(report.description == "t: 1 rows saved, 1 refused")
    }

    @Test("Rows of a table whose INSERT needs a missing function are refused, and the others are saved")
    func missingDefault() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
        }
        let database = try DamagedDatabase(configuration: configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE grown (a); INSERT INTO grown VALUES (1), (2);
                    CREATE TABLE other (a); INSERT INTO other VALUES (3);
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = 'CREATE TABLE grown (a, b DEFAULT (answer()))' WHERE name = 'grown';
                    """)
        }
        #expect(try database.recover().savedRowCount == 3)
        #expect(try database.strings("SELECT a || ' ' || b FROM grown") == ["1 42", "2 42"])
        try FileManager.default.removeItem(atPath: database.newPath)
        let report = try DatabaseRecovery(of: database.path).recover(into: database.newPath)
        #expect(report.tables.map(\.name) == ["grown", "other"])
        #expect(report.tables.map(\.refusedRowCount) == [2, 0])
        #expect(try database.strings("SELECT a FROM other") == ["3"])
    }

    @Test("A table with the name of the table of lost rows in other letters")
    func lostAndFoundTaken() throws {
        let database = try DamagedDatabase(
            """
            CREATE TABLE LOST_AND_FOUND (a); INSERT INTO LOST_AND_FOUND VALUES (1); CREATE TABLE t (a);
            INSERT INTO t VALUES (2); CREATE VIEW Lost_And_Found_0 AS SELECT a FROM t;
            PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 't';
            """)
        let report = try database.recover()
        #expect(report.lostAndFound?.tableName == "lost_and_found_1")
        #expect(report.missingObjects == [])
        #expect(try database.integer("SELECT c0 FROM lost_and_found_1") == 2)
        #expect(try database.integer("SELECT a FROM LOST_AND_FOUND") == 1)
    }

    @Test("The new file has the permissions of the damaged one, also by way of a symbolic link")
    func permissions() throws {
        let database = try DamagedDatabase(Self.players)
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: database.path)
        let link = database.folder.path("damaged.sqlite-link")
        try manager.createSymbolicLink(atPath: link, withDestinationPath: database.path)
        try DatabaseRecovery(of: link).recover(into: database.newPath)
        let attributes = try manager.attributesOfItem(atPath: database.newPath)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
    }

    @Test("A new file in WAL mode is complete without its WAL file")
    func walMode() throws {
        let database = try DamagedDatabase(Self.players)
        database.configuration.prepareDatabase { db in
            db.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
        }
        try database.recover()
        #expect(try database.strings("SELECT name FROM player") == ["Anna", "Ben", "Zoë"])
    }

    @Test("Functions and collations of the configuration are used; without them, the report names what is missing")
    func functions() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(
                collation: DatabaseCollation("backwards") { left, right in
                    let (left, right) = (String(left.reversed()), String(right.reversed()))
                    return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
                })
        }
        let database = try DamagedDatabase(configuration: configuration) { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a COLLATE backwards); CREATE INDEX i ON t (a); INSERT INTO t VALUES ('ab'), ('ca');
                    """)
        }
        #expect(try database.recover().missingObjects == [])
        #expect(try database.strings("SELECT a FROM t ORDER BY a") == ["ca", "ab"])
        try FileManager.default.removeItem(atPath: database.newPath)
        database.configuration = Configuration()
        let report = try DatabaseRecovery(of: database.path).recover(into: database.newPath)
        #expect(report.missingObjects.map(\.name) == ["i", "t"])
        #expect(report.lostAndFound?.rowCount == 2)
        #expect(report.description.contains("The index i couldn't be created."))
    }

    @Test("The log of an audit is kept, and the recovery isn't recorded")
    func audit() throws {
        var configuration = Configuration()
        configuration.audit("player")
        let database = try DamagedDatabase(configuration: configuration) { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Anna')")
            try db.execute(sql: "UPDATE player SET name = 'Anne'")
        }
        try database.recover()
        #expect(try database.read { db in try AuditLog.history(of: "player", key: 1).fetchAll(db).count } == 2)
        #expect(try database.read { db in try AuditLog.verify(db).isEmpty })
    }
}
