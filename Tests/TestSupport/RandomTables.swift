import Amalgam
package import AmalgamCore
import Foundation

/// A table of the random programs: its definition, and how a model finds its rows.
package struct ModelTable: Sendable {
    package let name: String
    package let sql: String
    package let columns: [String]
    /// A name of the rowid; nil for a WITHOUT ROWID table.
    package let rowID: String?
    /// The columns of the key of a WITHOUT ROWID table.
    package let key: [Int]
    /// Whether statements of the programs write the table, and not only triggers.
    package let isWritten: Bool
    /// Whether keys that differ in the case of letters are equal.
    package let ignoresCase: Bool

    package init(
        name: String, sql: String, columns: [String], rowID: String?, key: [Int] = [], isWritten: Bool = true,
        ignoresCase: Bool = false
    ) {
        self.name = name
        self.sql = sql
        self.columns = columns
        self.rowID = rowID
        self.key = key
        self.isWritten = isWritten
        self.ignoresCase = ignoresCase
    }

    package static let all = [
        ModelTable(
            name: "plain", sql: "CREATE TABLE plain (id INTEGER PRIMARY KEY, a, b REAL)", columns: ["id", "a", "b"],
            rowID: "id"),
        ModelTable(
            name: "replacing",
            sql: "CREATE TABLE replacing (id INTEGER PRIMARY KEY AUTOINCREMENT, u UNIQUE ON CONFLICT REPLACE, b)",
            columns: ["id", "u", "b"], rowID: "id"),
        ModelTable(
            name: "nocase", sql: "CREATE TABLE nocase (k TEXT COLLATE NOCASE PRIMARY KEY, a, b)",
            columns: ["k", "a", "b"], rowID: "rowid"),
        ModelTable(name: "keyless", sql: "CREATE TABLE keyless (a, b)", columns: ["a", "b"], rowID: "rowid"),
        ModelTable(
            name: "pair", sql: "CREATE TABLE pair (a, b, c, PRIMARY KEY (a, b))", columns: ["a", "b", "c"],
            rowID: "rowid"),
        ModelTable(
            name: "letters", sql: "CREATE TABLE letters (k TEXT COLLATE NOCASE PRIMARY KEY, a) WITHOUT ROWID",
            columns: ["k", "a"], rowID: nil, key: [0], ignoresCase: true),
        ModelTable(
            name: "untyped", sql: "CREATE TABLE untyped (a, c, b, PRIMARY KEY (b, a)) WITHOUT ROWID",
            columns: ["a", "c", "b"], rowID: nil, key: [2, 0]),
        ModelTable(
            name: "strict",
            sql: "CREATE TABLE strict (id INTEGER PRIMARY KEY, a REAL, b ANY, c TEXT UNIQUE ON CONFLICT IGNORE) STRICT",
            columns: ["id", "a", "b", "c"], rowID: "id"),
        ModelTable(
            name: "generated",
            sql: """
                CREATE TABLE generated (
                  id INTEGER PRIMARY KEY, g AS (a || '!') UNIQUE, a, s AS (a) STORED, b)
                """, columns: ["id", "a", "b"], rowID: "id"),
        ModelTable(
            name: "hidden", sql: "CREATE TABLE hidden (_rowid_ TEXT, oid)", columns: ["_rowid_", "oid"], rowID: "rowid"),
        ModelTable(
            name: "parent", sql: "CREATE TABLE parent (id INTEGER PRIMARY KEY, u UNIQUE)", columns: ["id", "u"],
            rowID: "id"),
        ModelTable(
            name: "child",
            sql: """
                CREATE TABLE child (
                  id INTEGER PRIMARY KEY, p REFERENCES parent(u) ON DELETE CASCADE ON UPDATE CASCADE,
                  q INTEGER REFERENCES parent ON DELETE SET NULL)
                """, columns: ["id", "p", "q"], rowID: "id"),
        ModelTable(
            name: "refusing",
            sql: """
                CREATE TABLE refusing (
                  id INTEGER PRIMARY KEY ON CONFLICT IGNORE, u UNIQUE ON CONFLICT FAIL, r UNIQUE ON CONFLICT ROLLBACK)
                """, columns: ["id", "u", "r"], rowID: "id"),
        ModelTable(
            name: "noted", sql: "CREATE TABLE noted (id INTEGER PRIMARY KEY, text TEXT)", columns: ["id", "text"],
            rowID: "id"),
        ModelTable(
            name: "note", sql: "CREATE TABLE note (what, id)", columns: ["what", "id"], rowID: "rowid", isWritten: false
        ),
    ]

    /// The triggers that log changes of `noted`, and keep a full-text table in step with it.
    package static let triggers = """
        CREATE VIRTUAL TABLE words USING fts5(text, content='noted', content_rowid='id');
        CREATE TRIGGER noted_insert AFTER INSERT ON noted BEGIN
          INSERT INTO note VALUES ('insert', new.id);
          INSERT INTO words(rowid, text) VALUES (new.id, new.text);
        END;
        CREATE TRIGGER noted_delete AFTER DELETE ON noted BEGIN
          INSERT INTO note VALUES ('delete', old.id);
          INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text);
        END;
        CREATE TRIGGER noted_update AFTER UPDATE ON noted BEGIN
          INSERT INTO note VALUES ('update', old.id);
          INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text);
          INSERT INTO words(rowid, text) VALUES (new.id, new.text);
        END;
        """
}

