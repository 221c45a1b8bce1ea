import Amalgam
import AmalgamConcurrency
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// Columns, values and keys.
@Suite struct ColumnTests {
    @Test(arguments: Store.allCases)
    func someColumns(store: Store) throws {
        try store.audit(.table("Player", columns: ["Score"])) { db in
            try db.execute(
                sql: """
                    UPDATE player SET name = 'x' WHERE id = 1;
                    UPDATE player SET name = 'y', score = 1 WHERE id = 1;
                    DELETE FROM player WHERE id = 1;
                    """)
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 1)", "DELETE player 1 (score: 1)"])
        }
    }

    @Test func typedColumns() throws {
        let (name, score) = (TypedColumn<String>("name"), TypedColumn<Int?>("score"))
        let update = "UPDATE player SET name = 'x', score = 1, teamId = 2 WHERE id = 1"
        try Store.memory.audit(.table("player", columns: [score], redacting: [name])) { db in
            try db.execute(sql: update)
            try expectEqual(db.log, ["UPDATE player 1 (name: redacted, score: 10 -> 1)"])
            try expectEqual(AuditLog.Entry.all().changing(score).fetchCount(db), 1)
            try expectEqual(AuditLog.Entry.all().changing(TypedColumn<Int?>("teamId")).fetchCount(db), 0)
        }
        try Store.memory.audit(.table("player", except: [name, Column("teamId")], redacting: [score])) { db in
            try db.execute(sql: update)
            try expectEqual(db.log, ["UPDATE player 1 (score: redacted)"])
        }
    }

    @Test func allColumnsButSome() throws {
        try Store.memory.audit(.table("player", except: ["name"])) { db in
            try db.execute(sql: "UPDATE player SET name = 'x', score = 1 WHERE id = 1")
            try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 1)"])
        }
    }

    @Test(arguments: Store.allCases)
    func redactedColumns(store: Store) throws {
        try store.audit(.table("player", redacting: ["name"])) { db in
            try db.execute(
                sql: """
                    UPDATE player SET name = 'secret', score = 1 WHERE id = 1;
                    UPDATE player SET name = 'secret', score = 2 WHERE id = 1;
                    INSERT INTO player VALUES (4, 'secret2', NULL, NULL);
                    DELETE FROM player WHERE id = 4;
                    """)
            try expectEqual(
                db.log,
                [
                    "UPDATE player 1 (name: redacted, score: 10 -> 1)",
                    "UPDATE player 1 (score: 1 -> 2)",
                    "INSERT player 4 (id: 4, name: redacted, score: NULL, teamId: NULL)",
                    "DELETE player 4 (id: 4, name: redacted, score: NULL, teamId: NULL)",
                ])
            let text = try String.fetchAll(db, sql: "SELECT json(changes) || key FROM amalgam_audit").joined()
            #expect(!text.contains("secret"))
            let change = try #require(try AuditLog.Entry.fetchOne(db)?["NAME"])
            #expect(change.isRedacted)
            #expect(change.oldValue == nil && change.newValue == nil)
        }
    }

    @Test(arguments: Store.allCases)
    func everyTable(store: Store) throws {
        try store.audit(.everyTable, .table("team", columns: [])) { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (text);
                    INSERT INTO note VALUES ('a');
                    UPDATE team SET name = 'x' WHERE id = 1;
                    CREATE VIRTUAL TABLE search USING fts5(text);
                    INSERT INTO search VALUES ('a');
                    """)
            try expectEqual(db.log, [#"INSERT note 1 (text: "a")"#])
        }
    }

    @Test(arguments: Store.allCases)
    func valuesOfAllKinds(store: Store) throws {
        try store.audit("thing") { db in
            try db.execute(sql: "CREATE TABLE thing (id INTEGER PRIMARY KEY, value)")
            let values: [DatabaseValue] = [
                0.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue, (-12_345).databaseValue,
                0.1.databaseValue, (1.0 / 3).databaseValue, Double.leastNonzeroMagnitude.databaseValue,
                1.7976931348623157e308.databaseValue,
                10.0.databaseValue, (-0.0).databaseValue, Double.infinity.databaseValue,
                (-Double.infinity).databaseValue,
                "".databaseValue, "a\"\\\n\u{1}é🎈".databaseValue, "a\0b".databaseValue,
                String(repeating: "x", count: 11).databaseValue, String(repeating: "x", count: 300).databaseValue,
                String(repeating: "y", count: 70_000).databaseValue,
                Data().databaseValue, Data([0, 255, 16]).databaseValue,
                Data(repeating: 7, count: 40_000).databaseValue, .null,
            ]
            try db.execute(sql: "INSERT INTO thing VALUES (1, 'first')")
            var old = "first".databaseValue
            for value in values {
                try db.execute(sql: "UPDATE thing SET value = ?", arguments: [value])
                let entry = try #require(try AuditLog.Entry.order(AuditLog.Entry.Columns.id.desc).fetchOne(db))
                #expect(entry["value"]?.oldValue == old)
                #expect(entry["value"]?.newValue == value)
                // SQLite can read it as well.
                let isValid = try Bool.fetchOne(
                    db, sql: "SELECT json_valid(changes, 8) FROM amalgam_audit_change ORDER BY id DESC LIMIT 1")
                #expect(isValid == true)
                old = value
            }
        }
    }

    /// Each value is replaced by each other one: an entry names exactly the columns whose values differ.
    @Test(arguments: ["a, b INTEGER, c TEXT, d REAL, e BLOB", "a, b INTEGER, v AS (a || b), c TEXT, d REAL, e BLOB"])
    func everyValueByEveryOther(columns: String) throws {
        let values = [
            "NULL", "0", "1", "2", "-1", "127", "128", "-128", "-129", "32767", "32768", "-32768", "8388607",
            "-8388608",
            "8388608", "2147483647", "-2147483648", "2147483648", "140737488355327", "-140737488355329",
            "9223372036854775807", "1.0", "1.5", "9e999", "''", "'1'", "'Anna'", "'Anne'", "'Zoë'", "x''", "x'31'",
            "zeroblob(3)", "printf('%.*c', 200, 'x')",
        ]
        let list = values.map { "(\($0))" }.joined(separator: ", ")
        try Store.memory.audit("value") { db in
            try db.execute(
                sql: """
                    CREATE TABLE pair AS
                      WITH sample(x) AS (VALUES \(list)) SELECT old.x AS old, new.x AS new FROM sample AS old, sample AS new;
                    CREATE TABLE value (id INTEGER PRIMARY KEY, \(columns));
                    CREATE TABLE wanted (id INTEGER PRIMARY KEY, \(columns));
                    INSERT INTO value (id, a, b, c, d, e) SELECT rowid, old, old, old, old, old FROM pair;
                    INSERT INTO wanted (id, a, b, c, d, e) SELECT rowid, new, new, new, new, new FROM pair;
                    """)
            let differences = ["a", "b", "c", "d", "e"].map { name in
                "iif(quote(value.\(name)) <> quote(wanted.\(name)), ' \(name)', '')"
            }
            let expected = try String.fetchAll(
                db,
                sql: """
                    SELECT * FROM (
                      SELECT id || ':' || \(differences.joined(separator: " || ")) AS line FROM value JOIN wanted USING (id))
                    WHERE line NOT LIKE '%:' ORDER BY CAST(line AS INTEGER)
                    """)
            try db.execute(
                sql: """
                    DELETE FROM amalgam_audit_change;
                    UPDATE value SET (a, b, c, d, e) = (SELECT a, b, c, d, e FROM wanted WHERE wanted.id = value.id);
                    """)
            let recorded = try String.fetchAll(
                db,
                sql: """
                    SELECT key || ':' || (
                      SELECT group_concat(' ' || name, '') FROM (
                        SELECT member.key AS name FROM json_each(changes) AS member WHERE member.key <> 'v' ORDER BY 1))
                    FROM amalgam_audit_change ORDER BY key
                    """)
            #expect(recorded == expected)
            #expect(expected.count == values.count * (values.count - 1))
        }
    }

    /// An integer that becomes a real of the same number is a change. In a REAL column, both are the same real.
    @Test func numbersOfTwoKinds() throws {
        try Store.memory.audit("thing") { db in
            try db.execute(
                sql: """
                    CREATE TABLE thing (id INTEGER PRIMARY KEY, any, exact REAL);
                    INSERT INTO thing VALUES (1, 1, 1);
                    UPDATE thing SET any = 1.0, exact = 1.0;
                    UPDATE thing SET exact = 2;
                    """)
            try expectEqual(
                db.log,
                [
                    "INSERT thing 1 (id: 1, any: 1, exact: 1.0)", "UPDATE thing 1 (any: 1 -> 1.0)",
                    "UPDATE thing 1 (exact: 1.0 -> 2.0)",
                ])
        }
    }

    @Test func utf16() throws {
        var config = Configuration()
        config.prepareDatabase { db in try db.execute(sql: "PRAGMA encoding = 'UTF-16'") }
        try Store.memory.open(config) { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                try db.execute(sql: "UPDATE player SET name = 'Ånna🎈' WHERE id = 1")
                try expectEqual(db.log, [#"UPDATE player 1 (name: "Anna" -> "Ånna🎈")"#])
            }
        }
    }

    @Test(arguments: Store.allCases)
    func generatedColumns(store: Store) throws {
        try store.audit("box") { db in
            try db.execute(
                sql: """
                    CREATE TABLE box (
                      id INTEGER PRIMARY KEY, a AS (width + 1), width INTEGER, area AS (width * height) STORED,
                      height INTEGER);
                    INSERT INTO box (width, height) VALUES (2, 3);
                    UPDATE box SET width = 4;
                    """)
            try expectEqual(
                db.log,
                [
                    "INSERT box 1 (id: 1, width: 2, area: 6, height: 3)",
                    "UPDATE box 1 (width: 2 -> 4, area: 6 -> 12)",
                ])
        }
    }

    /// Rows that are older than a column have its default.
    @Test(arguments: Store.allCases)
    func addedRenamedAndDroppedColumns(store: Store) throws {
        try store.audit("player") { db in
            try db.execute(
                sql: """
                    ALTER TABLE player ADD COLUMN level INTEGER DEFAULT 7;
                    UPDATE player SET level = 8 WHERE id = 1;
                    ALTER TABLE player RENAME COLUMN score TO points;
                    UPDATE player SET points = 1 WHERE id = 1;
                    ALTER TABLE player DROP COLUMN level;
                    UPDATE player SET points = 2 WHERE id = 1;
                    """)
            try expectEqual(
                db.log,
                [
                    "UPDATE player 1 (level: 7 -> 8)", "UPDATE player 1 (points: 10 -> 1)",
                    "UPDATE player 1 (points: 1 -> 2)",
                ])
        }
    }

    @Test(arguments: Store.allCases)
    func tablesThatComeAndGo(store: Store) throws {
        try store.audit("note", "player") { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (text); INSERT INTO note VALUES ('a'); DROP TABLE note;
                    CREATE TABLE note (id TEXT PRIMARY KEY, text); INSERT INTO note VALUES ('k', 'b');
                    ALTER TABLE player RENAME TO member; UPDATE member SET score = 0; ALTER TABLE member RENAME TO player;
                    UPDATE player SET score = 1 WHERE id = 1;
                    """)
            try expectEqual(
                db.log,
                [
                    #"INSERT note 1 (text: "a")"#, #"INSERT note "k" (id: "k", text: "b")"#,
                    "UPDATE player 1 (score: 0 -> 1)",
                ])
        }
    }

    /// A connection records changes when it hasn't noticed a schema change of another connection yet.
    @Test func schemaChangesOfOthers() throws {
        try Store.queue.open { writer in
            try writer.writeWithoutTransaction { db in
                try db.createTeams()
                try db.audit("player")
                let other = try DatabaseQueue(path: db.filePath)
                let statement = try db.makeStatement(sql: "UPDATE team SET name = name || 'x' WHERE id = 1")
                try statement.execute()
                try other.write { db in
                    try db.execute(
                        sql: """
                            CREATE TRIGGER renamed AFTER UPDATE OF name ON team BEGIN
                              UPDATE player SET score = 0 WHERE teamId = new.id AND id = 1;
                            END
                            """)
                }
                try statement.execute()
                try expectEqual(db.log, ["UPDATE player 1 (score: 10 -> 0)"])
                try other.close()
            }
        }
    }
}

