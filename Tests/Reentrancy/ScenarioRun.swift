import Amalgam
import Foundation

/// The run of one scenario: a connection, its fixtures, and the steps that callbacks have not performed yet.
final class ScenarioRun: @unchecked Sendable {
    // Sendable: used on one thread. Other threads run while that one waits for them.

    /// The current run, for callbacks without a context.
    nonisolated(unsafe) static var current: ScenarioRun?

    let db: Database
    let scenario: Scenario
    let other: DatabaseQueue?
    let rowModel: RowModel
    private var steps: [Scenario.Step]
    private var depth = 0

    /// Unexpected errors, and other defects.
    private(set) var defects: [String] = []

    // Objects that actions close, release and use.
    var observers: [CallbackObserver] = []
    var sessions: [Session] = []
    var blobs: [DatabaseBlob] = []
    var cursors: [RowCursor] = []
    var rows: [Row] = []
    var statements: [Statement] = []
    var outerSQL: String?
    var actionCount = 0
    var isUsingOther = false

    init(_ db: Database, _ scenario: Scenario, other: DatabaseQueue?) throws {
        self.db = db
        self.scenario = scenario
        self.other = other
        steps = scenario.steps
        rowModel = try RowModel(db)
        db.add(transactionObserver: rowModel, extent: .databaseLifetime)
    }

    func has(_ fixture: Fixture) -> Bool { scenario.fixtures.contains(fixture) }

    /// Handles a callback by performing its first step.
    func call(_ callback: Callback) throws {
        guard depth < 3, let index = steps.firstIndex(where: { $0.callback == callback }) else { return }
        let step = steps.remove(at: index)
        depth += 1
        defer { depth -= 1 }
        do {
            try perform(step.action)
            if callback.forbidsConnection && step.action.usesConnection {
                defects.append("\(step) succeeded, where the connection must not be used")
            }
        } catch {
            // If the connection can't be used, no statement has begun whose rows the error could undo.
            note(error, of: "\(step)", mayUndoRows: !callback.forbidsConnection)
            if step.throwsErrors { throw error }
        }
    }

    /// Runs a part of the scenario whose errors have no consequence.
    func attempt(_ name: String, _ body: () throws -> Void) {
        do { try body() } catch { note(error, of: name, mayUndoRows: true) }
    }

    private func note(_ error: any Error, of origin: String, mayUndoRows: Bool) {
        if mayUndoRows { rowModel.statementFailed() }
        if isOfHalfADocument(error) { return }
        if !AllowedErrors.includes(error) { defects.append("\(origin): \(error)") }
    }

    /// Whether an error means that a row of FTS5 was partially written, because it failed in a transaction that
    /// continued, as documented.
    private func isOfHalfADocument(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.extendedResultCode == .SQLITE_CORRUPT_VTAB && mayLeaveHalfADocument
    }

    /// Whether an error may have ended the write of a document halfway.
    var mayLeaveHalfADocument: Bool {
        scenario.steps.contains { $0.callback == .tokenizer || $0.callback == .progress || $0.action == .interrupt }
    }

    func fail(_ defect: String) { defects.append(defect) }

    /// Releases all objects of actions and fixtures.
    func clear() {
        steps = []
        rows = []
        cursors = []
        statements = []
        sessions = []
        blobs = []
        for observer in observers { db.remove(transactionObserver: observer) }
        observers = []
        db.trace()
        db.traceRows(nil)
        db.setProgressHandler(nil)
    }
}

/// The error of an action that fails on purpose.
struct PlannedFailure: Error {}

/// The errors that are clear answers to misuse.
enum AllowedErrors {
    private static let codes: Set<ResultCode> = [
        // SQLite's code for a row or an index that was deleted while a statement uses it. The integrity check follows.
        .SQLITE_CORRUPT,
        .SQLITE_MISUSE, .SQLITE_LOCKED, .SQLITE_ABORT, .SQLITE_BUSY, .SQLITE_INTERRUPT, .SQLITE_CONSTRAINT,
        .SQLITE_READONLY, .SQLITE_AUTH, .SQLITE_SCHEMA,
    ]

    /// Parts of the `SQLITE_ERROR` messages that name a problem.
    private static let messages = [
        "no such ", "already exists", "already another table", "duplicate column", "cannot ", "not an error in",
        "is already in use", "no transaction is active", "within a transaction", "PlannedFailure", "has no column",
        "wrong number of arguments", "statements in progress", "error in ", "must not", "values for", "already a",
        "is locked",
        // A statement on a table-valued PRAGMA function was interrupted during its compilation.
        "interrupted",
        "Safety level may not be changed", "unable to delete/modify", "DISTINCT", "may not be", "database is already",
    ]

    static func includes(_ error: any Error) -> Bool {
        if error is PlannedFailure { return true }
        guard let error = error as? DatabaseError else { return false }
        if codes.contains(error.resultCode) { return true }
        guard error.resultCode == .SQLITE_ERROR, let message = error.message else { return false }
        return messages.contains { message.contains($0) }
    }
}
