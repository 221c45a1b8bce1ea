import Amalgam
import AmalgamCore
import Foundation
import TestSupport
import Testing

/// A random test of sandboxes. Two databases differ only in cells that the sandbox doesn't show. In the sandbox, each
/// statement must give the same answer in both: the same rows, or the same refusal, and the same visible rows afterwards.
struct SandboxOracleTests {
    private static let schema = """
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name, email UNIQUE, salary DEFAULT 0, teamId,
            shown AS (email || '!'), stored AS (salary * 2) STORED, twice AS (name || name));
        CREATE INDEX playerOnTeam ON player(teamId, salary);
        CREATE TABLE secret (a, name, email, body);
        CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, body, name);
        CREATE TABLE pair (id INTEGER, body, hidden, PRIMARY KEY (id)) WITHOUT ROWID;
        CREATE TABLE strict (id INTEGER PRIMARY KEY, name TEXT NOT NULL ON CONFLICT ROLLBACK, body TEXT) STRICT;
        CREATE TABLE log (body, secret);
        CREATE TABLE parent (id INTEGER PRIMARY KEY, name);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES parent ON DELETE CASCADE, email);
        CREATE TRIGGER noteInserted AFTER INSERT ON note BEGIN
            INSERT INTO log SELECT NEW.body, email FROM player WHERE id = NEW.id;
        END;
        CREATE VIEW card AS SELECT id, name, teamId FROM player;
        CREATE VIEW wide AS SELECT player.name, parent.id FROM player JOIN parent USING (id);
        CREATE VIEW open AS SELECT * FROM player;
        CREATE VIRTUAL TABLE ft USING fts5(name, email);
        CREATE VIRTUAL TABLE f4 USING fts4(name, email);
        CREATE VIRTUAL TABLE byName USING fts5(name, email, content=player, content_rowid=id);
        CREATE VIRTUAL TABLE words USING fts5vocab(ft, instance);
        CREATE VIRTUAL TABLE oldWords USING fts4aux(f4);
        CREATE VIRTUAL TABLE area USING rtree(id, x0, x1, +name, +email);
        CREATE TEMP TABLE shadow (name, email);
        """

    /// The tables of the sandbox. The columns `email`, `salary` and `hidden` aren't shown.
    private static let readable: Set = [
        "player", "pair", "parent", "child", "card", "wide", "open", "ft", "f4", "byName", "words", "oldWords", "area",
        "temp.shadow",
    ]
    private static let writable: Set = ["note", "strict", "player", "child", "parent", "ft"]

    /// The columns that aren't shown.
    private static let forbidden = [
        "player": ["email", "salary"], "pair": ["hidden"], "child": ["email"], "ft": ["email"], "f4": ["email"],
        "area": ["email"], "temp.shadow": ["email"],
    ]

    private static let visibleCells = [
        "SELECT id, name, teamId, twice FROM player ORDER BY id", "SELECT * FROM note ORDER BY id",
        "SELECT id, body FROM pair ORDER BY id", "SELECT * FROM strict ORDER BY id", "SELECT * FROM parent ORDER BY id",
        "SELECT id, parentId FROM child ORDER BY id", "SELECT rowid, name FROM ft ORDER BY rowid",
        "SELECT count(*) FROM log",
    ]

    private static func sandbox(denies: Bool, writes: Bool) -> Sandbox {
        var sandbox = Sandbox.readOnly(tables: readable)
        if writes { sandbox.writableTables = writable }
        sandbox.limits.time = nil
        for (table, columns) in forbidden {
            if denies {
                sandbox.denyColumns(Set(columns), of: table)
            } else {
                sandbox.hideColumns(Set(columns), of: table)
            }
        }
        return sandbox
    }