/// The keys of rows.
@Suite struct KeyTests {
    @Test(arguments: Store.allCases)
    func keysOfAllKinds(store: Store) throws {
        try store.audit(.everyTable) { db in
            try db.execute(
                sql: """
                    CREATE TABLE text_key (k TEXT PRIMARY KEY, v);
                    CREATE TABLE blob_key (k BLOB PRIMARY KEY, v);
                    CREATE TABLE two (v, b TEXT, a INTEGER, PRIMARY KEY (a, b));
                    CREATE TABLE clustered (v, b TEXT, a REAL, PRIMARY KEY (b, a)) WITHOUT ROWID;
                    CREATE TABLE no_key (v);
                    INSERT INTO text_key VALUES ('FR', 1);
                    INSERT INTO blob_key VALUES (x'00ff', 1);
                    INSERT INTO two VALUES (1, 'b', 2);
                    INSERT INTO clustered VALUES (1, 'b', 2.5);
                    INSERT INTO no_key (rowid, v) VALUES (12, 1);
                    """)
            let tables: [(String, AuditLog.Key)] = [
                ("text_key", "FR"), ("blob_key", AuditLog.Key(Data([0, 255]))), ("two", [2, "b"]),
                ("clustered", ["b", 2.5]), ("no_key", 12),
            ]
            for (table, key) in tables {
                let quoted = table.quotedDatabaseIdentifier
                try db.execute(sql: "UPDATE \(quoted) SET v = 2; DELETE FROM \(quoted)")
                let history = try AuditLog.history(of: table, key: key).fetchAll(db)
                #expect(history.map(\.operation) == [.insert, .update, .delete], "\(table)")
                #expect(history.allSatisfy { $0.key == key && $0.newKey == nil })
            }
        }
    }

