package import AmalgamCore

/// What a request comes down to: a statement that is not compiled yet.
package struct RequestPlan {
    package var sql: String
    package var arguments: StatementArguments
    package var adapter: (any RowAdapter)?
    package var prefetch: Prefetch?

    /// The rows that are read, when somebody wants to know and when they are known.
    var knownRows: (table: String, rowIDs: Set<Int64>)?

    /// Fetches the rows of associations to many, and gives them to the rows they belong to.
    package typealias Prefetch = (Database, [Row]) throws -> Void
}

/// A request that knows its statement before it is compiled, so that the connection may have it already.
protocol PlannedRequest {
    func plan(_ db: Database, forSingleResult singleResult: Bool) throws -> RequestPlan
}

extension PlannedRequest {
    func prepared(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        let plan = try plan(db, forSingleResult: singleResult)
        let statement = try db.makeStatement(sql: plan.sql)
        try statement.setArguments(plan.arguments)
        return PreparedRequest(statement: statement, adapter: plan.adapter, prefetch: plan.prefetch)
    }
}

extension FetchRequest {
    /// Runs a closure with the statement of the request, which nobody else uses meanwhile.
    package func withStatement<T>(
        _ db: Database, forSingleResult singleResult: Bool = false,
        _ body: (Statement, (any RowAdapter)?, RequestPlan.Prefetch?) throws -> T
    ) throws -> T {
        guard let planned = self as? any PlannedRequest else {
            let request = try makePreparedRequest(db, forSingleResult: singleResult)
            return try body(request.statement, request.adapter, request.prefetch)
        }
        let plan = try planned.plan(db, forSingleResult: singleResult)
        return try db.withStatement(sql: plan.sql) { statement in
            try statement.setArguments(plan.arguments)
            guard let knownRows = plan.knownRows else { return try body(statement, plan.adapter, plan.prefetch) }
            return try db.withKnownRows(knownRows.rowIDs, of: knownRows.table, readBy: statement) {
                try body(statement, plan.adapter, plan.prefetch)
            }
        }
    }

    /// The statement of the request, for a cursor.
    ///
    /// - throws: `SQLITE_MISUSE` when rows of associations to many have to be fetched as well.
    package func makeCursorRequest(_ db: Database) throws -> PreparedRequest {
        let request = try makePreparedRequest(db, forSingleResult: false)
        if request.prefetch != nil {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented: fetchCursor with supplementary fetch. Use fetchAll, fetchSet, or fetchOne.")
        }
        return request
    }
}
