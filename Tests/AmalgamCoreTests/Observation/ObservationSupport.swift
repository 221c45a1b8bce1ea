import Amalgam
import Foundation
import Testing

/// An observer that writes down what it is told, one line per call:
///
///     will insert player(1): [1, "Anna"]
///     insert player(1)
///     willCommit
///     didCommit
final class EventLog: TransactionObserver {
    // Used on the queue of the connection, and by the test when nothing runs there.
    private(set) var lines: [String] = []
    private(set) var asked: [DatabaseEventKind] = []
    private(set) var events: [DatabaseEvent] = []
    private(set) var preUpdateEvents: [DatabasePreUpdateEvent] = []

    /// Which kinds of change are observed.
    var observes: (DatabaseEventKind) -> Bool

    /// Whether `databaseWillChange` is written down, too.
    var logsValues: Bool

    /// The error of the next `databaseWillCommit`.
    var refusal: (any Error)?

    var onWillChange: (DatabasePreUpdateEvent) -> Void = { _ in }
    var onChange: (EventLog, DatabaseEvent) -> Void = { _, _ in }
    var onCommit: (EventLog, Database) -> Void = { _, _ in }
    var onRollback: (EventLog, Database) -> Void = { _, _ in }

    init(logsValues: Bool = false, observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
        self.logsValues = logsValues
        self.observes = observes
    }

    /// The lines since the last call.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// The kinds that were asked for since the last call.
    func takeAsked() -> [DatabaseEventKind] {
        defer { asked = [] }
        return asked
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        asked.append(eventKind)
        return observes(eventKind)
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        preUpdateEvents.append(event.copy())
        if logsValues { lines.append("will \(event.line)") }
        onWillChange(event)
    }

    func databaseDidChange(with event: DatabaseEvent) {
        events.append(event.copy())
        lines.append(event.line)
        onChange(self, event)
    }

    func databaseWillCommit() throws {
        lines.append("willCommit")
        if let refusal {
            self.refusal = nil
            throw refusal
        }
    }

    func databaseDidCommit(_ db: Database) {
        lines.append("didCommit")
        onCommit(self, db)
    }

    func databaseDidRollback(_ db: Database) {
        lines.append("didRollback")
        onRollback(self, db)
    }
}

extension DatabaseEvent {
    /// `insert player(1)`; `insert player` without a rowid.
    var line: String { "\(kind) \(tableName)" + (hasRowID ? "(\(rowID))" : "") }
}

extension DatabasePreUpdateEvent {
    /// `update player(1): [1, "Anna"] -> [1, "Bo"]`
    var line: String {
        let rowID = (finalRowID ?? initialRowID).map { "(\($0))" } ?? ""
        let values = [initialDatabaseValues, finalDatabaseValues].compactMap { $0?.description }
        return "\(kind) \(tableName)\(rowID): \(values.joined(separator: " -> "))"
    }
}

extension Database {
    /// What a new observer of all events is told while `body` runs.
    func events(
        logsValues: Bool = false, observing observes: @escaping (DatabaseEventKind) -> Bool = { _ in true },
        _ body: () throws -> Void
    ) rethrows -> [String] {
        let log = EventLog(logsValues: logsValues, observes: observes)
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try body()
        return log.take()
    }

    /// The SQL that runs meanwhile.
    func tracedSQL(_ body: () throws -> Void) rethrows -> [String] {
        var sql: [String] = []
        trace { sql.append("\($0)") }
        defer { trace() }
        try body()
        return sql
    }

    /// One integer.
    func integer(_ sql: String) throws -> Int? { try Int.fetchOne(self, sql: sql) }
}

/// A queue in memory with these tables.
func makeQueue(_ schema: String, configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.inDatabase { try $0.execute(sql: schema) }
    return dbQueue
}

/// A table of players.
let playerSchema = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)"

/// A folder for database files, removed with the instance.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(component: "amalgam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(component: name).path }
}

/// Expects a `DatabaseError` with this code, message and SQL.
@discardableResult
func expectFailure(
    _ code: ResultCode, _ message: String? = nil, sql: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
    guard let error else { return nil }
    #expect(error.resultCode == code, sourceLocation: sourceLocation)
    if let message { #expect(error.message == message, sourceLocation: sourceLocation) }
    if let sql { #expect(error.sql == sql, sourceLocation: sourceLocation) }
    return error
}

/// An error that is not the library's.
struct Refusal: Error, Equatable {}