/// The content of all tables of a program, byte for byte.
package struct ModelContent: Equatable {
    /// For each table, the cells of the rows by their places.
    package var rows: [String: [String: [String]]] = [:]

    /// Reads tables whose columns are those of the model.
    package init(_ db: Database, tables: [ModelTable] = ModelTable.all) throws {
        for table in tables {
            let rowID = table.rowID.map { "\"\($0)\"" } ?? "NULL"
            let cells = table.columns.map { "typeof(\"\($0)\"), \"\($0)\", hex(CAST(\"\($0)\" AS BLOB))" }
            let sql = "SELECT \(rowID), \(cells.joined(separator: ", ")) FROM \(table.name)"
            var content: [String: [String]] = [:]
            for row in try Row.fetchAll(db, sql: sql) {
                let cells = table.columns.indices.map { Self.cell(row, at: 1 + 3 * $0) }
                let place =
                    table.rowID == nil
                    ? table.key.map { Self.key(cells[$0], table.ignoresCase) }.joined() : "\(row[0] as Int64)"
                content[place] = cells
            }
            rows[table.name] = content
        }
    }

    private static func cell(_ row: Row, at index: Int) -> String {
        let type: String = row[index]
        let value: DatabaseValue = row[index + 1]
        switch value.storage {
        case .double(let real): return "\(type) \(real.bitPattern)"
        case .int64(let integer): return "\(type) \(integer)"
        case .null: return type
        case .string, .blob: return "\(type) \(row[index + 2] as String)"
        }
    }

    /// The key that SQLite takes for the same: numbers of both types, and perhaps letters of both cases.
    private static func key(_ cell: String, _ ignoresCase: Bool) -> String {
        let parts = cell.split(separator: " ")
        switch parts[0] {
        case "text" where ignoresCase && parts.count > 1:
            let digits = Array(parts[1])
            let bytes = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(digits[$0...($0 + 1)]), radix: 16)!
            }
            return "(text \(bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }))"
        case "real": return "(number \(Double(bitPattern: UInt64(parts[1])!) + 0))"
        case "integer": return "(number \(Double(Int64(parts[1])!)))"
        default: return "(\(cell))"
        }
    }

    /// The places at which both contents differ.
    package func differences(from other: ModelContent) -> [String] {
        rows.keys.sorted().flatMap { table in
            Set(rows[table]!.keys).union(other.rows[table]!.keys).sorted().compactMap { place in
                let (mine, its) = (rows[table]![place], other.rows[table]![place])
                return mine == its ? nil : "\(table) \(place): \(mine ?? ["-"]) instead of \(its ?? ["-"])"
            }
        }
    }
}

/// Random statements for the tables of the model.
package struct StatementMaker {
    package var generator: SeededGenerator
    private let tables: [ModelTable]

    package init(seed: UInt64, tables: [ModelTable] = ModelTable.all.filter(\.isWritten)) {
        generator = SeededGenerator(seed: seed)
        self.tables = tables
    }

    package mutating func pick<T>(_ elements: [T]) -> T { elements.randomElement(using: &generator)! }
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private static let values = [
        "NULL", "0", "1", "2", "3", "1.0", "0.0", "-0.0", "2.5", "9e999", "'a'", "'A'", "'b'", "'B'", "'a '", "''",
        "'1'", "x'61'", "x''", "CAST(x'FF61' AS TEXT)", "'x' || char(0)", "zeroblob(3)", "9223372036854775807", "'ä'",
    ]

    package mutating func value(_ column: String) -> String {
        switch column {
        case "id", "q": pick(["NULL", "1", "2", "3", "4", "5"])
        case "p" where chance(60): "(SELECT u FROM parent ORDER BY id LIMIT 1 OFFSET \(pick([0, 1, 2])))"
        case "text",
            "c" where chance(90):
            pick(["'a'", "'b'", "'a b'", "'c'", "NULL"])
        default: pick(Self.values)
        }
    }

    package mutating func statement() -> String {
        let table = pick(tables)
        // REPLACE fires no triggers for the rows that it deletes, so that the full-text table would keep them.
        let conflict =
            table.name == "noted" ? "" : pick(["", "", "", " OR REPLACE", " OR REPLACE", " OR IGNORE", " OR FAIL"])
        let condition = condition(table)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...4:
            let rows = (1...pick([1, 1, 2, 3])).map { _ in
                "(\(table.columns.map { value($0) }.joined(separator: ", ")))"
            }
            let columns = table.columns.map { "\"\($0)\"" }.joined(separator: ", ")
            return "INSERT\(conflict) INTO \(table.name) (\(columns)) VALUES \(rows.joined(separator: ", "))"
        case 5...7:
            let column = pick(table.columns)
            let name = "\"\(column)\""
            let new = pick([
                value(column), value(column), "\(name) + 1", "upper(\(name))", "lower(\(name))", "-\(name)",
            ])
            return "UPDATE\(conflict) \(table.name) SET \(name) = \(new)\(condition)"
        default: return "DELETE FROM \(table.name)\(condition)"
        }
    }

    private mutating func condition(_ table: ModelTable) -> String {
        if chance(20) { return "" }
        let column = pick(table.columns)
        return " WHERE \"\(column)\" \(pick(["=", "<>", "IS", "IS NOT", "<"])) \(value(column))"
    }
}
