import Amalgam
import AmalgamCore
import Testing

extension Database {
    /// The story of most tests: two teams, and three players.
    func createTeams() throws {
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

    /// The SQL that runs meanwhile, with its arguments.
    func tracing(_ body: () throws -> Void) rethrows -> [String] {
        var sql: [String] = []
        trace { sql.append($0.expandedDescription) }
        defer { trace() }
        try body()
        return sql
    }

    /// The names of all players.
    var playerNames: [String] {
        get throws { try String.fetchAll(self, sql: "SELECT name FROM player ORDER BY id") }
    }
}

/// Expects a `DatabaseError` with this primary code, message and SQL.
@discardableResult
func expectError(
    _ code: ResultCode, _ message: String, sql: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
    guard let error else { return nil }
    #expect(error.resultCode == code, sourceLocation: sourceLocation)
    #expect(error.message == message, sourceLocation: sourceLocation)
    #expect(error.sql == sql, sourceLocation: sourceLocation)
    return error
}

/// Expects a `RowDecodingError` with this text.
func expectDecodingError(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    let error = #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error?.description == text, sourceLocation: sourceLocation)
}

/// A value that decodes from stored values only: it takes the long way out of a statement.
struct Name: DatabaseValueConvertible, Hashable, ExpressibleByStringLiteral {
    var text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    var databaseValue: DatabaseValue { text.databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Name? {
        String.fromDatabaseValue(dbValue).map { Name($0) }
    }
}
