public import AmalgamCore
public import AmalgamInspection
public import AmalgamQuery

/// Expects that an execution plan uses an index.
///
/// ```swift
/// let plan = try db.queryPlan(sql: "SELECT * FROM player WHERE name = 'Anna'")
/// try expectPlan(plan, usesIndex: "player_on_name")
/// ```
///
/// SQLite chooses a plan by the statistics of `ANALYZE`, if there are any: <https://sqlite.org/optoverview.html>. A test
/// with little content and without statistics sees the plan that SQLite prefers for tables of unknown size.
///
/// - Throws: ``ExpectationFailed``, with the plan.
public func expectPlan(
    _ plan: QueryPlan, usesIndex name: String, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
) throws {
    if plan.usesIndex(name) { return }
    throw ExpectationFailed(
        "The plan doesn't use the index \(name):\n\(plan)", at: CodeLocation(fileID, filePath, line, column))
}

/// Expects that the execution plan of a request uses an index.
///
/// ```swift
/// try expectPlan(db, Player.filter { $0.name == "Anna" }, usesIndex: "player_on_name")
/// // EXPLAIN QUERY PLAN SELECT * FROM "player" WHERE "name" = 'Anna'
/// ```
///
/// The plan is that of the first statement. `including(all:)` fetches the rows of an association by a second one: pass its
/// request to another call.
///
/// - Throws: ``ExpectationFailed`` if the plan doesn't use the index, or if there is no such index; a `DatabaseError` if the
///   request doesn't compile.
public func expectPlan(
    _ db: Database, _ request: some FetchRequest, usesIndex name: String, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws {
    let plan = try request.makePreparedRequest(db, forSingleResult: false).statement.queryPlan()
    try expectPlan(plan, of: db, usesIndex: name, at: CodeLocation(fileID, filePath, line, column))
}

/// Expects that the execution plan of a statement uses an index.
///
/// ```swift
/// try expectPlan(db, sql: "DELETE FROM player WHERE name = ?", usesIndex: "player_on_name")
/// ```
///
/// - Parameter arguments: The arguments of the statement, which influence the plan if `ANALYZE` has collected statistics on
///   the values. Missing arguments are NULL.
/// - Throws: ``ExpectationFailed`` if the plan doesn't use the index, or if there is no such index; a `DatabaseError` if the
///   SQL doesn't compile.
public func expectPlan(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(), usesIndex name: String,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws {
    let plan = try db.queryPlan(sql: sql, arguments: arguments)
    try expectPlan(plan, of: db, usesIndex: name, at: CodeLocation(fileID, filePath, line, column))
}

private func expectPlan(
    _ plan: QueryPlan, of db: Database, usesIndex name: String, at location: CodeLocation
) throws {
    if plan.usesIndex(name) { return }
    let isKnown = try db.schemaObjects().contains { object in
        object.kind == .index && object.name.lowercased() == name.lowercased()
    }
    let problem = isKnown ? "The plan doesn't use the index \(name)" : "There is no index \(name). The plan is"
    throw ExpectationFailed("\(problem):\n\(plan)", at: location)
}
