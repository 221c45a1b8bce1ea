import AmalgamCore
import AmalgamQuery

/// A statement that writes one record: its SQL and its arguments.
struct RecordStatement {
    var sql: String
    var arguments: StatementArguments

    /// Runs the statement without a RETURNING clause.
    func run(_ db: Database) throws {
        try db.withStatement(sql: sql) { try $0.execute(arguments: arguments) }
    }

    /// Runs the statement with the given RETURNING clause, and returns its result.
    func run<T>(_ db: Database, _ returning: Returning<T>, from tableName: String) throws -> T {
        var statement = self
        if let selection = returning.selection { try statement.append(returning: selection, db, tableName) }
        return try db.withStatement(sql: statement.sql) { try returning.run($0, statement.arguments) }
    }

    /// Appends the RETURNING clause: ` RETURNING "score"`.
    private mutating func append(
        returning selection: [any SQLSelectable], _ db: Database, _ tableName: String
    ) throws {
        if selection.isEmpty { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "Invalid empty selection") }
        var writer = SQLWriter(db, table: tableName)
        writer.append(" RETURNING ")
        try writer.append(selection.map(\.sqlSelection.node))
        sql += writer.sql
        if !writer.arguments.isEmpty { arguments += writer.arguments }
    }
}

/// The RETURNING clause of a statement that writes a row, and a closure that runs the statement:
/// <https://sqlite.org/lang_returning.html>.
///
/// The result `T` is `Void`, a record, or the result of the caller's closure. Therefore, the methods that write a
/// record share one generic implementation.
struct Returning<T> {
    /// The columns of the RETURNING clause; nil for a statement without the clause.
    let selection: [any SQLSelectable]?

    /// Whether the caller's closure runs the statement.
    var runsClosure = false

    /// Runs the statement, and returns its result.
    let run: (Statement, StatementArguments) throws -> T
}

extension Returning<Void> {
    /// No result. The statement has no RETURNING clause.
    static var nothing: Returning { Returning(selection: nil) { try $0.execute(arguments: $1) } }
}

extension Returning {
    /// The result of the caller's closure, which must run the statement.
    static func fetching(
        _ selection: [any SQLSelectable], _ fetch: @escaping (Statement) throws -> T
    ) -> Returning {
        Returning(selection: selection, runsClosure: true) { statement, arguments in
            try statement.setArguments(arguments)
            let runNumber = statement.runNumber
            let fetched = try fetch(statement)
            if statement.runNumber == runNumber { throw notRun(statement) }
            return fetched
        }
    }

    private static func notRun(_ statement: Statement) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "The closure that fetches has not run the statement: nothing was written.", sql: statement.sql)
    }

    /// The written row as a record; nil if no row was written because of a conflict.
    static func record<Record: FetchableRecord & TableRecord>(_ type: Record.Type) -> Returning<Record?>
    where T == Record? {
        var returning = Returning<Record?>.fetching(Record.databaseSelection) { try Record.fetchOne($0) }
        returning.runsClosure = false
        return returning
    }
}
