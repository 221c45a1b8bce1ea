import Amalgam
import CAmalgam

// A value meets the database on two paths: as a `DatabaseValue`, and straight from a statement. Facts are written
// as SQL expressions, and checked on both.

/// Calls `body` with an empty database in memory.
///
/// The compiler does not look for `try` inside of `#expect`: a closure that has no other is written `{ (db) throws in`.
func withDatabase<T>(_ body: (Database) throws -> T) throws -> T {
    try DatabaseQueue().inDatabase(body)
}

/// The stored value of an SQL expression.
func stored(_ expression: String, arguments: StatementArguments = []) throws -> DatabaseValue {
    try withDatabase { db in
        try DatabaseValue.fetchOne(db, sql: "SELECT \(expression)", arguments: arguments)!
    }
}

/// The value of an SQL expression, decoded straight from the statement; nil for NULL.
///
/// - throws: `RowDecodingError` when it does not convert.
func fetched<T: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: T.Type = T.self, _ expression: String, arguments: StatementArguments = []
) throws -> T? {
    try withDatabase { db in
        try T.fetchOne(db, sql: "SELECT \(expression)", arguments: arguments)
    }
}

/// The value of an SQL expression on both paths, which must agree; nil when it does not convert.
func decoded<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ type: T.Type = T.self, _ expression: String
) throws -> T? {
    let copied = T.fromDatabaseValue(try stored(expression))
    let direct = fetchedOrMismatch(type, expression)
    guard copied == direct else { throw PathsDisagree(copied: "\(copied as Any)", direct: "\(direct as Any)") }
    return copied
}

/// As `fetched`, with nil for a value that does not convert.
func fetchedOrMismatch<T: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: T.Type = T.self, _ expression: String
) -> T? {
    try? fetched(type, expression)
}

struct PathsDisagree: Error {
    var copied: String
    var direct: String
}

/// A value that went to a database and back, straight from the statement.
func roundTrip<T: DatabaseValueConvertible & StatementColumnConvertible>(_ value: T) throws -> T? {
    try fetched(T.self, "?", arguments: [value])
}

/// The result code of binding a value to the parameter of a statement.
///
/// - Parameter sizeLimit: the longest text or blob that the connection takes.
func bindingResult(_ value: some StatementBinding, at index: CInt = 1, sizeLimit: CInt? = nil) throws -> CInt {
    try withDatabase { db in
        if let sizeLimit { sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, sizeLimit) }
        let statement = try db.makeStatement(sql: "SELECT ?")
        return withExtendedLifetime(statement) { value.bind(to: statement.sqliteStatement, at: index) }
    }
}

/// What SQLite says of a value: `integer`, `real`, `text`, `blob` or `null`, and the value as SQL.
func sql(_ value: some DatabaseValueConvertible) throws -> String {
    try withDatabase { db in
        try String.fetchOne(db, sql: "SELECT typeof(?1) || ' ' || quote(?1)", arguments: [value])!
    }
}

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
