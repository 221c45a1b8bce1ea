package import Amalgam
package import AmalgamCore
package import AmalgamSessions

extension Database {
    /// Creates the content of most tests: two teams, and three players.
    package func createTeams() throws {
        try execute(
            sql: """
                CREATE TABLE team (
                  id INTEGER PRIMARY KEY,
                  name TEXT NOT NULL);
                CREATE TABLE player (
                  id INTEGER PRIMARY KEY,
                  name TEXT NOT NULL,
                  score INTEGER,
                  teamId INTEGER REFERENCES team(id) ON DELETE CASCADE ON UPDATE CASCADE);
                INSERT INTO team VALUES (1, 'Reds'), (2, 'Blues');
                INSERT INTO player VALUES (1, 'Anna', 10, 1), (2, 'Bo', 20, 1), (3, 'Cleo', NULL, 2);
                """)
    }

    /// Returns the SQL that a closure runs, with its arguments.
    package func tracing(_ body: () throws -> Void) rethrows -> [String] {
        try traced({ $0.expandedDescription }, body)
    }

    /// Returns the SQL that a closure runs, with placeholders.
    package func tracedSQL(_ body: () throws -> Void) rethrows -> [String] {
        try traced({ $0.description }, body)
    }

    private func traced(
        _ text: @escaping (TraceEvent) -> String, _ body: () throws -> Void
    ) rethrows -> [String] {
        var sql: [String] = []
        trace { sql.append(text($0)) }
        defer { trace() }
        try body()
        return sql
    }

    /// The names of all players.
    package var playerNames: [String] {
        get throws { try String.fetchAll(self, sql: "SELECT name FROM player ORDER BY id") }
    }

    /// Returns the rows of a table: `1|Anna|10`.
    package func rows(of table: String) throws -> [String] {
        try Row.fetchAll(self, sql: "SELECT * FROM \(table) ORDER BY 1").map { row in
            (0..<row.count).map { index in
                let value: DatabaseValue = row[index]
                return value.isNull ? "NULL" : String.fromDatabaseValue(value) ?? value.description
            }.joined(separator: "|")
        }
    }

    /// Fetches an integer.
    package func integer(_ sql: String) throws -> Int? { try Int.fetchOne(self, sql: sql) }
}

/// Opens a queue in memory with a schema.
package func makeQueue(_ schema: String, configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.inDatabase { try $0.execute(sql: schema) }
    return dbQueue
}

/// A table of players.
package let playerSchema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"

extension RecordedChanges {
    /// One line per change, sorted: SQLite stores the changes of a table in no particular order.
    package var lines: [String] {
        get throws { try Array(changes().map(\.description)).sorted() }
    }
}