    private static func fill(_ db: Database, secrets: [String]) throws {
        try db.execute(sql: schema)
        for id in 1...4 {
            let secret = secrets[id - 1]
            for (sql, arguments) in [
                ("INSERT INTO parent VALUES (?, ?)", [id, "Ann\(id % 2)"]),
                (
                    "INSERT INTO player (id, name, email, salary, teamId) VALUES (?, ?, ?, ?, ?)",
                    [id, "Ann\(id % 2)", secret, secret.count, id % 2]
                ),
                ("INSERT INTO secret VALUES (?, ?, ?, ?)", [secret, secret, secret, secret]),
                ("INSERT INTO pair VALUES (?, ?, ?)", [id, "Ann\(id)", secret]),
                ("INSERT INTO child VALUES (?, ?, ?)", [id, id, secret]),
                ("INSERT INTO ft VALUES (?, ?)", ["Ann\(id % 2) word", secret]),
                ("INSERT INTO f4 VALUES (?, ?)", ["Ann\(id % 2) word", secret]),
                ("INSERT INTO area VALUES (?, ?, ?, ?, ?)", [id, id, id + 1, "Ann\(id % 2)", secret]),
                ("INSERT INTO shadow VALUES (?, ?)", ["Ann\(id % 2)", secret]),
            ] as [(String, StatementArguments)] {
                try db.execute(sql: sql, arguments: arguments)
            }
        }
        try db.execute(sql: "INSERT INTO byName(byName) VALUES ('rebuild')")
    }

    /// 20,000 statements in all with `AMALGAM_SEEDS=100`.
    @Test(arguments: seeds(15))
    func noStatementTellsForbiddenCellsApart(seed: UInt64) throws {
        var statements = RandomUntrustedSQL(seed: seed)
        let databases = try [DatabaseQueue(), DatabaseQueue()]
        for (database, secrets) in zip(databases, [["word", "bo@x", "c", "dd d"], ["bo@x", "zz word", "a", "word"]]) {
            try database.inDatabase { try Self.fill($0, secrets: secrets) }
        }
        var answers: [String: Int] = [:]
        for _ in 0..<200 {
            let sql = statements.statement()
            let sandbox = Self.sandbox(denies: statements.chance(30), writes: statements.chance(70))
            let given = try databases.map { try $0.inDatabase { try Self.answer($0, sandbox, sql) } }
            #expect(given[0] == given[1], "seed \(seed): \(sql)")
            answers[given[0].kind, default: 0] += 1
        }
        // The statements aren't only refused.
        #expect(answers["rows", default: 0] >= 25, "seed \(seed): \(answers)")
        #expect(answers["denied", default: 0] >= 25, "seed \(seed): \(answers)")
    }

    private struct Answer: Equatable {
        var kind: String
        var content: [String]
        var cells: [String]
    }

    private static func answer(_ db: Database, _ sandbox: Sandbox, _ sql: String) throws -> Answer {
        var answer = Answer(kind: "", content: [], cells: [])
        try db.inTransaction {
            do {
                let rows = try db.sandboxed(sandbox) { try Row.fetchAll(db, sql: sql) }
                answer = Answer(kind: "rows", content: rows.map(\.description).sorted(), cells: [])
            } catch let error as DatabaseError {
                answer = Answer(
                    kind: error.resultCode == .SQLITE_AUTH ? "denied" : "error", content: [error.description], cells: []
                )
            }
            #expect(db.isInsideTransaction, "\(sql)")
            answer.cells = try visibleCells.flatMap { try Row.fetchAll(db, sql: $0).map(\.description) }
            return .rollback
        }
        return answer
    }
}

/// Random statements that try to read what a sandbox doesn't show.
private struct RandomUntrustedSQL {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func pick<T>(_ elements: [T]) -> T { elements.randomElement(using: &random)! }

    private static let columns: [String: [String]] = [
        "player": ["id", "name", "teamId", "twice", "email", "salary", "shown", "stored"],
        "secret": ["a", "name", "email", "body"], "note": ["id", "body", "name"], "pair": ["id", "body", "hidden"],
        "strict": ["id", "name", "body"], "parent": ["id", "name"], "child": ["id", "parentId", "email"],
        "card": ["id", "name", "teamId"], "wide": ["id", "name"], "open": ["id", "name", "email", "shown"],
        "ft": ["name", "email", "ft", "rank", "rowid"], "f4": ["name", "email", "f4", "docid"],
        "byName": ["name", "email", "byName"], "words": ["term", "doc", "col"], "oldWords": ["term", "col"],
        "area": ["id", "x0", "name", "email"], "temp.shadow": ["name", "email"], "ft_content": ["id", "c0", "c1"],
        "sqlite_schema": ["name", "sql"], "log": ["body", "secret"],
    ]
    private static let names = columns.keys.sorted()
    private static let shown = ["player", "pair", "parent", "child", "card", "open", "ft", "f4", "area", "note"]

