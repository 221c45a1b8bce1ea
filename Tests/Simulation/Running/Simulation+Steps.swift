import Amalgam
import Foundation

extension Simulation {
    func run(_ step: Step) throws {
        switch step {
        case .write(let transaction): try write(transaction)
        case .perform(let transaction): try perform(transaction)
        case .undo: try replay(.undo)
        case .redo: try replay(.redo)
        case .read(let connection, let query): try read(query, in: world.connection(connection), model)
        case .observe(let plan): try observe(plan)
        case .stopObserving(let index):
            if observations.isEmpty { return skip() }
            try finish(observations.remove(at: index % observations.count))
        case .rank(let connection, let table, let query, let limit):
            try rank(world.connection(connection), table, query, limit)
        case .fuzzy(let connection, let table, let word): try searchWithTypos(world.connection(connection), table, word)
        case .alter(let alteration, let connection): try alter(alteration, connection)
        case .migrate(let count): try migrate(count)
        case .attach(let value): try attach(value)
        case .vacuum: try vacuum()
        case .checkpoint(let mode): try checkpoint(mode)
        case .suspended(let transaction): try suspend(transaction)
        case .backUp: try backUp()
        case .restore: try restore()
        case .changeset(let transaction): try recordChangeset(transaction)
        case .sandboxed(let query, let readable, let wraps): try sandbox(query, Set(readable), wraps)
        case .sandboxedWrite(let write): try sandboxedWrite(write)
        case .nested(let nested): try runNested(nested)
        case .cancelled(let transaction, let awaits): try cancel(transaction, awaits)
        case .oversized(let id): try writeOversized(id)
        case .openSnapshot: try openSnapshot()
        case .readSnapshot(let query):
            guard let snapshot else { return skip() }
            count(query)
            let rows = try snapshot.reader.read { db in try query.fetch(db) }
            let expected = query.result(in: snapshot.model)
            try expect(
                .snapshots, rows == expected, isMeaningful: !expected.isEmpty,
                "\(query.sql) gives \(rows), and not \(expected)")
        case .reopen(let connection): try reopen(connection)
        case .faulty(let transaction, let fault, let n): try write(transaction, fault, n)
        case .otherProcess(let transactions): try runInOtherProcess(transactions)
        case .killed(let transactions, let count): try kill(transactions, after: count)
        case .overlap(let writers, let readers): try overlap(writers, readers)
        case .unmodelled(let sql): try world.connection(0).writeWithoutTransaction { db in try db.execute(sql: sql) }
        }
    }

    // MARK: Transactions

    private func write(_ transaction: Transaction) throws {
        count(transaction)
        let report = transaction.run(in: try world.connection(transaction.connection))
        try compare(report, of: transaction)
    }

    /// Runs a transaction in the model, and compares the outcomes.
    func compare(_ report: TransactionReport, of transaction: Transaction) throws {
        let expected = model.run(transaction) { didCommit($0, connection: transaction.connection) }
        try compare(report, expected, transaction)
    }

    func compare(_ report: TransactionReport, _ expected: TransactionReport, _ transaction: Transaction) throws {
        if let error = report.error {
            throw SimulationError("outcomes: \(transaction.statements.map(\.sql)) throws \(error)")
        }
        for (index, pair) in zip(report.outcomes, expected.outcomes).enumerated() where pair.0 != pair.1 {
            let isSame = Self.sorted(pair.0) == Self.sorted(pair.1)
            try expect(.outcomes, isSame, "\(transaction.statements[index].sql) gives \(pair.0), and not \(pair.1)")
        }
        try expect(
            .outcomes, report.outcomes.count == expected.outcomes.count && report.isCommitted == expected.isCommitted,
            isMeaningful: !report.outcomes.isEmpty,
            "\(transaction.statements.map(\.sql)) gives \(report), and not \(expected)")
    }

    private static func sorted(_ outcome: Outcome) -> [String] {
        guard case .done(let rows) = outcome else { return ["\(outcome)"] }
        return (rows ?? []).map { "\($0)" }.sorted()
    }

    func count(_ transaction: Transaction) {
        coverage.count("transactions", transaction.kind.rawValue)
        if transaction.isRolledBack { coverage.count("transactions", "rollback") }
        for case .savepoint(_, let isRolledBack) in transaction.parts {
            coverage.count("transactions", isRolledBack ? "rolled-back savepoint" : "savepoint")
        }
        for statement in transaction.statements {
            let kind = statement.spec.kind
            coverage.count("forms", statement.effectiveForm.rawValue)
            if statement.isReturning { coverage.count("forms", "returning") }
            coverage.count("conflicts", statement.name)
            switch statement.change {
            case .insert, .upsert: coverage.count("insertions", "insert \(kind)")
            case .update: coverage.count("updates", "update \(kind)")
            case .delete: coverage.count("deletions", "delete \(kind)")
            }
        }
    }