    @Test(arguments: Store.allCases)
    func keysThatChange(store: Store) throws {
        try store.audit("two", "player") { db in
            try db.execute(
                sql: """
                    CREATE TABLE two (a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
                    INSERT INTO two VALUES (1, 'b');
                    UPDATE two SET a = 2;
                    UPDATE player SET id = 30 WHERE id = 3;
                    """)
            try expectEqual(
                db.log,
                [
                    #"INSERT two [1, "b"] (a: 1, b: "b")"#, #"UPDATE two [1, "b"] -> [2, "b"] (a: 1 -> 2)"#,
                    "UPDATE player 3 -> 30 (id: 3 -> 30)",
                ])
            try expectEqual(AuditLog.history(of: "two", key: [2, "b"]).fetchCount(db), 1)
            try expectEqual(AuditLog.history(of: "player", key: 30).fetchCount(db), 1)
        }
    }

    /// SQLite stores a real without a fraction as an integer.
    @Test func keysThatAreReals() throws {
        try Store.memory.audit("place") { db in
            try db.execute(
                sql: """
                    CREATE TABLE place (x REAL PRIMARY KEY, name TEXT);
                    INSERT INTO place VALUES (2, 'a');
                    UPDATE place SET name = name;
                    UPDATE place SET name = 'b';
                    UPDATE place SET x = 3;
                    """)
            try expectEqual(
                db.log,
                [
                    #"INSERT place 2.0 (x: 2.0, name: "a")"#, #"UPDATE place 2.0 (name: "a" -> "b")"#,
                    "UPDATE place 2.0 -> 3.0 (x: 2.0 -> 3.0)",
                ])
            try expectEqual(AuditLog.history(of: "place", key: AuditLog.Key(3.0)).fetchCount(db), 1)
        }
    }

