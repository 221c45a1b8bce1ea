package import AmalgamCore

/// An observer that records its calls, one line each:
///
///     will insert player(1): [1, "Anna"]
///     insert player(1)
///     willCommit
///     didCommit
package final class EventLog: TransactionObserver {
    // Used on the queue of the connection, and by the test when no access runs.
    package private(set) var lines: [String] = []
    package private(set) var asked: [DatabaseEventKind] = []
    package private(set) var events: [DatabaseEvent] = []
    package private(set) var preUpdateEvents: [DatabasePreUpdateEvent] = []

    /// Decides which kinds of change are observed.
    package var observes: (DatabaseEventKind) -> Bool

    /// Whether `databaseWillChange` is recorded, too.
    package var logsValues: Bool

    /// The error that the next `databaseWillCommit` throws.
    package var refusal: (any Error)?

    package var onWillChange: (DatabasePreUpdateEvent) -> Void = { _ in }
    package var onChange: (EventLog, DatabaseEvent) -> Void = { _, _ in }
    package var onCommit: (EventLog, Database) -> Void = { _, _ in }
    package var onRollback: (EventLog, Database) -> Void = { _, _ in }

    package init(logsValues: Bool = false, observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
        self.logsValues = logsValues
        self.observes = observes
    }

    /// Returns and removes the lines since the last call.
    package func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// Returns and removes the kinds that were asked for since the last call.
    package func takeAsked() -> [DatabaseEventKind] {
        defer { asked = [] }
        return asked
    }

    package func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        asked.append(eventKind)
        return observes(eventKind)
    }

    package func databaseWillChange(with event: DatabasePreUpdateEvent) {
        preUpdateEvents.append(event.copy())
        if logsValues { lines.append("will \(event.line)") }
        onWillChange(event)
    }

    package func databaseDidChange(with event: DatabaseEvent) {
        events.append(event.copy())
        lines.append(event.line)
        onChange(self, event)
    }

    package func databaseWillCommit() throws {
        lines.append("willCommit")
        if let refusal {
            self.refusal = nil
            throw refusal
        }
    }

    package func databaseDidCommit(_ db: Database) {
        lines.append("didCommit")
        onCommit(self, db)
    }

    package func databaseDidRollback(_ db: Database) {
        lines.append("didRollback")
        onRollback(self, db)
    }
}

extension DatabaseEvent {
    /// A line such as `insert player(1)`, or `insert player` without a rowid.
    package var line: String { "\(kind) \(tableName)" + (hasRowID ? "(\(rowID))" : "") }
}

extension DatabasePreUpdateEvent {
    /// A line such as `update player(1): [1, "Anna"] -> [1, "Bo"]`.
    package var line: String {
        let rowID = (finalRowID ?? initialRowID).map { "(\($0))" } ?? ""
        let values = [initialDatabaseValues, finalDatabaseValues].compactMap { $0?.description }
        return "\(kind) \(tableName)\(rowID): \(values.joined(separator: " -> "))"
    }
}

extension Database {
    /// Returns the calls that a new observer of all events receives while `body` runs.
    package func events(
        logsValues: Bool = false, observing observes: @escaping (DatabaseEventKind) -> Bool = { _ in true },
        _ body: () throws -> Void
    ) rethrows -> [String] {
        let log = EventLog(logsValues: logsValues, observes: observes)
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try body()
        return log.take()
    }
}

/// An error of the application.
package struct Refusal: Error, Equatable {
    package init() {}
}