    private func write(_ transaction: Transaction, _ fault: Step.Fault, _ n: Int) throws {
        var transaction = transaction
        // Only the thread of the simulation fails.
        if transaction.kind == .asynchronous { transaction.kind = .transaction }
        let writer = try world.connection(transaction.connection)
        var report = TransactionReport()
        // The fetch of an observation that runs on this thread may fail, too.
        for observation in observations where observation.plan.connection == transaction.connection {
            observation.mayFail = true
        }
        let hasFailed = failing(fault, n) { report = transaction.run(in: writer) }
        if hasFailed {
            coverage.count("faults", fault.rawValue)
            for kind in Set(transaction.statements.map(\.spec.kind)) {
                coverage.count("faults and tables", "\(fault.rawValue), \(kind)")
            }
        }
        guard report.error != nil, hasFailed else { return try compare(report, of: transaction) }
        // The content before the transaction, after one of its commits, or after the commit that has failed on the disk.
        var states = [model]
        var after = model
        _ = after.run(transaction) { states.append($0) }
        let content = try writer.read { db in try Model(db) }
        guard let reached = states.lastIndex(where: { content.differences(from: $0).isEmpty }) else {
            throw SimulationError(
                "faults: after \(report.error ?? ""), the content is that of no commit: \(content.differences(from: model))"
            )
        }
        let acknowledged = acknowledgedCommits(of: transaction, report)
        try expect(
            .faults, reached >= acknowledged,
            "after \(report.error ?? ""), the content is that of commit \(reached), but \(acknowledged) have succeeded")
        for state in states[...reached].dropFirst() { didCommit(state, connection: transaction.connection) }
        let sequence = try writer.read { db in try Self.sequence(db) }
        model = states[reached]
        model.tables["counted"]!.sequence = sequence
    }

    /// The number of commits that have succeeded before the error of a report: outside of a transaction, each statement
    /// commits. Otherwise, an error leaves open whether the transaction has been committed.
    private func acknowledgedCommits(of transaction: Transaction, _ report: TransactionReport) -> Int {
        if transaction.kind != .autocommit { return 0 }
        var done = transaction
        done.parts = Array(transaction.parts.prefix(report.outcomes.count))
        var (content, count) = (model, 0)
        _ = content.run(done) { _ in count += 1 }
        return count
    }

    static func sequence(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'counted'") ?? 0
    }

    // MARK: Undo

    private func perform(_ transaction: Transaction) throws {
        count(transaction)
        let history = world.history
        let before = model
        let report = transaction.run(in: try world.connection(0)) { db, body in try history.perform(db, body) }
        try compare(report, of: transaction)
        if report.isCommitted { undo.perform(before: before, after: model) }
    }

    private enum Direction { case undo, redo }

    private func replay(_ direction: Direction) throws {
        let history = world.history
        let action = direction == .undo ? undo.undoable.last : undo.redoable.last
        let result = Result {
            try world.connection(0).write { db in try direction == .undo ? history.undo(db) : history.redo(db) }
        }
        guard let action else {
            return try expect(.undo, (try? result.get()) == false, isMeaningful: false, "\(result) without an action")
        }
        let expected =
            direction == .undo
            ? UndoModel.replay(from: action.after, to: action.before, in: model)
            : UndoModel.replay(from: action.before, to: action.after, in: model)
        switch (result, expected) {
        case (.success(true), .content(let content)):
            coverage.compare(.undo, isMeaningful: true)
            model = content
            model.tables["counted"]!.sequence = try world.connection(0).read { db in try Self.sequence(db) }
            didCommit(model, connection: 0)
            if direction == .undo {
                undo.redoable.append(undo.undoable.removeLast())
            } else {
                undo.undoable.append(undo.redoable.removeLast())
            }
        case (.failure(is UndoConflict), .conflict): coverage.compare(.undo, isMeaningful: true)
        case (.failure(let error), _)
        where action.mayRefuse && (error is UndoConflict || (error as? DatabaseError)?.resultCode == .SQLITE_SCHEMA):
            coverage.compare(.undo, isMeaningful: false)
        default: throw SimulationError("undo: \(direction) gives \(result), and not \(expected.name)")
        }
    }

    // MARK: Queries

    /// Counts a query, and the kinds of its search.
    func count(_ query: Query) {
        coverage.count("queries", query.name)
        if case .search(_, let search) = query { count(search) }
    }

