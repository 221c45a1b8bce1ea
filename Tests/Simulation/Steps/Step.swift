/// A step of a program. Its parameters are drawn from the seed before the program runs, so that steps can be left out.
package enum Step: Codable, Sendable {
    case write(Transaction)
    case perform(Transaction)
    case undo
    case redo
    case read(connection: Int, Query)
    case observe(Observation)
    case stopObserving(Int)
    case rank(connection: Int, table: String, SearchQuery, limit: Int)
    /// A search for a word with typos.
    case fuzzy(connection: Int, table: String, word: String)
    case alter(Alteration, connection: Int)
    case migrate(Int)
    case attach(Int64)
    case vacuum
    case checkpoint(Checkpoint)
    case suspended(Transaction)
    case backUp
    case restore
    case changeset(Transaction)
    case sandboxed(Query, readable: [String], wraps: Bool)
    case sandboxedWrite(SandboxedWrite)
    case nested(Nested)
    case cancelled(Transaction, awaits: Int)
    case oversized(Int64)
    case openSnapshot
    case readSnapshot(Query)
    case reopen(Int)
    case faulty(Transaction, Fault, n: Int)
    case otherProcess([Transaction])
    case killed([Transaction], after: Int)
    case overlap(writers: [[Transaction]], readers: [[Query]])
    /// SQL that the model doesn't know. No seed draws it: tests of the oracles use it.
    case unmodelled(String)

    package struct Observation: Codable, Sendable {
        var query: Query
        var connection: Int
        var isEveryCommit: Bool
        var includesExternalChanges: Bool
    }

    package enum Alteration: String, Codable, CaseIterable, Sendable {
        /// Renames a table, and gives it its name back.
        case rename
        case addAndDropColumn
        case createIndex
        case dropIndex
        case recreateView
        /// Drops, creates and fills a full-text table.
        case rebuildBook
        /// Exchanges the names of two full-text tables.
        case exchangeBooks
        /// Creates a trigger that does nothing, or drops it.
        case createTrigger
        case dropTrigger
    }

    package enum Checkpoint: String, Codable, CaseIterable, Sendable {
        case passive, full, restart, truncate
    }

    /// A statement of a sandbox that must not read a hidden column, or must not end the transaction around it.
    package enum SandboxedWrite: String, Codable, CaseIterable, Sendable {
        case returning = "UPDATE player SET name = name RETURNING team"
        case returningAll = "DELETE FROM player RETURNING *"
        case insertion = "INSERT INTO player (team) VALUES ('x')"
        case rollback = "INSERT OR ROLLBACK INTO player (id) VALUES (77), (77)"
    }

    /// A statement whose function runs a statement of its own.
    package enum Nested: String, Codable, CaseIterable, Sendable {
        /// An update of a table WITHOUT ROWID, whose function inserts into another table.
        case insertion
        /// The same, with a statement that fails.
        case failure
        /// A query whose function inserts.
        case query
    }

    package enum Fault: String, Codable, CaseIterable, Sendable {
        case allocation, allocations, file, files, fullDisk, tornWrite, busy
    }
}

extension Step {
    /// The name of the kind of step, for the coverage.
    var name: String {
        switch self {
        case .write: "write"
        case .perform: "perform"
        case .undo: "undo"
        case .redo: "redo"
        case .read: "read"
        case .observe: "observe"
        case .stopObserving: "stop observing"
        case .rank: "rank"
        case .fuzzy: "fuzzy"
        case .alter(let alteration, _): "alter \(alteration.rawValue)"
        case .migrate: "migrate"
        case .attach: "attach"
        case .vacuum: "vacuum"
        case .checkpoint(let mode): "checkpoint \(mode.rawValue)"
        case .suspended: "suspend"
        case .backUp: "back up"
        case .restore: "restore"
        case .changeset: "changeset"
        case .sandboxed: "sandbox"
        case .sandboxedWrite: "sandboxed write"
        case .nested(let nested): "nested \(nested.rawValue)"
        case .cancelled: "cancel"
        case .oversized: "oversized"
        case .openSnapshot: "open snapshot"
        case .readSnapshot: "read snapshot"
        case .reopen: "reopen"
        case .faulty: "fault"
        case .otherProcess: "other process"
        case .killed: "kill"
        case .overlap: "overlap"
        case .unmodelled: "unmodelled"
        }
    }

    /// The transactions of the step.
    var transactions: [Transaction] {
        switch self {
        case .write(let transaction), .perform(let transaction), .suspended(let transaction),
            .changeset(let transaction), .cancelled(let transaction, _), .faulty(let transaction, _, _):
            [transaction]
        case .otherProcess(let transactions), .killed(let transactions, _): transactions
        case .overlap(let writers, _): writers.flatMap(\.self)
        default: []
        }
    }

    /// The names of all kinds of step.
    static let names: [String] =
        [
            "write", "perform", "undo", "redo", "read", "observe", "stop observing", "rank", "fuzzy", "migrate",
            "attach", "vacuum",
            "suspend", "back up", "restore", "changeset", "sandbox", "sandboxed write", "cancel", "oversized",
            "open snapshot", "read snapshot", "reopen", "fault", "other process", "kill", "overlap",
        ] + Alteration.allCases.map { "alter \($0.rawValue)" } + Checkpoint.allCases.map { "checkpoint \($0.rawValue)" }
        + Nested.allCases.map { "nested \($0.rawValue)" }

    /// Whether the files are checked after the step: something has failed in it, or more than one connection has written.
    var mayDamageFiles: Bool {
        switch self {
        case .faulty, .killed, .overlap, .otherProcess, .nested, .alter, .vacuum, .restore, .attach: true
        default: false
        }
    }
}
