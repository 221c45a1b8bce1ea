import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Regions of statements whose program reads more than SQLite reports to the authorizer.
struct ProgramRegionTests {
    static let schema = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name, teamId);
        CREATE TABLE team (teamId INTEGER PRIMARY KEY, city, motto);
        CREATE TABLE stadium (teamId, place, seats);
        CREATE INDEX stadiumOnTeam ON stadium(teamId);
        CREATE TABLE copy (teamId, place, seats);
        CREATE TABLE flag (teamId TEXT PRIMARY KEY, color) WITHOUT ROWID;
        CREATE TABLE ticket (id INTEGER PRIMARY KEY AUTOINCREMENT, price, tax AS (price / 5),
            total AS (price + tax) STORED);
        CREATE INDEX ticketOnTax ON ticket(tax);
        CREATE VIEW home AS SELECT place FROM player NATURAL JOIN stadium;
        CREATE TABLE doc (id INTEGER PRIMARY KEY, title, body, author);
        CREATE VIEW article AS SELECT id, title, body FROM doc;
        CREATE VIRTUAL TABLE page USING fts5(title, body);
        CREATE VIRTUAL TABLE words USING fts5vocab(page, row);
        CREATE VIRTUAL TABLE docIndex USING fts5(title, body, content='doc', content_rowid='id');
        CREATE VIRTUAL TABLE articleIndex USING fts5(title, body, content=article, content_rowid=id);
        CREATE VIRTUAL TABLE docWords USING fts5vocab(docIndex, col);
        CREATE VIRTUAL TABLE oldDoc USING fts4(title, body, content="doc");
        CREATE VIRTUAL TABLE oldWords USING fts4aux(oldDoc);
        CREATE VIRTUAL TABLE area USING rtree(id, x0, x1);
        """

    @Test(arguments: [
        // Columns of USING and NATURAL
        ("SELECT player.name FROM player JOIN team USING (teamId)", "player(name,teamId),team(*)"),
        ("SELECT count(*) FROM player JOIN stadium USING (teamId)", "player(teamId),stadium(teamId)"),
        ("SELECT player.name FROM player NATURAL JOIN stadium", "player(name,teamId),stadium(teamId)"),
        (
            "SELECT name, place FROM player LEFT JOIN stadium USING (teamId)",
            "player(name,teamId),stadium(place,teamId)"
        ),
        ("SELECT teamId FROM player FULL JOIN stadium USING (teamId)", "player(teamId),stadium(teamId)"),
        ("SELECT color FROM flag JOIN player USING (teamId)", "flag(color,teamId),player(teamId)"),
        (
            "SELECT p.name FROM player p JOIN team USING (teamId) JOIN stadium USING (teamId)",
            "player(name,teamId),stadium(teamId),team(*)"
        ),
        (
            "SELECT name FROM player WHERE id IN (SELECT seats FROM team NATURAL JOIN stadium)",
            "player(id,name),stadium(seats,teamId),team(*)"
        ),
        ("SELECT count(*) FROM sqlite_schema NATURAL JOIN (SELECT 'team' AS name)", "sqlite_master(name)"),
        // The same in a view, in a common table expression, and in a statement that writes
        ("SELECT * FROM home", "home(place),player(teamId),stadium(place,teamId)"),
        (
            "WITH x AS (SELECT city FROM team NATURAL JOIN stadium) SELECT city FROM x",
            "stadium(teamId),team(city,teamId)"
        ),
        (
            "INSERT INTO ticket (price) SELECT seats FROM team NATURAL JOIN stadium",
            "stadium(seats,teamId),team(*)"
        ),
        // A copy of whole rows
        ("INSERT INTO copy SELECT * FROM stadium", "stadium(place,seats,teamId)"),
        // A generated column is computed from others
        ("SELECT tax FROM ticket", "ticket(price,tax)"),
        ("SELECT total FROM ticket", "ticket(price,tax,total)"),
        ("SELECT count(*) FROM ticket WHERE tax > 1", "ticket(price,tax)"),
        // Counters of AUTOINCREMENT aren't read by the statement
        ("INSERT INTO ticket (price) VALUES (1)", "empty"),
    ])
    func columns(sql: String, region: String) throws {
        try makeQueue(Self.schema).read { db in
            try #expect(db.makeStatement(sql: sql).databaseRegion.description == region)
        }
    }

    /// A search compares all columns. A virtual table also reads the tables behind it.
    @Test(arguments: [
        ("SELECT title FROM page WHERE page MATCH 'a'", "page(*)"),
        ("SELECT rowid FROM page('a')", "page(*)"),
        ("SELECT highlight(page, 1, '', '') FROM page", "page(*)"),
        ("SELECT term FROM words", "page(*),words(*)"),
        ("SELECT title FROM docIndex", "doc(*),docIndex(*)"),
        ("SELECT term FROM docWords", "doc(*),docIndex(*),docWords(*)"),
        ("SELECT title FROM articleIndex", "article(*),articleIndex(*),doc(body,id,title)"),
        ("SELECT body FROM oldDoc", "doc(*),oldDoc(*)"),
        ("SELECT term FROM oldWords", "doc(*),oldDoc(*),oldWords(*)"),
        ("SELECT x0 FROM area", "area(*)"),
        ("SELECT name FROM player WHERE id IN (SELECT rowid FROM docIndex('a'))", "doc(*),docIndex(*),player(id,name)"),
        ("SELECT count(*) FROM dbstat", "full database"),
        ("SELECT count(*) FROM sqlite_dbpage", "full database"),
        ("SELECT value FROM json_each('[1]')", "json_each(value)"),
    ])
    func virtualTables(sql: String, region: String) throws {
        try makeQueue(Self.schema).read { db in
            try #expect(db.makeStatement(sql: sql).databaseRegion.description == region)
        }
    }

    @Test func theRegionOfATableIsThatOfItsRows() throws {
        try makeQueue(Self.schema).read { db in
            try #expect(Table("docIndex").databaseRegion(db).description == "doc(*),docIndex(*)")
            try #expect(Table("page").databaseRegion(db).description == "page(*)")
            try #expect(Table("doc").databaseRegion(db).description == "doc(*)")
        }
    }

    @Test func indexesThatReadEachOtherHaveARegion() throws {
        try makeQueue(
            """
            CREATE VIRTUAL TABLE a USING fts5(x, content=b);
            CREATE VIRTUAL TABLE b USING fts5(x, content=a);
            CREATE VIRTUAL TABLE lost USING fts5(x, content=nowhere);
            """
        ).read { db in
            try #expect(db.makeStatement(sql: "SELECT x FROM a").databaseRegion.description == "a(*),b(*)")
            try #expect(db.makeStatement(sql: "SELECT x FROM lost").databaseRegion.description == "lost(*)")
        }
    }

    @Test func aRegionFollowsTheSchema() throws {
        try makeQueue(Self.schema).inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT place FROM home")
            #expect(statement.databaseRegion.description == "home(place),player(teamId),stadium(place,teamId)")
            try db.execute(
                sql: "DROP VIEW home; CREATE VIEW home AS SELECT city AS place FROM team JOIN flag USING (teamId)")
            #expect(statement.databaseRegion.description == "flag(teamId),home(place),team(city,teamId)")
        }
    }
}