    private func count(_ search: SearchQuery) {
        for kind in search.kinds { coverage.count("searches", kind) }
    }

    func read(_ query: Query, in reader: any DatabaseReader, _ model: Model) throws {
        count(query)
        let rows = try reader.read { db in try query.fetch(db) }
        let expected = query.result(in: model)
        try expect(
            .queries, rows == expected, isMeaningful: !expected.isEmpty,
            "\(query.sql) gives \(rows), and not \(expected)")
    }

    private func observe(_ plan: Step.Observation) throws {
        if observations.count >= 6 { return skip() }
        coverage.count("observed", plan.query.name)
        observations.append(
            ObservationRecord(plan, in: try world.connection(plan.connection), model: model, patience: patience))
    }

    /// Compares ranks with those of `bm25()`, bit by bit.
    func rank(_ reader: any DatabaseReader, _ table: String, _ query: SearchQuery, _ limit: Int) throws {
        count(query)
        let condition = "FROM \(table) WHERE \(table) MATCH \(Value.text(query.text).sql)"
        let (ranked, plain) = try reader.read { db in
            let ranked = try Row.fetchAll(db, sql: "SELECT rowid, rank \(condition) ORDER BY rank LIMIT \(limit)")
            return (
                ranked.map(Value.list),
                try Row.fetchAll(db, sql: "SELECT rowid, bm25(\(table)) \(condition)").map(Value.list)
            )
        }
        let ranks = Dictionary(uniqueKeysWithValues: plain.map { ($0[0], $0[1]) })
        let expected = plain.map { $0[1] }.sorted { $0.compared(to: $1) < 0 }.prefix(limit)
        let found = Query.search(table, query).result(in: model).count
        try expect(
            .ranks,
            plain.count == found && ranked.map { $0[1] } == Array(expected)
                && ranked.allSatisfy { ranks[$0[0]] == $0[1] },
            isMeaningful: ranked.count > 1,
            "\(condition) gives \(ranked), bm25 \(plain), and the model has \(found)")
    }

    /// Compares a search with typos with the distances of all words.
    private func searchWithTypos(_ reader: any DatabaseReader, _ table: String, _ word: String) throws {
        let query = FTS5Query.fuzzy(word, tolerance: TypoTolerance(joinsAndSplitsWords: false))
        let found = try reader.read { db in
            try Int64.fetchAll(db, Table(table).all().matching(query).select(Column.rowID)).sorted()
        }
        let limit = word.count >= 8 ? 2 : word.count >= 4 ? 1 : 0
        let expected = model.rows(table).filter { row in
            row.values.flatMap(SearchQuery.words).contains { TypoDistance.of(word, $0) <= limit }
        }
        try expect(
            .typos, found == expected.map(\.rowID), isMeaningful: !expected.isEmpty,
            "\(word) with typos finds \(found) in \(table), and not \(expected)")
    }

    private func sandbox(_ query: Query, _ readable: Set<String>, _ wraps: Bool) throws {
        var (sql, tables) = (query.sql, query.tables)
        // A sandbox may refuse views and functions of full-text tables although their tables are readable.
        var isPlain = !tables.contains { name in Schema.tables.first { $0.name == name }?.isVirtual ?? true }
        if case .join(.view) = query { isPlain = false }
        if wraps, let table = tables.sorted().first,
            let spec = Schema.tables.first(where: { $0.name == table && !$0.isVirtual })
        {
            // SQLite's authorizer isn't asked about the columns of a NATURAL JOIN.
            let names = spec.columns.map { "\"\($0.name)\"" }
            let values = names.enumerated().map { "\($0) AS \($1)" }.joined(separator: ", ")
            isPlain = true
            sql = "SELECT \(names.joined(separator: ", ")) FROM \(table) NATURAL FULL JOIN (SELECT \(values))"
            tables = [table]
        }
        let result = Result {
            try world.connection(0).read { db in
                try db.sandboxed(.readOnly(tables: readable)) { try Row.fetchAll(db, sql: sql).count }
            }
        }
        let isAllowed = tables.isSubset(of: readable)
        switch result {
        case .success: try expect(.sandbox, isAllowed, "\(sql) is allowed with the tables \(readable)")
        case .failure(let error):
            let isRefusal = (error as? DatabaseError)?.resultCode == .SQLITE_AUTH
            try expect(
                .sandbox, isRefusal && !(isAllowed && isPlain), isMeaningful: !isAllowed,
                "\(sql) throws \(error) with the tables \(readable)")
        }
    }
}

extension UndoModel.Outcome {
    fileprivate var name: String {
        switch self {
        case .conflict: "a conflict"
        case .content: "a new content"
        }
    }
}
