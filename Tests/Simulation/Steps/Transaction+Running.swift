import Amalgam
import Dispatch
import Synchronization

/// The error by which a transaction ends on purpose.
struct PlannedRollback: Error {}

/// The error of a transaction that SQLite has rolled back.
struct RolledBack: Error {}

/// The report of a transaction that another thread may write.
private final class ReportBox: Sendable {
    let report = Mutex(TransactionReport())
}

extension Transaction {
    /// Runs the transaction.
    ///
    /// - Parameters:
    ///   - isTimed: whether the transaction also advances the clock of the database.
    ///   - around: runs a part of the transaction, for example as an action of a history.
    func run(
        in writer: any DatabaseWriter, isTimed: Bool = false,
        around: (Database, () throws -> Void) throws -> Void = { try $1() }
    ) -> TransactionReport {
        var report = TransactionReport()
        do {
            switch kind {
            case .autocommit:
                try writer.writeWithoutTransaction { db in
                    for statement in statements { report.outcomes.append(try Self.outcome(of: statement, db)) }
                }
                report.isCommitted = true
            case .transaction:
                try writer.write { db in try body(db, isTimed, &report, around) }
                report.isCommitted = true
            case .asynchronous: report = runAsynchronously(in: writer, isTimed: isTimed)
            }
        } catch is PlannedRollback {
        } catch is RolledBack {
        } catch {
            report.error = "\(error)"
        }
        return report
    }

    private func runAsynchronously(in writer: any DatabaseWriter, isTimed: Bool) -> TransactionReport {
        let box = ReportBox()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            var report = TransactionReport()
            do {
                report = try await writer.write { db in
                    var report = TransactionReport()
                    do {
                        try body(db, isTimed, &report) { try $1() }
                    } catch {
                        box.report.withLock { $0 = report }
                        throw error
                    }
                    return report
                }
                report.isCommitted = true
            } catch {
                report = box.report.withLock { $0 }
                if !(error is PlannedRollback || error is RolledBack) { report.error = "\(error)" }
            }
            box.report.withLock { $0 = report }
            done.signal()
        }
        done.wait()
        return box.report.withLock { $0 }
    }

    /// Runs all parts in an open transaction.
    func body(
        _ db: Database, _ isTimed: Bool, _ report: inout TransactionReport,
        _ around: (Database, () throws -> Void) throws -> Void
    ) throws {
        if isTimed { report.time = try Int64.fetchOne(db, sql: "UPDATE clock SET t = t + 1 RETURNING t") }
        try around(db) {
            for part in parts {
                switch part {
                case .statement(let statement): try Self.run([statement], db, &report)
                case .savepoint(let statements, let isRolledBack):
                    try db.inSavepoint {
                        try Self.run(statements, db, &report)
                        return isRolledBack ? .rollback : .commit
                    }
                }
            }
        }
        if isRolledBack { throw PlannedRollback() }
    }

    private static func run(_ statements: [Statement], _ db: Database, _ report: inout TransactionReport) throws {
        for statement in statements {
            report.outcomes.append(try outcome(of: statement, db))
            if !db.isInsideTransaction {
                report.outcomes[report.outcomes.count - 1] = .rolledBack
                throw RolledBack()
            }
        }
    }

    private static func outcome(of statement: Statement, _ db: Database) throws -> Outcome {
        do {
            return .done(try statement.run(db))
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH
        {
            return .failed
        }
    }
}