    private mutating func table() -> String { pick(chance(75) ? Self.shown : Self.names) }
    private mutating func column(_ table: String) -> String { pick(Self.columns[table]!) }

    /// A column that is shown, more often than not.
    private mutating func safeColumn(_ table: String) -> String {
        let forbidden = ["email", "salary", "shown", "stored", "hidden", "ft", "f4", "byName", "rank"]
        let safe = Self.columns[table]!.filter { !forbidden.contains($0) }
        return chance(85) && !safe.isEmpty ? pick(safe) : column(table)
    }

    mutating func statement() -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: select()
        case 3: joined()
        case 4: search()
        case 5: "WITH q AS (\(select())) SELECT * FROM q"
        case 6: insert()
        case 7: update()
        case 8: delete()
        default: oracle()
        }
    }

    private mutating func value() -> String { pick(["1", "2", "'bo@x'", "'word'", "'Ann1'", "NULL", "4"]) }

    private mutating func expression(_ table: String, depth: Int = 0) -> String {
        let column = safeColumn(table)
        guard depth < 3 else { return column }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return "length(\(expression(table, depth: depth + 1)))"
        case 1: return "coalesce(\(column), \(value()))"
        case 2: return "(SELECT max(\(safeColumn("player"))) FROM player)"
        case 3: return "(\(expression(table, depth: depth + 1)) IN (SELECT \(safeColumn("child")) FROM child))"
        case 4: return "typeof(\(column)) || \(expression(table, depth: depth + 1))"
        case 5: return "CASE WHEN \(condition(table)) THEN 1 ELSE \(column) END"
        default: return column
        }
    }

    private mutating func condition(_ table: String) -> String {
        "\(safeColumn(table)) \(pick(["=", "<", ">=", "IS", "IS NOT", "LIKE"])) \(value())"
    }

    private mutating func select() -> String {
        let table = table()
        let result = pick([
            "*", expression(table), "\(expression(table)), \(safeColumn(table))", "count(\(safeColumn(table)))",
        ])
        let condition = chance(40) ? " WHERE \(condition(table))" : ""
        let order = chance(20) ? " ORDER BY \(safeColumn(table))" : ""
        return "SELECT \(result) FROM \(table)\(condition)\(order)"
    }

    private mutating func joined() -> String {
        let (first, second) = (table(), table())
        let kind = pick(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        let column = column(first)
        return pick([
            "SELECT \(column) FROM \(first) NATURAL \(kind) \(second)",
            "SELECT count(*) FROM \(first) NATURAL \(kind) \(second)",
            "SELECT \(column) FROM \(first) NATURAL \(kind) (SELECT \(value()) AS \(column))",
            "SELECT 1 FROM \(first) \(kind) (SELECT \(value()) AS \(column)) USING (\(column))",
            "SELECT l.\(safeColumn(first)) FROM \(first) l JOIN \(first) r USING (\(column))",
            "SELECT * FROM \(first) l \(kind) \(second) r ON l.\(safeColumn(first)) = r.\(safeColumn(second))",
            "SELECT x FROM card, (SELECT \(column) AS x FROM \(first) NATURAL FULL JOIN (SELECT 1 AS \(column)))",
        ])
    }

    private mutating func search() -> String {
        let table = pick(["ft", "f4", "byName"])
        let query = pick(["word", "email: word", "ann1", "email:bo", "name: ann0"])
        let condition = pick([
            "\(table) MATCH '\(query)'", "name MATCH '\(query)'", "email MATCH 'word'", "\(table) = '\(query)'",
            "rowid = 1",
        ])
        let result = pick([
            "name", "email", "highlight(\(table), 1, '', '')", "snippet(\(table))", "bm25(\(table))", "rank",
            "count(*)",
            "offsets(\(table))", "matchinfo(\(table))", "hex(\(table))",
        ])
        return pick([
            "SELECT \(result) FROM \(table) WHERE \(condition)", "SELECT \(result) FROM \(table)('\(query)')",
            "SELECT \(result) FROM \(table) JOIN (SELECT '\(query)' AS \(table)) USING (\(table))",
            "SELECT term FROM \(pick(["words", "oldWords"])) WHERE term = 'word'",
        ])
    }

    private mutating func conflict() -> String {
        pick(["", "", "", " OR IGNORE", " OR REPLACE", " OR ROLLBACK", " OR FAIL"])
    }

    private mutating func returning(_ table: String) -> String {
        pick(["", "", " RETURNING \(column(table))", " RETURNING *", " RETURNING \(expression(table))"])
    }

    private mutating func insert() -> String {
        let table = pick(["note", "strict", "player", "child", "parent", "ft", "secret", "pair"])
        let column = safeColumn(table)
        return pick([
            "INSERT\(conflict()) INTO \(table) (\(column)) VALUES (\(value()))\(returning(table))",
            "INSERT\(conflict()) INTO \(table) (\(column)) SELECT \(expression("player")) FROM player\(returning(table))",
            "INSERT INTO \(table) SELECT * FROM \(self.table())",
            "INSERT INTO note (body) SELECT \(column) FROM \(table) NATURAL FULL JOIN (SELECT 1 AS \(column))",
            "INSERT INTO \(table) DEFAULT VALUES\(returning(table))",
            """
            INSERT INTO player (id, name) VALUES (\(value()), 'x')
            ON CONFLICT (\(pick(["id", "email"]))) DO UPDATE SET \(safeColumn("player")) = \(expression("player"))\(returning("player"))
            """,
        ])
    }

    private mutating func update() -> String {
        let table = pick(["note", "strict", "player", "child", "parent", "ft", "pair"])
        return pick([
            """
            UPDATE\(conflict()) \(table) SET \(safeColumn(table)) = \(value()) WHERE \(condition(table))\(returning(table))
            """,
            "UPDATE \(table) SET \(safeColumn(table)) = (SELECT \(column("secret")) FROM secret)\(returning(table))",
            "UPDATE player SET name = c.\(column("child")) FROM child c WHERE c.id = player.id\(returning("player"))",
            "UPDATE player SET name = \(expression("player")) WHERE \(condition("player"))",
        ])
    }

    private mutating func delete() -> String {
        let table = pick(["note", "player", "child", "parent", "ft", "secret"])
        return "DELETE FROM \(table) WHERE \(condition(table))\(returning(table))"
    }

    /// Other ways to forbidden cells.
    private mutating func oracle() -> String {
        pick([
            "SELECT * FROM pragma_table_info('secret')",
            "SELECT data FROM sqlite_dbpage NATURAL FULL JOIN (SELECT 1 AS data)",
            "SELECT sql FROM sqlite_stmt", "SELECT name FROM dbstat NATURAL JOIN (SELECT 'secret' AS name)",
            "SELECT sqlite_log(1, 'x')", "SELECT sql FROM sqlite_schema NATURAL FULL JOIN (SELECT 1 AS sql)",
            "SELECT name FROM player GROUP BY name HAVING max(email) > 'b'", "SELECT count(DISTINCT email) FROM player",
            "SELECT 'bo@x' IN (SELECT email FROM player)", "SELECT EXISTS (SELECT 1 FROM player WHERE email = 'bo@x')",
            "SELECT name, sum(salary) OVER () FROM player", "SELECT max(shown) FROM open",
            "SELECT id FROM player WHERE shown > 'b'",
            "SELECT json_group_array(email) FROM player",
            "SELECT * FROM json_each((SELECT json_array(email) FROM player))",
            "SELECT rtreecheck('main', 'area')", "SELECT x FROM (SELECT email AS x FROM player) WHERE x = 'word'",
            "SELECT max(stored) FROM player WHERE stored > 4", "SELECT * FROM temp.shadow JOIN player USING (email)",
            "SELECT name FROM area WHERE email = 'word'", "SELECT 1 FROM player WHERE (name, email) = ('Ann1', 'word')",
            "SELECT id FROM player p WHERE EXISTS (SELECT 1 FROM child WHERE child.email = p.email)",
            "SELECT player.id FROM player, secret WHERE player.name = secret.a",
            "DELETE FROM player WHERE email = 'word'",
            "SELECT count(*) FROM secret", "SELECT count(*) FROM secret JOIN (SELECT 'word' AS a) USING (a)",
        ])
    }
}
