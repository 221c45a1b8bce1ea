import Amalgam
import CAmalgam
import Foundation

extension ScenarioRun {
    func perform(_ action: Action) throws {
        actionCount += 1
        if let sql = action.sql(actionCount) { return try db.execute(sql: sql) }
        if try performTransaction(action) || performObjects(action) || performSettings(action) { return }
        try performOthers(action)
    }

    private func performTransaction(_ action: Action) throws -> Bool {
        switch action {
        case .begin: try db.beginTransaction()
        case .commit: try db.commit()
        case .rollback: try db.rollback()
        case .inSavepoint:
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO u (n) VALUES (8)")
                return .rollback
            }
        default: return false
        }
        return true
    }

    private func performObjects(_ action: Action) throws -> Bool {
        switch action {
        case .openBlob: blobs.append(try db.openBlob(table: "file", column: "content", rowID: 1, access: .readWrite))
        case .readBlob: _ = try blobs.last?.read()
        case .writeBlob: try blobs.last?.write([9])
        case .reopenBlob: try blobs.last?.reopen(rowID: 2)
        case .closeBlob: try blobs.last?.close()
        case .releaseBlob: release(\.blobs)
        case .openSession: sessions.append(try db.makeSession())
        case .closeSession: try sessions.last?.close()
        case .releaseSession: release(\.sessions)
        case .changeset: _ = try sessions.last?.changeset().changes().next()
        case .attachFilter: try sessions.last?.attach { _ in true }
        case .openCursor: try openCursor("SELECT *, f(n) FROM u")
        case .stepCursor: try keepNextRow()
        case .releaseCursor: release(\.cursors)
        case .copyRow: rows.append(contentsOf: rows.map { $0.copy() })
        case .makeStatement: statements.append(try db.makeStatement(sql: "UPDATE t SET b = f(a)"))
        case .runStatement: try statements.last?.execute()
        case .releaseStatement: release(\.statements)
        default: return false
        }
        return true
    }

    private func performSettings(_ action: Action) throws -> Bool {
        switch action {
        case .addObserver: addObserver()
        case .removeObserver: removeObservers()
        case .addFunction: db.add(function: Self.function)
        case .removeFunction: db.remove(function: Self.function)
        case .addCollation: db.add(collation: Self.collation)
        case .removeCollation: db.remove(collation: Self.collation)
        case .trace: startTrace()
        case .stopTracing: db.trace()
        case .progressHandler: startProgress()
        case .interrupt: sqlite3_interrupt(db.sqliteConnection)
        case .releaseMemory: db.releaseMemory()
        case .clearSchemaCache: db.clearSchemaCache()
        default: return false
        }
        return true
    }

    private func performOthers(_ action: Action) throws {
        switch action {
        case .readStepwise: try Row.fetchCursor(db, sql: "SELECT * FROM t, u").forEach { _ in }
        case .outerStatement: try outerSQL.map { try db.cachedStatement(sql: $0).execute() }
        case .tableExists: _ = try db.tableExists("spare1")
        case .columns: _ = try db.columns(in: "t")
        case .apply: try apply()
        case .recordChanges: _ = try db.recordChanges { try db.execute(sql: "INSERT INTO u (n) VALUES (5)") }
        case .checkpoint: _ = try db.checkpoint()
        case .notifyChanges: try db.notifyChanges(in: Table("t"))
        case .otherConnectionAlters: try useOther("CREATE TABLE o\(actionCount) (x)")
        case .otherConnectionWrites: try useOther("INSERT INTO spare3 VALUES (1)")
        case .releaseOnOtherThread: releaseOnOtherThread()
        case .fail: throw PlannedFailure()
        default: fail("the action \(action) does nothing")
        }
    }

    /// Runs a statement on the other connection, unless that is in use: its queue isn't reentrant.
    private func useOther(_ sql: String) throws {
        if !isUsingOther { try other?.inDatabase { try $0.execute(sql: sql) } }
    }

    private func removeObservers() {
        for observer in observers { db.remove(transactionObserver: observer) }
    }

    /// Releases objects after their array is emptied, because the release may call back.
    private func release<Object>(_ objects: ReferenceWritableKeyPath<ScenarioRun, [Object]>) {
        let released = self[keyPath: objects]
        self[keyPath: objects] = []
        withExtendedLifetime(released) {}
    }

    /// Transfers all objects of the connection to another thread, which releases them.
    private func releaseOnOtherThread() {
        let transferred = TransferredObjects((sessions, blobs, cursors, statements, rows))
        (sessions, blobs, cursors, statements, rows) = ([], [], [], [], [])
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            transferred.objects = nil
            end.signal()
        }
        end.wait()
    }

    private final class TransferredObjects: @unchecked Sendable {
        // Sendable: one thread transfers the objects, and waits for the other one.
        var objects: ([Session], [DatabaseBlob], [RowCursor], [Statement], [Row])?

        init(_ objects: ([Session], [DatabaseBlob], [RowCursor], [Statement], [Row])) { self.objects = objects }
    }
}
