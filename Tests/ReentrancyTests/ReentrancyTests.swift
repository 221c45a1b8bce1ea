import ChildProcesses
import Foundation
import Testing

/// Callbacks of SQLite that use the connection which calls them: the result is a clear error or a right answer, never a
/// crash, a hang, a corrupt file or a row that observers don't receive.
///
/// `amalgam-reentrancy` runs the scenarios in processes of their own: see Tests/Reentrancy.
@Suite(.serialized) struct ReentrancyTests {
    /// The number of seeds can be set for longer searches: scripts/proof/sanitize runs 200,000.
    private static let count = ProcessInfo.processInfo.environment["AMALGAM_REENTRANCY_SEQUENCES"] ?? "2000"

    @Test func scenariosOfManySeeds() throws {
        let (lines, end) = try run(["search", Self.count])
        #expect(lines == [])
        #expect(end == .exit(0))
    }

    /// Scenarios that once crashed, corrupted the file or lost a row: under AddressSanitizer, all of them.
    @Test(arguments: [
        // The program under way, and its rows, point into a schema that is thrown away.
        "observer; updateFunction; function:addColumn", "observer; updateFunction; function:addColumnHere",
        "session; updateFunction; function:addColumn", "observer; updateFunction; function:dropIndex function:read",
        // A program that changes the schema, and finds its object there already.
        "; indexCollated; collation:dropColumn",
        // An index that is built while its table changes.
        "; indexCollated; collation:delete", "; indexCollated; collation:replace",
        // A rollback in the middle of the search of a b-tree.
        "; insertCollated; collation:inSavepoint",
        // A rollback before the statement that calls the function has opened its cursors.
        "; deleteFunction; function:inSavepoint",
        // A row that is inserted into the table of a query while its words are read.
        "; searchDocuments; tokenizer:insertDocument",
        // A rollback in the closure that resolves a conflict.
        "; applyInverted; conflict:rollback",
        // A row that is deleted while a DELETE statement reads its rowid.
        "foreignKeys; deleteFunction; function:read function:read function:replace",
        // An index that the statement under way doesn't know.
        "; updateFunction; function:createIndex",
        // A virtual table that is dropped, and a database that is vacuumed, while a statement is compiled or begins.
        "; selectTable; tableBestIndex:dropVirtualTable!", "; selectTable; tableOpen:dropVirtualTable",
        "; deleteTable; tableBestIndex:vacuum!", "authorizer; deleteTable; tableBestIndex:vacuum!",
        // The end of other statements replaces the message of an error.
        "cursor; searchDocuments vacuum; auxiliaryFunction:releaseOnOtherThread!",
        // A blob points into a schema that is thrown away.
        "observer transaction blob; alter writeBlob; ", "session transaction blob; alter writeBlob; ",
        // A filter that releases its session.
        "filteredSession; update; sessionFilter:releaseSession",
        "filteredSession; update; sessionFilter:releaseOnOtherThread",
        // A session that ends while it records a change: SQLite traces the rows of its statements.
        "session traceRows; failHalfway; traceRow:releaseSession traceRow:renameTable!",
        // Observers that use the connection in the middle of a change.
        "observer; update; willChange:replace", "observer; update; didChange:addColumnHere",
        "observer; update; willCommit:rollback", "observer blob; writeBlob; willChange:closeBlob",
        "observer blob; writeBlob; observes:closeBlob",
        // A busy callback that uses the connection that waits.
        "file otherConnection; waitForLock; busy:update",
        // A conflict closure changes the schema, while a session records what is applied.
        "filteredSession foreignKeys; applyInverted; conflict:addObserver! conflict:dropIndex",
        // SQLite compiles a statement again at its first step, and a cursor goes on.
        "observer writingCursor otherConnection; truncate; observes:otherConnectionAlters",
    ])
    func scenariosThatOnceFailed(_ text: String) throws {
        let (lines, end) = try run(["replay", text])
        #expect(lines == [])
        #expect(end == .exit(0))
    }

    /// A search finds what is wrong, and what it takes: here, a text that is no scenario.
    @Test func aTextThatIsNoScenarioIsRefused() throws {
        let (lines, end) = try run(["replay", "observer; jump; function:read"])
        #expect(lines == [])
        #expect(end == .exit(2))
    }

    /// Seeds give the same scenario on each machine, so that a failure can be replayed elsewhere.
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
