import Amalgam
import CAmalgam

// A value is read in two ways: as a `DatabaseValue`, and directly from a statement. Facts are written as SQL
// expressions, and checked in both ways.

/// Calls `body` with an empty database in memory.
///
/// The compiler doesn't look for `try` inside `#expect`: a closure without another `try` is written `{ (db) throws in`.
func withDatabase<T>(_ body: (Database) throws -> T) throws -> T {
    try DatabaseQueue().inDatabase(body)
}

/// Returns the stored value of an SQL expression.
func stored(_ expression: String, arguments: StatementArguments = []) throws -> DatabaseValue {
    try withDatabase { db in
        try DatabaseValue.fetchOne(db, sql: "SELECT \(expression)", arguments: arguments)!
    }
}

/// Returns the value of an SQL expression, decoded directly from the statement; nil for NULL.
///
/// - Throws: `RowDecodingError` if it doesn't convert.
func fetched<T: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: T.Type = T.self, _ expression: String, arguments: StatementArguments = []
) throws -> T? {
    try withDatabase { db in
        try T.fetchOne(db, sql: "SELECT \(expression)", arguments: arguments)
    }
}

/// Returns the value of an SQL expression read in both ways, which must agree; nil if it doesn't convert.
func decoded<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ type: T.Type = T.self, _ expression: String
) throws -> T? {
    let copied = T.fromDatabaseValue(try stored(expression))
    let direct = fetchedOrMismatch(type, expression)
    guard copied == direct else { throw PathsDisagree(copied: "\(copied as Any)", direct: "\(direct as Any)") }
    return copied
}

/// Like `fetched`, with nil for a value that doesn't convert.
func fetchedOrMismatch<T: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: T.Type = T.self, _ expression: String
) -> T? {
    try? fetched(type, expression)
}

struct PathsDisagree: Error {
    var copied: String
    var direct: String
}

/// Returns a value after it was bound and read directly from the statement.
func roundTrip<T: DatabaseValueConvertible & StatementColumnConvertible>(_ value: T) throws -> T? {
    try fetched(T.self, "?", arguments: [value])
}

/// Returns the result code of binding a value to the parameter of a statement.
///
/// - Parameter sizeLimit: The maximum length of strings and blobs of the connection.
func bindingResult(_ value: some StatementBinding, at index: CInt = 1, sizeLimit: CInt? = nil) throws -> CInt {
    try withDatabase { db in
        if let sizeLimit { sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, sizeLimit) }
        let statement = try db.makeStatement(sql: "SELECT ?")
        return withExtendedLifetime(statement) { value.bind(to: statement.sqliteStatement, at: index) }
    }
}

/// Returns SQLite's description of a value: `integer`, `real`, `text`, `blob` or `null`, and the value as SQL.
func sql(_ value: some DatabaseValueConvertible) throws -> String {
    try withDatabase { db in
        try String.fetchOne(db, sql: "SELECT typeof(?1) || ' ' || quote(?1)", arguments: [value])!
    }
}
