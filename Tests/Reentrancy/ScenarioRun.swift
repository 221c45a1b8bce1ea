import Amalgam
import Foundation

/// The run of one scenario: a connection, its fixtures, and the steps that callbacks have not performed yet.
final class ScenarioRun: @unchecked Sendable {
    // Sendable: used from one thread. Other threads run while that one waits for them.

    /// The run of the scenario under way, for callbacks that have no context.
    nonisolated(unsafe) static var current: ScenarioRun?

    let db: Database
    let scenario: Scenario
    let other: DatabaseQueue?
    let rowModel: RowModel
    private var steps: [Scenario.Step]
    private var depth = 0

    /// Errors that must not be, and other defects.
    private(set) var defects: [String] = []

    // What actions close, release and use.
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

    /// A callback is called: takes the first step for it.
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
            // Where the connection can't be used, no statement has begun that could undo its rows.
            note(error, of: "\(step)", mayUndoRows: !callback.forbidsConnection)
            if step.throwsErrors { throw error }
        }
    }

    /// Runs a part of the scenario whose errors are of no consequence.
    func attempt(_ name: String, _ body: () throws -> Void) {
        do { try body() } catch { note(error, of: name, mayUndoRows: true) }
    }

    private func note(_ error: any Error, of origin: String, mayUndoRows: Bool) {
        if mayUndoRows { rowModel.statementFailed() }
        if isOfHalfADocument(error) { return }
        if !AllowedErrors.includes(error) { defects.append("\(origin): \(error)") }
    }

    /// Whether an error tells that a row of FTS5 was written by half: it failed in a transaction that went on, as documented.
    private func isOfHalfADocument(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.extendedResultCode == .SQLITE_CORRUPT_VTAB && mayLeaveHalfADocument
    }

    /// Whether an error may have ended the writing of a document halfway.
    var mayLeaveHalfADocument: Bool {
        scenario.steps.contains { $0.callback == .tokenizer || $0.callback == .progress || $0.action == .interrupt }
    }

    func fail(_ defect: String) { defects.append(defect) }

    /// Releases all that actions and fixtures have left.
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

/// The errors that clear answers consist of.
enum AllowedErrors {
    private static let codes: Set<ResultCode> = [
        // SQLite's code for a row or an index that is gone under a running statement. The integrity check follows.
        .SQLITE_CORRUPT,
        .SQLITE_MISUSE, .SQLITE_LOCKED, .SQLITE_ABORT, .SQLITE_BUSY, .SQLITE_INTERRUPT, .SQLITE_CONSTRAINT,
        .SQLITE_READONLY, .SQLITE_AUTH, .SQLITE_SCHEMA,
    ]

    /// What SQLite says in messages of `SQLITE_ERROR` that tell what is wrong.
    private static let messages = [
        "no such ", "already exists", "already another table", "duplicate column", "cannot ", "not an error in",
        "is already in use", "no transaction is active", "within a transaction", "PlannedFailure", "has no column",
        "wrong number of arguments", "statements in progress", "error in ", "must not", "values for", "already a",
        "is locked",
        // A statement on a function of a PRAGMA was interrupted while it was compiled.
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
