import Amalgam
import CAmalgam
import Synchronization
import TestSupport
import Testing

// A league: teams, their players, the awards of players, and their citizenships.

struct Team: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let color = Column("color")
    }

    static let players = hasMany(Player.self)
    static let awards = hasMany(Award.self, through: players, using: Player.awards)
}

struct Player: TableRecord, Identifiable {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
        static let teamId = Column("teamId")
    }

    var id: Int64

    static let team = belongsTo(Team.self)
    static let awards = hasMany(Award.self)
    static let citizenships = hasMany(Citizenship.self)
    static let countries = hasMany(Country.self, through: citizenships, using: Citizenship.country)
}

struct Award: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let playerId = Column("playerId")
        static let title = Column("title")
    }

    static let player = belongsTo(Player.self)
    static let team = hasOne(Team.self, through: player, using: Player.team)
}

struct Country: TableRecord {
    enum Columns {
        static let code = Column("code")
        static let name = Column("name")
    }

    static let citizenships = hasMany(Citizenship.self)
}

struct Citizenship: TableRecord {
    static let player = belongsTo(Player.self)
    static let country = belongsTo(Country.self)
}

let leagueSchema = """
    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, color TEXT);
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER, teamId INTEGER REFERENCES team);
    CREATE TABLE award (id INTEGER PRIMARY KEY, playerId INTEGER REFERENCES player, title TEXT);
    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE citizenship (
        playerId INTEGER REFERENCES player, countryCode TEXT REFERENCES country, PRIMARY KEY (playerId, countryCode));
    CREATE VIEW champion AS SELECT id, name FROM player WHERE score > 100;
    INSERT INTO team VALUES (1, 'Reds', 'red'), (2, 'Blues', NULL), (3, 'Greens', 'green');
    INSERT INTO player VALUES (1, 'Anna', 100, 1), (2, 'Bob', 20, 1), (3, 'Cleo', 30, 2), (4, 'Dan', NULL, NULL);
    INSERT INTO award VALUES (1, 1, 'goal'), (2, 1, 'match'), (3, 3, 'season');
    INSERT INTO country VALUES ('FR', 'France'), ('DE', 'Germany');
    INSERT INTO citizenship VALUES (1, 'FR'), (1, 'DE'), (3, 'FR');
    """

/// Runs a test on the league.
func withLeague<T>(_ test: (Database) throws -> T) throws -> T {
    try DatabaseQueue().write { db in
        try db.execute(sql: leagueSchema)
        return try test(db)
    }
}

extension FetchRequest {
    /// Returns the SQL of the request, with its values.
    func expandedSQL(_ db: Database, forSingleResult singleResult: Bool = false) throws -> String {
        try makePreparedRequest(db, forSingleResult: singleResult).statement.expandedSQL
    }
}

extension Statement {
    var expandedSQL: String {
        let text = sqlite3_expanded_sql(sqliteStatement)!
        defer { sqlite3_free(text) }
        return String(cString: text)
    }
}

/// Expects the SQL of a request, which SQLite then runs, so that it is valid.
func expectSQL(
    _ request: some FetchRequest, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try withLeague { db in
        let actual = try request.expandedSQL(db)
        #expect(actual == sql, sourceLocation: sourceLocation)
        _ = try Row.fetchAll(request.makePreparedRequest(db, forSingleResult: false).statement)
    }
}

/// Expects the SQL that a request runs on the league, and the rows that it fetches.
func expectQuery(
    _ request: some FetchRequest, sourceLocation: SourceLocation = #_sourceLocation,
    sql: () -> String, rows: () -> String
) throws {
    try withLeague { db in
        try expectQuery(db, request, sourceLocation: sourceLocation, sql: sql, rows: rows)
    }
}

final class SQLLog: Sendable {
    private let log = Mutex<[String]>([])

    var statements: [String] { log.withLock { $0 } }

    func append(_ sql: String) { log.withLock { $0.append(sql) } }
}