    /// Keys are compared as bytes, so reals must have the same digits in C and in Swift.
    @Test(arguments: [
        0.1, 2, -1e21, 1e-7, 1.0 / 3, .leastNonzeroMagnitude, 12_345_678.9, .greatestFiniteMagnitude, -.infinity,
    ])
    func keysWithReals(x: Double) throws {
        try Store.memory.audit("place") { db in
            try db.execute(sql: "CREATE TABLE place (x REAL, y INTEGER, PRIMARY KEY (x, y))")
            try db.execute(sql: "INSERT INTO place VALUES (?, 1)", arguments: [x])
            let entry = try AuditLog.history(of: "place", key: [x, 1]).fetchOne(db)
            #expect(entry?.key == [x, 1])
        }
    }

    /// The key isn't an audited column.
    @Test func keysThatChangeUnaudited() throws {
        try Store.memory.audit(.table("player", columns: ["score"])) { db in
            try db.execute(sql: "UPDATE player SET id = 30 WHERE id = 3")
            try expectEqual(db.log, ["UPDATE player 3 -> 30 ()"])
        }
    }

    // MARK: Names

    @Test func rulesOfNamesThatOnlySwiftTakesForEqual() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                // É, é, and é as two scalars.
                let names = ["\u{C9}", "\u{E9}", "e\u{301}"]
                let columns = names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
                for name in names {
                    try db.execute(sql: "CREATE TABLE \"\(name)\" (id INTEGER PRIMARY KEY, \(columns))")
                }
                try db.audit(
                    .table(names[0], columns: [names[0]]), .table(names[2], except: [names[1]], redacting: [names[2]]),
                    requiringTables: true)
                for name in names { try db.execute(sql: "INSERT INTO \"\(name)\" VALUES (1, 'a', 'b', 'c')") }
                let entries = try AuditLog.Entry.order(AuditLog.Entry.Columns.id).fetchAll(db)
                func bytes(_ names: [String]) -> [[UInt8]] { names.map { Array($0.utf8) } }
                #expect(bytes(entries.map(\.tableName)) == bytes([names[0], names[2]]))
                #expect(bytes(entries[0].changes.map(\.columnName)) == bytes([names[0]]))
                #expect(entries[1][names[0]]?.newValue == "a".databaseValue)
                #expect(entries[1][names[1]] == nil)
                #expect(entries[1][names[2]]?.isRedacted == true)
            }
        }
    }

    @Test func everyTableHasItsEntries() throws {
        try Store.memory.open { writer in
            try writer.writeWithoutTransaction { db in
                let names = ["\u{E9}", "e\u{301}"]
                for name in names { try db.execute(sql: "CREATE TABLE \"\(name)\" (id INTEGER PRIMARY KEY)") }
                try db.audit(.everyTable)
                for name in names { try db.execute(sql: "INSERT INTO \"\(name)\" VALUES (1)") }
                for name in names { #expect(try AuditLog.history(of: name, key: 1).fetchCount(db) == 1) }
            }
        }
    }
}
