import Foundation

/// Prints a program as Swift that uses the public interface only.
enum ProgramPrinter {
    /// The Swift program, with the complaint of the oracle at its end.
    static func text(_ program: Program, _ complaint: String) -> String {
        var lines = ["import Amalgam", "import Foundation", "", "var config = Configuration()"]
        let options = program.options
        lines.append("config.busyMode = .timeout(20)")
        if options.isWAL || options.isPool || options.isSecondPool { lines.append("config.journalMode = .wal") }
        lines.append(#"let path = NSTemporaryDirectory() + "/\(UUID().uuidString).sqlite""#)
        lines.append("let setUp = try DatabaseQueue(path: path, configuration: config)")
        lines.append("try setUp.write { db in")
        for sql in schema(of: program) { lines.append("    try db.execute(sql: \(sql.swiftLiteral))") }
        lines += ["}", "try setUp.close()"]
        if let audited = options.audited {
            lines.append("config.audit(\(audited.map(\.swiftLiteral).joined(separator: ", ")))")
        }
        lines.append(
            "let first = try \(options.isPool ? "DatabasePool" : "DatabaseQueue")(path: path, configuration: config)")
        let text = "\(program.steps)"
        if text.contains("connection: 1") {
            lines.append(
                "let second = try \(options.isSecondPool ? "DatabasePool" : "DatabaseQueue")(path: path, configuration: config)"
            )
        }
        if program.steps.contains(where: { ["perform", "undo", "redo"].contains($0.name) }) {
            lines.append("let history = UndoHistory(firesTriggers: \(options.firesTriggers))")
        }
        for step in program.steps { lines += step.swift }
        lines += complaint.split(separator: "\n").map { "// \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The statements of the schema that the steps need.
    private static func schema(of program: Program) -> [String] {
        let text = (program.steps.flatMap(\.swift) + (program.options.audited ?? [])).joined(separator: "\n")
        func isUsed(_ name: String) -> Bool { text.firstRange(of: name) != nil }
        var tables = Schema.tables.filter { isUsed($0.name) }.map(\.name)
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

extension Step {
    /// The lines of the step.
    var swift: [String] {
        func name(_ connection: Int) -> String { connection == 0 ? "first" : "second" }
        func rows(_ reader: String, _ sql: String) -> String {
            "print(try \(reader).read { db in try Row.fetchAll(db, sql: \(sql.swiftLiteral)) })"
        }
        switch self {
        case .write(let transaction): return transaction.lines()
        case .perform(let transaction): return transaction.lines(inAction: true)
        case .undo: return ["print(try first.write { db in try history.undo(db) })"]
        case .redo: return ["print(try first.write { db in try history.redo(db) })"]
        case .read(let connection, let query): return [rows(name(connection), query.sql)]
        case .observe(let plan):
            var lines = [
                "let observation = ValueObservation.tracking { db in try Row.fetchAll(db, sql: \(plan.query.sql.swiftLiteral)) }",
                "    .delivering(.\(plan.isEveryCommit ? "everyCommit" : "latest"))",
            ]
            if plan.includesExternalChanges { lines.append("    .includingExternalChanges()") }
            lines.append(
                "let cancellable = observation.start(in: \(name(plan.connection)), scheduling: .async(onQueue: DispatchQueue(label: \"values\")), onError: { print($0) }, onChange: { print($0) })"
            )
            return lines
        case .stopObserving: return ["cancellable.cancel()"]
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
            return ["// \(name(connection)): \(alteration.rawValue) (table team, player, book)"]
        case .migrate(let count): return ["// \(count) migrations that create tables"]
        case .attach(let value): return ["// one transaction that writes \(value) to team and to an attached file"]
        case .vacuum: return ["try first.vacuum()"]
        case .checkpoint(let mode):
            return ["_ = try first.writeWithoutTransaction { db in try db.checkpoint(.\(mode.rawValue)) }"]
        case .suspended(let transaction): return ["first.suspend()"] + transaction.lines() + ["first.resume()"]
        case .backUp: return ["let copy = try DatabaseQueue()", "try first.backup(to: copy)"]
        case .restore: return ["try copy.backup(to: first)"]
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
        case .openSnapshot: return ["let snapshot = try first.makeSnapshot()"]
        case .readSnapshot(let query): return [rows("snapshot", query.sql)]
        case .reopen(let connection): return ["// \(name(connection)) is closed and opened again"]
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
