import Amalgam
import AmalgamCore
import Testing

let id = Column("id")
let name = Column("name")
let score = Column("score")
let teamId = Column("teamId")

extension SQLExpressible {
    /// Returns the SQL of the expression, with its values.
    func literalSQL(_ db: Database) throws -> String {
        var writer = SQLWriter(db, writesLiterals: true)
        try sqlExpression.node.write(to: &writer)
        return writer.sql
    }

    /// Returns the SQL of the expression, and the values of its parameters.
    func parameterSQL(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var writer = SQLWriter(db)
        try sqlExpression.node.write(to: &writer)
        return (writer.sql, writer.arguments)
    }

    /// Returns the value of the expression for each player.
    func values(_ db: Database) throws -> [DatabaseValue] {
        let (sql, arguments) = try parameterSQL(db)
        return try DatabaseValue.fetchAll(db, sql: "SELECT \(sql) FROM player ORDER BY id", arguments: arguments)
    }
}

/// Expects the SQL of an expression of a player: with literal values, and with parameters for them. SQLite compiles the
/// SQL, so that it is valid.
func expectExpression(
    _ expression: some SQLExpressible, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try withLeague { db in
        let literalSQL = try expression.literalSQL(db)
        #expect(literalSQL == sql, sourceLocation: sourceLocation)
        let (text, arguments) = try expression.parameterSQL(db)
        let statement = try db.makeStatement(sql: "SELECT \(text) FROM player")
        try statement.setArguments(arguments)
        let expandedSQL = statement.expandedSQL
        #expect(expandedSQL == "SELECT \(sql) FROM player", sourceLocation: sourceLocation)
    }
}

/// Expects the values of an expression for Anna (100 points), Bob (20), Cleo (30) and Dan (NULL).
func expectValues(
    _ expression: some SQLExpressible, _ values: [(any DatabaseValueConvertible)?],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try withLeague { db in
        let actual = try expression.values(db)
        #expect(actual == values.map { $0?.databaseValue ?? .null }, sourceLocation: sourceLocation)
    }
}

/// Expects a `DatabaseError` with this code and message.
func expectError(
    _ code: ResultCode, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.resultCode == code, sourceLocation: sourceLocation)
    #expect(error?.message == message, sourceLocation: sourceLocation)
}
