import ChildProcesses
import Foundation
import Testing

/// Callbacks of SQLite that use the connection which calls them: the result is a clear error or a correct answer, never
/// a crash, a hang, a corrupt file or a row change without an event.
///
/// `amalgam-reentrancy` runs the scenarios in separate processes: see Tests/Reentrancy.
@Suite(.serialized) struct ReentrancyTests {
    /// The number of seeds can be set for longer searches: scripts/proof/sanitize runs 200,000.
    private static let count = ProcessInfo.processInfo.environment["AMALGAM_REENTRANCY_SEQUENCES"] ?? "2000"

    @Test func scenariosOfManySeeds() throws {
        let (lines, end) = try run(["search", Self.count])
        #expect(lines == [])
        #expect(end == .exit(0))
    }

    /// Scenarios that once crashed, corrupted the file or missed a row: under AddressSanitizer, all of them.
    @Test(arguments: [
        // The running program, and its rows, point into a discarded schema.
        "observer; updateFunction; function:addColumn", "observer; updateFunction; function:addColumnHere",
        "session; updateFunction; function:addColumn", "observer; updateFunction; function:dropIndex function:read",
        // A program that changes the schema finds that its object already exists.
        "; indexCollated; collation:dropColumn",
        // An index is built while its table changes.
        "; indexCollated; collation:delete", "; indexCollated; collation:replace",
        // A rollback during the search of a b-tree.
        "; insertCollated; collation:inSavepoint",
        // A rollback before the statement that calls the function has opened its cursors.
        "; deleteFunction; function:inSavepoint",
        // A row is inserted into the table of a query while its words are read.
        "; searchDocuments; tokenizer:insertDocument",
        // A rollback in the closure that resolves a conflict.
        "; applyInverted; conflict:rollback",
        // A row is deleted while a DELETE statement reads its rowid.
        "foreignKeys; deleteFunction; function:read function:read function:replace",
        // An index that the running statement doesn't know.
        "; updateFunction; function:createIndex",
        // A virtual table is dropped, or a database is vacuumed, while a statement is compiled or begins.
        "; selectTable; tableBestIndex:dropVirtualTable!", "; selectTable; tableOpen:dropVirtualTable",
        "; deleteTable; tableBestIndex:vacuum!", "authorizer; deleteTable; tableBestIndex:vacuum!",
        // The end of other statements replaces the message of an error.
        "cursor; searchDocuments vacuum; auxiliaryFunction:releaseOnOtherThread!",
        // A blob points into a discarded schema.
        "observer transaction blob; alter writeBlob; ", "session transaction blob; alter writeBlob; ",
        // A filter releases its session.
        "filteredSession; update; sessionFilter:releaseSession",
        "filteredSession; update; sessionFilter:releaseOnOtherThread",
        // A session ends while it records a change: SQLite traces the rows of its statements.
        "session traceRows; failHalfway; traceRow:releaseSession traceRow:renameTable!",
        // Observers use the connection during a change.
        "observer; update; willChange:replace", "observer; update; didChange:addColumnHere",
        "observer; update; willCommit:rollback", "observer blob; writeBlob; willChange:closeBlob",
        "observer blob; writeBlob; observes:closeBlob",
        // A busy callback uses the connection that waits.
        "file otherConnection; waitForLock; busy:update",
        // A conflict closure changes the schema, while a session records the applied changes.
        "filteredSession foreignKeys; applyInverted; conflict:addObserver! conflict:dropIndex",
        // SQLite compiles a statement again at its first step, and a cursor continues.
        "observer writingCursor otherConnection; truncate; observes:otherConnectionAlters",
    ])
    func scenariosThatOnceFailed(_ text: String) throws {
        let (lines, end) = try run(["replay", text])
        #expect(lines == [])
        #expect(end == .exit(0))
    }

    /// Text that isn't a scenario is refused.
    @Test func aTextThatIsNoScenarioIsRefused() throws {
        let (lines, end) = try run(["replay", "observer; jump; function:read"])
        #expect(lines == [])
        #expect(end == .exit(2))
    }

    /// A seed results in the same scenario on each machine, so that a failure can be replayed.
    @Test func aSeedStandsForOneScenario() throws {
        let first = try run(["show", "17"])
        #expect(first.lines.count == 1)
        try #expect(run(["show", "17"]).lines == first.lines)
    }

    private func run(_ arguments: [String]) throws -> (lines: [String], end: ChildProcess.End) {
        let process = try ChildProcess("amalgam-reentrancy", arguments)
        return (process.remainingLines(), process.wait())
    }
}
