package import Amalgam
package import AmalgamCore
import AmalgamTesting
package import Testing

/// Expects the SQL that a request runs, and the rows that it fetches: `expectQuery` of AmalgamTesting, which says how they
/// are written.
///
/// ```swift
/// try expectQuery(db, Player.filter { $0.score > 10 }) {
///     #"SELECT * FROM "player" WHERE "score" > 10"#
/// } rows: {
///     """
///     1|Anna|12
///     2|Bo|20
///     """
/// }
/// ```
///
/// A failure is recorded, and the test continues. It prints both closures with the actual SQL and rows, ready to be pasted.
package func expectQuery(
    _ db: Database, _ request: some FetchRequest, sourceLocation: SourceLocation = #_sourceLocation,
    sql: () -> String, rows: () -> String
) throws {
    do {
        try AmalgamTesting.expectQuery(db, request, sql: sql, rows: rows)
    } catch let failure as ExpectationFailed {
        Issue.record("\(failure.message)", sourceLocation: sourceLocation)
    }
}
