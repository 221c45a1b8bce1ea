import Foundation

/// Prints a program as Swift that uses the public interface only.
enum ProgramPrinter {
    /// The Swift program, with the complaint of the oracle at its end.
    static func text(_ program: Program, _ complaint: String) -> String {
        var lines = ["import Amalgam", "import Dispatch", "import Foundation", "", "var config = Configuration()"]
        let options = program.options
        var printer = StepPrinter(program)
        let steps = program.steps.flatMap { printer.lines(of: $0) }
        lines.append("config.busyMode = .timeout(20)")
        if options.isWAL || options.isPool || options.isSecondPool { lines.append("config.journalMode = .wal") }
        lines.append(#"let path = NSTemporaryDirectory() + "/\(UUID().uuidString).sqlite""#)
        lines.append("let setUp = try DatabaseQueue(path: path, configuration: config)")
        lines.append("try setUp.write { db in")
        for sql in schema(of: steps, options) { lines.append("    try db.execute(sql: \(sql.swiftLiteral))") }
        lines += ["}", "try setUp.close()"]
        if let audited = options.audited {
            lines.append("config.audit(\(audited.map(\.swiftLiteral).joined(separator: ", ")))")
        }
        let keyword = program.canReopen ? "var" : "let"
        lines.append("\(keyword) first = try \(options.typeName(0))(path: path, configuration: config)")
        if steps.contains(where: { $0.contains("second.") || $0.contains("second,") }) {
            lines.append("\(keyword) second = try \(options.typeName(1))(path: path, configuration: config)")
        }
        if steps.contains(where: { $0.contains("history.") }) {
            lines.append("let history = UndoHistory(firesTriggers: \(options.firesTriggers))")
        }
        lines += steps
        lines += complaint.split(separator: "\n").map { "// \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The statements of the schema that the steps need.
    private static func schema(of steps: [String], _ options: World.Options) -> [String] {
        let text = (steps + (options.audited ?? [])).joined(separator: "\n")
        func isUsed(_ name: String) -> Bool { text.firstRange(of: name) != nil }
        var tables = Schema.tables.filter { isUsed($0.name) }.map(\.name)
        // The full-text table `words` has the content of `noted`.
        if isUsed("FROM words") && !tables.contains("noted") { tables.append("noted") }
        if tables.contains("child") && !tables.contains("parent") { tables.insert("parent", at: 0) }
        if tables.contains("noted") && !tables.contains("note") { tables.append("note") }
        if isUsed("cities") && !tables.contains("team") { tables.append("team") }
        return Schema.tables.filter { tables.contains($0.name) }.map(\.sql)
            + Schema.additions.filter { sql in
                if sql.contains("noted") { return tables.contains("noted") }
                if sql.contains("cities") { return isUsed("cities") }
                if sql.contains("playerOnTeam") { return tables.contains("player") }
                return isUsed("clock")
            }
    }
}

extension Transaction {
    private static let names = ["first", "second", "third"]

    var connectionName: String { Self.names[connection] }

    /// The lines of the access.
    func lines(inAction: Bool = false) -> [String] {
        let method =
            switch kind {
            case .autocommit: "try \(connectionName).writeWithoutTransaction"
            case .transaction: "try? \(connectionName).write"
            case .asynchronous: "try? await \(connectionName).write"
            }
        var lines = ["\(method) { db in"]
        let indent = inAction ? "        " : "    "
        if inAction { lines.append("    try history.perform(db) {") }
        for part in parts {
            switch part {
            case .statement(let statement): lines.append(indent + statement.swift)
            case .savepoint(let statements, let isRolledBack):
                lines.append(indent + "try db.inSavepoint {")
                lines += statements.map { "\(indent)    \($0.swift)" }
                lines += ["\(indent)    return .\(isRolledBack ? "rollback" : "commit")", indent + "}"]
            }
        }
        if inAction { lines.append("    }") }
        if isRolledBack { lines.append("    throw CancellationError()") }
        return lines + ["}"]
    }
}

extension Statement {
    /// A line that runs the statement, and continues after a failed constraint.
    var swift: String {
        if form == .request, let request = requestText { return request }
        var arguments: [Value]? = form == .literals ? nil : []
        let sql = sql(arguments: &arguments)
        let list = (arguments ?? []).map(\.swift).joined(separator: ", ")
        return "try? db.execute(sql: \(sql.swiftLiteral)\(arguments == nil ? "" : ", arguments: [\(list)]"))"
    }
}

extension Statement {
    /// The line of a request; nil if the statement runs as SQL.
    private var requestText: String? {
        if isReturning || spec.columns.contains(where: { $0.domain == .jsonb }) { return nil }
        func column(_ index: Int) -> String { "Column(\(spec.columns[index].name.swiftLiteral))" }
        func request(_ condition: Condition) -> String? {
            switch condition {
            case .all: "Table(\(table.swiftLiteral))"
            case .equals(let index, let value):
                value.isNull ? nil : "Table(\(table.swiftLiteral)).filter(\(column(index)) == \(value.swift))"
            case .rowID(let rowID): "Table(\(table.swiftLiteral)).filter(Column.rowID == \(rowID))"
            case .scan: nil
            }
        }
        switch change {
        case .insert, .upsert: return nil
        case .delete(let condition): return request(condition).map { "_ = try? \($0).deleteAll(db)" }
        case .update(let assignments, let condition):
            guard let request = request(condition) else { return nil }
            var list: [String] = []
            for assignment in assignments {
                guard case .value(let value) = assignment.term else { return nil }
                list.append("\(column(assignment.column)).set(to: \(value.swift))")
            }
            let resolution = conflict.map { "onConflict: .\($0), " } ?? ""
            return "_ = try? \(request).updateAll(db, \(resolution)\(list.joined(separator: ", ")))"
        }
    }
}

extension Program {
    /// Whether the printed program can close a connection and open it again: other threads can only use constants.
    fileprivate var canReopen: Bool {
        !steps.contains { if case .overlap = $0 { true } else { false } }
            && steps.contains { if case .reopen = $0 { true } else { false } }
    }
}

extension World.Options {
    /// The type of a connection.
    fileprivate func typeName(_ connection: Int) -> String {
        (connection == 0 ? isPool : isSecondPool) ? "DatabasePool" : "DatabaseQueue"
    }
}

/// Prints the steps of a program, in order: it numbers the observations, snapshots and copies.
private struct StepPrinter {
    private let options: World.Options
    private let canReopen: Bool
    private var observations = 0
    private var running: [Int] = []
    private var snapshots = 0
    private var copies = 0

    init(_ program: Program) {
        options = program.options
        canReopen = program.canReopen
    }

    /// The lines of a step.
    mutating func lines(of step: Step) -> [String] {
        func name(_ connection: Int) -> String { connection == 0 ? "first" : "second" }
        func rows(_ reader: String, _ sql: String) -> String {
            "print(try \(reader).read { db in try Row.fetchAll(db, sql: \(sql.swiftLiteral)) })"
        }
        switch step {
        case .write(let transaction): return transaction.lines()
        case .perform(let transaction): return transaction.lines(inAction: true)
        case .undo: return ["print(try first.write { db in try history.undo(db) })"]
        case .redo: return ["print(try first.write { db in try history.redo(db) })"]
        case .read(let connection, let query): return [rows(name(connection), query.sql)]
        case .observe(let plan):
            if running.count >= 6 { return [] }
            observations += 1
            running.append(observations)
            var lines = [
                "let observation\(observations) = ValueObservation.tracking { db in try Row.fetchAll(db, sql: \(plan.query.sql.swiftLiteral)) }",
                "    .delivering(.\(plan.isEveryCommit ? "everyCommit" : "latest"))",
            ]
            if plan.includesExternalChanges { lines.append("    .includingExternalChanges()") }
            lines.append(
                "let cancellable\(observations) = observation\(observations).start(in: \(name(plan.connection)), scheduling: .async(onQueue: DispatchQueue(label: \"values\")), onError: { print($0) }, onChange: { print($0) })"
            )
            return lines
        case .stopObserving(let index):
            if running.isEmpty { return [] }
            return ["cancellable\(running.remove(at: index % running.count)).cancel()"]
        case .rank(let connection, let table, let query, let limit):
            let condition = "FROM \(table) WHERE \(table) MATCH \(Value.text(query.text).sql)"
            return [
                rows(name(connection), "SELECT rowid, rank \(condition) ORDER BY rank LIMIT \(limit)"),
                rows(name(connection), "SELECT rowid, bm25(\(table)) \(condition)"),
            ]
        case .fuzzy(let connection, let table, let word):
            return [
                "print(try \(name(connection)).read { db in try Int64.fetchAll(db, Table(\(table.swiftLiteral)).all().matching(FTS5Query.fuzzy(\(word.swiftLiteral))).select(Column.rowID)) })"
            ]
        case .alter(let alteration, let connection):
            guard let sql = alteration.sql else {
                return ["// \(name(connection)): book is dropped, created and filled, with exchanged columns"]
            }
            return ["try \(name(connection)).write { db in try db.execute(sql: \(sql.swiftLiteral)) }"]
        case .migrate(let count):
            let migrations = (1...count).map { number in
                "    migrator.registerMigration(\"m\(number)\") { db in try db.execute(sql: \"CREATE TABLE migrated\(number) (a)\") }"
            }
            return ["do {", "    var migrator = DatabaseMigrator()"] + migrations + [
                "    try migrator.migrate(first)", "}",
            ]
        case .attach(let value):
            return [
                "try first.writeWithoutTransaction { db in",
                "    try db.execute(sql: \"ATTACH ? AS side\", arguments: [path + \"-side\"])",
                "    defer { try? db.execute(sql: \"DETACH side\") }",
                "    try db.execute(sql: \"CREATE TABLE IF NOT EXISTS side.stored (a)\")",
                "    try db.inTransaction {",
                "        try db.execute(sql: \"INSERT INTO team (team, city) VALUES ('side', \(value))\")",
                "        try db.execute(sql: \"INSERT INTO side.stored VALUES (\(value))\")",
                "        return .commit", "    }", "}",
            ]
        case .vacuum: return ["try first.vacuum()"]
        case .checkpoint(let mode):
            return ["_ = try first.writeWithoutTransaction { db in try db.checkpoint(.\(mode.rawValue)) }"]
        case .suspended(let transaction): return ["first.suspend()"] + transaction.lines() + ["first.resume()"]
        case .backUp:
            copies += 1
            return ["let copy\(copies) = try DatabaseQueue()", "try first.backup(to: copy\(copies))"]
        case .restore: return copies == 0 ? [] : ["try copy\(copies).backup(to: first)"]
        case .changeset(let transaction):
            return ["// The changeset of this transaction is applied to a copy:"] + transaction.lines()
        case .sandboxed(let query, let readable, _):
            return [
                "print(try first.read { db in try db.sandboxed(.readOnly(tables: \(readable))) { try Row.fetchAll(db, sql: \(query.sql.swiftLiteral)) } })"
            ]
        case .sandboxedWrite(let write): return ["// In a sandbox that hides player.team: \(write.rawValue)"]
        case .nested(let nested):
            return ["// A function that writes: \(nested.rawValue) (tables letters, team, player)"]
        case .cancelled(let transaction, let awaits):
            return ["// Cancelled at the moment \(awaits):"] + transaction.lines()
        case .oversized: return ["// A row of player that is too large for the audit log"]
        case .openSnapshot:
            if !options.isPool { return [] }
            snapshots += 1
            return ["let snapshot\(snapshots) = try first.makeSnapshot()"]
        case .readSnapshot(let query): return snapshots == 0 ? [] : [rows("snapshot\(snapshots)", query.sql)]
        case .reopen(let connection):
            let variable = name(connection)
            if !canReopen { return ["// \(variable) is closed and opened again"] }
            return [
                "try \(variable).close()",
                "\(variable) = try \(options.typeName(connection))(path: path, configuration: config)",
            ]
        case .faulty(let transaction, let fault, let n):
            return ["// The operation \(n) of the kind \(fault.rawValue) fails:"] + transaction.lines()
        case .otherProcess(let transactions):
            return ["// In another process:"] + transactions.flatMap { $0.lines() }.map { "// " + $0 }
        case .killed(let transactions, let count):
            return ["// In another process, which is killed after \(count) answers:"]
                + transactions.flatMap { $0.lines() }.map { "// " + $0 }
        case .unmodelled(let sql):
            return ["try first.writeWithoutTransaction { db in try db.execute(sql: \(sql.swiftLiteral)) }"]
        case .overlap(let writers, let readers):
            var lines: [String] = ["// On threads of their own, all of which begin at the same time:"]
            for transactions in writers {
                lines += ["Thread.detachNewThread {"] + transactions.flatMap { $0.lines() }.map { "    " + $0 } + ["}"]
            }
            for (index, queries) in readers.enumerated() {
                lines += ["Thread.detachNewThread {"] + queries.map { "    " + rows(name(index % 2), $0.sql) } + ["}"]
            }
            return lines
        }
    }
}

extension String {
    /// The string as Swift.
    var swiftLiteral: String { debugDescription.replacing("\\'", with: "'") }
}
