import Amalgam
import Testing

private struct Team: TableRecord {
    static let players = hasMany(Player.self)
}

private struct Player: TableRecord {
    static let team = belongsTo(Team.self)
    static let awards = hasMany(Award.self)
}

private struct Award: TableRecord {}

private let league = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team, name TEXT);
    CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player, title TEXT);
    INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
    INSERT INTO player VALUES (1, 1, 'Anna'), (2, 1, 'Bob'), (3, 2, 'Cleo');
    INSERT INTO award VALUES (1, 1, 'goal'), (2, 3, 'season');
    """

@Suite("The rows of requests and statements")
struct RequestDumpTests {
    @Test("of a request")
    func request() throws {
        try expectDump(league, "1|Reds\n") { db, stream in
            try db.dumpRequest(Team.filter(Column("name") == "Reds"), to: stream)
        }
        try expectDump(league, "Blues\nReds\n") { db, stream in
            try db.dumpRequest(Team.select(Column("name")).order(Column("name")), format: .list(), to: stream)
        }
    }

    @Test("of SQL requests, and of compound ones")
    func otherRequests() throws {
        try expectDump(league, "3\n") { db, stream in
            try db.dumpRequest(SQLRequest<Int>("SELECT COUNT(*) FROM \(Player.self)"), to: stream)
        }
    }

    @Test("a to-one association is in the row")
    func toOne() throws {
        try expectDump(league, "3|2|Cleo|2|Blues\n") { db, stream in
            try db.dumpRequest(Player.filter(key: 3).including(required: Player.team), to: stream)
        }
    }

    @Test("those to many come after, each with its name, and its path")
    func toMany() throws {
        let request = Team.order(Column("id")).including(all: Team.players.including(all: Player.awards))
        try expectDump(
            league,
            """
            1|Reds
            2|Blues

            players
            1|1|Anna
            2|1|Bob
            3|2|Cleo

            players.awards
            1|1|goal
            2|3|season

            """
        ) { db, stream in try db.dumpRequest(request, to: stream) }
    }

    @Test("statements without rows run, and leave no gap")
    func statements() throws {
        try expectDump("CREATE TABLE t (x)", "1\n2\n2\n") { db, stream in
            try db.dumpSQL(
                """
                INSERT INTO t VALUES (\(1)), (\(2));
                SELECT x FROM t;
                SELECT x FROM t WHERE 0;
                SELECT COUNT(*) FROM t;
                """, to: stream)
        }
    }

    @Test("wrong SQL is an error, after what ran before it")
    func errors() throws {
        try DatabaseQueue().write { db in
            let stream = Text()
            let error = #expect(throws: DatabaseError.self) {
                try db.dumpSQL("SELECT 1; SELECT 1 FROM nowhere", to: stream)
            }
            #expect(error?.message == "no such table: nowhere")
            #expect(stream.string == "1\n")
        }
    }
}
