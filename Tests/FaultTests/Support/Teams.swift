import Amalgam

extension Database {
    /// Creates two teams and three players.
    func createTeams() throws {
        try execute(
            sql: """
                CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE player (
                  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score REAL,
                  teamId INTEGER REFERENCES team(id) ON DELETE CASCADE);
                INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO player VALUES (1, 'Anna', 10, 1), (2, 'Bo', 20.5, 1), (3, 'Cleo', NULL, 2);
                """)
    }

    /// Creates enough rows to fill several pages.
    func createPages() throws {
        try execute(
            sql: """
                CREATE TABLE page (id INTEGER PRIMARY KEY, content BLOB);
                WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 30)
                INSERT INTO page SELECT x, zeroblob(1000) FROM n
                """)
    }
}
