package import AmalgamCore

/// The SQL, arguments and adapter of a request, before its statement is compiled.
package struct RequestPlan {
    package var sql: String
    package var arguments: StatementArguments
    package var adapter: (any RowAdapter)?
    package var prefetch: Prefetch?

    /// The rows that the statement reads, such as the row with `id = 1`. Nil if the statement may read any row, and
    /// while no observation records the reads of the connection.
    var knownRows: RequestedRows?

    /// Fetches the rows of to-many associations, and stores them in the given rows of the request.
    package typealias Prefetch = (Database, [Row]) throws -> Void
}

/// The rows of one table that a request reads.
struct RequestedRows {
    let table: String
    let rows: KnownRows

    /// Runs a closure that starts a statement. With its current arguments, the statement reads only `rows` of `table`.
    /// An observation whose fetch calls this method can track `rows` instead of the whole table.
    func reading<T>(_ db: Database, by statement: Statement, _ body: () throws -> T) rethrows -> T {
        try db.withKnownRows(rows, of: table, readBy: statement, body)
    }
}

extension RequestedRows {
    /// - Returns: nil while no observation records the reads of the connection, and if the request may read any row.
    init?(_ query: SelectQuery) throws {
        guard query.db.isRecordingAccess else { return nil }
        self.init(table: query.root.scope.source.name, rows: try query.knownRows)
        if rows.areAll { return nil }
    }
}

/// A request whose SQL is known before compilation, so that the connection can use a cached statement.
protocol PlannedRequest {
    func plan(_ db: Database, forSingleResult singleResult: Bool) throws -> RequestPlan
}

extension PlannedRequest {
    func prepared(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        let plan = try plan(db, forSingleResult: singleResult)
        let statement = try db.makeStatement(sql: plan.sql)
        try statement.setArguments(plan.arguments)
        var request = PreparedRequest(statement: statement, adapter: plan.adapter, prefetch: plan.prefetch)
        request.knownRows = plan.knownRows
        return request
    }
}

extension FetchRequest {
    /// Runs a closure with the statement of the request. No other code uses the statement during the call.
    package func withStatement<T>(
        _ db: Database, forSingleResult singleResult: Bool = false,
        _ body: (Statement, (any RowAdapter)?, RequestPlan.Prefetch?) throws -> T
    ) throws -> T {
        guard let planned = self as? any PlannedRequest else {
            let request = try makePreparedRequest(db, forSingleResult: singleResult)
            return try request.reading(db) { try body(request.statement, request.adapter, request.prefetch) }
        }
        let plan = try planned.plan(db, forSingleResult: singleResult)
        return try db.withStatement(sql: plan.sql) { statement in
            try statement.setArguments(plan.arguments)
            guard let knownRows = plan.knownRows else { return try body(statement, plan.adapter, plan.prefetch) }
            return try knownRows.reading(db, by: statement) { try body(statement, plan.adapter, plan.prefetch) }
        }
    }

    /// Runs a closure that creates a cursor from the request's statement and row adapter.
    ///
    /// - Throws: `SQLITE_MISUSE` if the request includes to-many associations.
    package func withCursorStatement<T>(
        _ db: Database, _ body: (Statement, (any RowAdapter)?) throws -> T
    ) throws -> T {
        let request = try makePreparedRequest(db, forSingleResult: false)
        if request.prefetch != nil {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented: fetchCursor with supplementary fetch. Use fetchAll, fetchSet, or fetchOne.")
        }
        return try request.reading(db) { try body(request.statement, request.adapter) }
    }
}

extension PreparedRequest {
    /// Runs a closure that starts the statement with its current arguments. An observation can track the `knownRows`
    /// instead of the whole table.
    func reading<T>(_ db: Database, _ body: () throws -> T) rethrows -> T {
        guard let knownRows else { return try body() }
        return try knownRows.reading(db, by: statement, body)
    }
}
