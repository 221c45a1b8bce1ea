import Amalgam

extension ScenarioRun {
    static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT);
        CREATE INDEX t_a ON t (a);
        CREATE INDEX t_b ON t (b);
        CREATE TABLE u (id INTEGER PRIMARY KEY, n);
        CREATE TABLE child (id INTEGER PRIMARY KEY, tid REFERENCES t ON DELETE CASCADE);
        CREATE TRIGGER child_gone AFTER DELETE ON child BEGIN INSERT INTO u (n) VALUES (old.id); END;
        CREATE TABLE names (name TEXT COLLATE staged PRIMARY KEY);
        CREATE TABLE file (id INTEGER PRIMARY KEY, content BLOB);
        CREATE TABLE spare1 (x, y, z);
        CREATE TABLE spare2 (x);
        CREATE TABLE spare3 (x);
        CREATE INDEX spare2_x ON spare2 (x);
        CREATE VIRTUAL TABLE doc USING fts5(body, tokenize = 'stage');
        CREATE VIRTUAL TABLE vt USING stage;
        INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 30, 'three'), (4, 40, 'four');
        INSERT INTO u VALUES (1, 1), (2, 2);
        INSERT INTO child VALUES (1, 1), (2, 2), (3, 3);
        INSERT INTO file VALUES (1, zeroblob(5000)), (2, x'0102030405');
        INSERT INTO doc (body) VALUES ('one red'), ('two red');
        """

    /// Creates the fixtures of the scenario.
    func setUp() {
        for fixture in scenario.fixtures { attempt("\(fixture)") { try begin(fixture) } }
    }

    private func begin(_ fixture: Fixture) throws {
        switch fixture {
        case .observer: addObserver()
        case .session: sessions.append(try db.makeSession())
        case .filteredSession: sessions.append(try makeFilteredSession())
        case .blob: blobs.append(try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite))
        case .readingBlob: blobs.append(try db.openBlob(table: "file", column: "content", rowID: 2))
        case .cursor: try openCursor("SELECT f(a), * FROM t")
        case .writingCursor: try openCursor("INSERT INTO u (n) VALUES (1), (2) RETURNING id")
        case .oldStatement: statements.append(try db.makeStatement(sql: "DELETE FROM t WHERE id = 3"))
        case .transaction: try db.beginTransaction()
        case .savepoint: try db.execute(sql: "SAVEPOINT s")
        case .trace: startTrace()
        case .traceRows: db.traceRows { _ in try? ScenarioRun.current?.call(.traceRow) }
        case .progress: startProgress()
        case .file, .wal, .foreignKeys, .authorizer, .otherConnection: break
        }
    }

    func addObserver() {
        let observer = CallbackObserver(self)
        observers.append(observer)
        db.add(transactionObserver: observer)
    }

    func makeFilteredSession() throws -> Session {
        let session = try Session(db)
        try session.attach { _ in
            try? ScenarioRun.current?.call(.sessionFilter)
            return true
        }
        return session
    }

    func openCursor(_ sql: String) throws {
        cursors.append(try Row.fetchCursor(db, sql: sql))
        try keepNextRow()
    }

    func startTrace() { db.trace(options: [.statement, .profile]) { _ in try? ScenarioRun.current?.call(.trace) } }

    func startProgress() {
        db.setProgressHandler(every: 20) {
            try ScenarioRun.current?.call(.progress)
            return true
        }
    }

    /// Uses the connection as the scenario specifies.
    func useConnection() {
        guard has(.authorizer) else { return runUses() }
        attempt("authorizer") {
            try db.withAuthorizer { _ in
                try self.call(.authorizer)
                return .allow
            } perform: {
                runUses()
            }
        }
    }

    private func runUses() {
        for use in scenario.uses { attempt(use.rawValue) { try run(use) } }
    }
}
