import AmalgamConcurrency
import AmalgamCore
import AmalgamRecords
import AmalgamSandbox

/// SQL in the sandbox.
///
/// Two databases differ only in cells that the sandbox doesn't show. In the sandbox, a statement gives the same answer in both.
/// Tables that it can't write stay as they are, and the transaction of the caller goes on. The first byte selects the sandbox, the
/// others are the statement.
struct SandboxFuzz: FuzzRun {
    private static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name, email UNIQUE, teamId, shown AS (email || '!'), twice AS (name || name));
        CREATE INDEX playerOnTeam ON player(teamId, email);
        CREATE TABLE secret (name, email, body);
        CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, body, name);
        CREATE TABLE pair (id INTEGER, body, hidden, PRIMARY KEY (id)) WITHOUT ROWID;
        CREATE TABLE log (body, secret);
        CREATE TRIGGER noteInserted AFTER INSERT ON note BEGIN
            INSERT INTO log SELECT NEW.body, email FROM player WHERE id = NEW.id;
        END;
        CREATE VIEW card AS SELECT id, name, teamId FROM player;
        CREATE VIEW open AS SELECT * FROM player;
        CREATE VIRTUAL TABLE ft USING fts5(name, email);
        CREATE VIRTUAL TABLE words USING fts5vocab(ft, instance);
        CREATE VIRTUAL TABLE area USING rtree(id, x0, x1, +name, +email);
        """

    private static let readable: Set = ["player", "pair", "card", "open", "ft", "words", "area"]
    private static let writable: Set = ["note", "player", "ft"]
    private static let forbidden = [
        "player": ["email"], "pair": ["hidden"], "ft": ["email"], "area": ["email"],
    ]
    private static let secrets = [["word", "bo@x", "c", "dd d"], ["bo@x", "zz word", "a", "word"]]

    /// What the sandbox shows, and what it can't change.
    private static let visible = [
        "SELECT id, name, teamId FROM player ORDER BY id", "SELECT * FROM note ORDER BY id",
        "SELECT rowid, name FROM ft ORDER BY rowid", "SELECT count(*) FROM log",
    ]
    private static let constant = [
        "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid", "SELECT * FROM secret",
        "SELECT * FROM pair ORDER BY id", "SELECT * FROM area ORDER BY id", "PRAGMA database_list",
    ]

    /// Parts of functions whose results differ between two calls.
    private static let changing = ["random", "date", "time", "julian", "epoch", "current", "changes", "rowid()"]

    private let databases: [DatabaseQueue]

    init() throws {
        databases = try Self.secrets.map { secrets in
            let database = try DatabaseQueue()
            try database.write { db in try Self.fill(db, secrets) }
            return database
        }
    }

    private static func fill(_ db: Database, _ secrets: [String]) throws {
        try db.execute(sql: schema)
        for (index, secret) in secrets.enumerated() {
            let (id, name) = (index + 1, "Ann\(index % 2)")
            try db.execute(
                sql: "INSERT INTO player (id, name, email, teamId) VALUES (?, ?, ?, ?)",
                arguments: [id, name, secret, id % 2])
            try db.execute(sql: "INSERT INTO secret VALUES (?1, ?1, ?1)", arguments: [secret])
            try db.execute(sql: "INSERT INTO pair VALUES (?, ?, ?)", arguments: [id, name, secret])
            try db.execute(sql: "INSERT INTO ft VALUES (?, ?)", arguments: [name + " word", secret])
            try db.execute(
                sql: "INSERT INTO area VALUES (?, ?, ?, ?, ?)", arguments: [id, id, id + 1, name, secret])
        }
    }

    func run(_ input: FuzzInput) throws {
        var input = input
        let settings = input.byte()
        let sandbox = Self.sandbox(denies: settings & 1 > 0, writes: settings & 2 > 0)
        let sql = input.text
        let answers = try databases.map { try $0.inDatabase { db in try Self.answer(db, sandbox, sql) } }
        let lowercased = sql.lowercased()
        if answers.contains(where: \.isLimited) || Self.changing.contains(where: { lowercased.contains($0) }) { return }
        try expect(
            answers[0].content == answers[1].content,
            "the sandbox tells \(answers[0].content) from \(answers[1].content): \(sql)")
        try expect(answers[0].visible == answers[1].visible, "the visible rows differ after \(sql)")
    }

    private static func sandbox(denies: Bool, writes: Bool) -> Sandbox {
        var sandbox = Sandbox.readOnly(tables: readable)
        if writes { sandbox.writableTables = writable }
        sandbox.limits = ExecutionLimits(time: .seconds(2), instructions: 100_000, memory: 16 << 20)
        sandbox.maximumRowCount = 1_000
        for (table, columns) in forbidden {
            if denies {
                sandbox.denyColumns(columns, of: table)
            } else {
                sandbox.hideColumns(columns, of: table)
            }
        }
        return sandbox
    }

    private struct Answer {
        /// The rows, or the error.
        var content: [String] = []
        var visible: [String] = []
        var isLimited = false
    }

    private static func answer(_ db: Database, _ sandbox: Sandbox, _ sql: String) throws -> Answer {
        var answer = Answer()
        try db.inTransaction {
            let before = try rows(db, constant)
            let visibleBefore = sandbox.writableTables.isEmpty ? try rows(db, visible) : nil
            do {
                answer.content = try db.sandboxed(sandbox) { try Row.fetchAll(db, sql: sql) }.map(\.description)
                    .sorted()
            } catch let error as DatabaseError {
                answer.content = [error.description]
                answer.isLimited = error.exceededLimit != nil || error.resultCode == .SQLITE_NOMEM
            }
            try expect(db.isInsideTransaction, "the transaction has ended: \(sql)")
            try expect(rows(db, constant) == before, "the sandbox writes: \(sql)")
            answer.visible = try rows(db, visible)
            try expect(visibleBefore == nil || visibleBefore == answer.visible, "the read-only sandbox writes: \(sql)")
            return .rollback
        }
        return answer
    }

    private static func rows(_ db: Database, _ statements: [String]) throws -> [String] {
        try statements.flatMap { try Row.fetchAll(db, sql: $0).map(\.description) }
    }
}
