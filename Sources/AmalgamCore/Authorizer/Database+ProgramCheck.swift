import CAmalgam

/// The second check of statements under an authorizer, by the compiled program.
///
/// SQLite doesn't ask the authorizer about all that a statement does: about columns of USING and NATURAL, the source of
/// `INSERT INTO … SELECT * FROM …`, arguments of table-valued functions, inserted columns, and columns of `excluded`.
/// So the authorizer is asked again about what the program does without a report. A column can't be ignored any more: a
/// statement runs only if the authorizer allows it.
extension Database {
    /// Throws if the current authorizer doesn't allow the program of a new statement.
    func checkProgram(of statement: Statement) throws {
        try checkExplanation(statement)
        let (code, denied) = answer(to: statement)
        guard code != SQLITE_OK else { return }
        _ = access.authorizerScope?.takeDenial()
        if let failure = access.authorizerScope?.takeFailure() { throw failure }
        guard let denied else { throw error(code, sql: statement.sql) }
        let names = [denied.tableName, denied.columnName].compactMap(\.self).filter { !$0.isEmpty }
        throw DatabaseError(
            resultCode: .SQLITE_AUTH,
            message: denied.kind == .read
                ? "access to \(names.joined(separator: ".")) is prohibited" : "not authorized: \(denied)",
            sql: statement.sql
        ).denying(denied)
    }

    /// Throws if a sandboxed statement lists instructions: EXPLAIN shows addresses of virtual tables in the memory of the
    /// process. `EXPLAIN QUERY PLAN` doesn't.
    ///
    /// - Throws: `SQLITE_AUTH`
    private func checkExplanation(_ statement: Statement) throws {
        guard access.authorizerScope?.preservesTransaction == true,
            sqlite3_stmt_isexplain(statement.sqliteStatement) == 1
        else { return }
        throw DatabaseError(
            resultCode: .SQLITE_AUTH,
            message: "not authorized: a sandbox allows EXPLAIN QUERY PLAN, but not EXPLAIN", sql: statement.sql
        ).denying(AuthorizerAction(kind: .select, first: "EXPLAIN"))
    }

    /// Steps a statement for the first time in a run, if the current authorizer allows its program.
    ///
    /// SQLite may compile the statement again before the first step. The new program is checked, and no other one runs.
    func stepIfAllowed(_ statement: Statement) -> CInt {
        for _ in 0..<Self.compilationsOfOneStep {
            let isCurrent = schema.state.isCurrent(statement.sqliteStatement)
            // The statement isn't stepped: SQLite would compile it once more, and run a program that isn't checked.
            if !isCurrent, amalgam_compile_again(statement.sqliteStatement) == 0 { return compilationFailure }
            let answer = answer(to: statement).code
            if answer != SQLITE_OK { return answer }
            if mayEndTransaction(statement) { return SQLITE_AUTH }
            // If the statement exceeds a limit, SQLite can then undo the statement alone.
            if access.authorizerScope?.preservesTransaction == true { amalgam_use_journal(statement.sqliteStatement) }
            let code = statement.mayStepUnderSchemaLock ? statement.stepOnceIfCurrent() : statement.stepOnce()
            if code != CInt(AMALGAM_NOT_STEPPED) { return code }
        }
        return SQLITE_SCHEMA
    }

    /// The code of the compilation that has just failed.
    private var compilationFailure: CInt {
        lastErrorCode.rawValue == SQLITE_OK ? SQLITE_SCHEMA : lastErrorCode.rawValue
    }

    /// As often as SQLite, by default: `SQLITE_MAX_SCHEMA_RETRY`.
    private static var compilationsOfOneStep: Int { 50 }

    /// Whether the program may roll the transaction back, although the scope of the authorizer preserves it.
    private func mayEndTransaction(_ statement: Statement) -> Bool {
        guard access.authorizerScope?.preservesTransaction == true, isInsideTransaction else { return false }
        return amalgam_may_roll_back(statement.sqliteStatement) != 0
    }

    /// Asks the authorizer about the program of a statement.
    ///
    /// - Returns: `SQLITE_AUTH` and the denied action, if any, which the scope of the authorizer has, too. A different
    ///   code if the SQL could not be compiled a second time.
    private func answer(to statement: Statement) -> (code: CInt, denied: AuthorizerAction?) {
        guard let scope = access.authorizerScope else { return (SQLITE_OK, nil) }
        let compilation = sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if statement.allowedCompilation == compilation { return (SQLITE_OK, nil) }
        guard let actions = statement.unreportedActions else {
            return (compilationFailure, nil)
        }
        for action in actions {
            guard action.alternatives.contains(where: { action.isAllowed(decide($0)) }) else {
                return (SQLITE_AUTH, action.alternatives[0])
            }
            _ = scope.takeDenial()
            _ = scope.takeFailure()
        }
        statement.allowedCompilation = compilation
        return (SQLITE_OK, nil)
    }
}

/// An action that SQLite hasn't reported to the authorizer.
struct UnreportedAction {
    /// The action, by itself, and as caused by the views that the statement uses. One of them must be allowed.
    var alternatives: [AuthorizerAction]

    fileprivate init(alternatives: [AuthorizerAction]) {
        self.alternatives = alternatives
    }

    fileprivate init(_ kind: AuthorizerAction.Kind, _ table: SchemaTable, _ column: String) {
        alternatives = [AuthorizerAction(kind: kind, first: table.name, second: column, schemaName: table.schema)]
    }

    /// Whether a decision allows the action. A program can't read NULL in place of a column. SQLite doesn't ignore
    /// the presence of rows either.
    func isAllowed(_ decision: AuthorizerDecision) -> Bool {
        switch decision {
        case .allow: true
        case .ignore: alternatives[0].kind != .read || alternatives[0].columnName == ""
        case .deny: false
        }
    }
}

extension Statement {
    /// What the compiled program does without a report to the authorizer; nil if that isn't known, because the SQL could
    /// not be compiled a second time.
    fileprivate var unreportedActions: [UnreportedAction]? {
        let clauses = Int(amalgam_statement_clauses(sqliteStatement))
        let hasUsing = clauses & AMALGAM_HAS_USING != 0
        // The reports are those of the last compilation by `prepare`. SQLite may have compiled the statement again.
        let isCurrent = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0) == 0
        var reports = AuthorizerReports(access.facts)
        if !isCurrent {
            guard let facts = database.facts(sql: sql, { _ in }) else { return nil }
            reports = AuthorizerReports(facts)
        }
        guard let program = ProgramFacts(sqliteStatement, readsAllVirtualColumns: hasUsing) else { return nil }
        // With WITH, USING or NATURAL, a column may be read directly, although it was reported for a view.
        reports.countsViews = clauses == 0
        reports.withholdsViews = clauses & Int(AMALGAM_HAS_WITH) != 0
        return reports.unreported(program) + insertedColumns(reports)
    }

    private func insertedColumns(_ reports: AuthorizerReports) -> [UnreportedAction] {
        reports.inserts.sorted(by: <).flatMap { table in
            let inserted = insertedColumns(of: table)
            // Other columns of `excluded` have a default value, are computed, or are a key that SQLite has chosen.
            let given = Set(inserted.map(\.foldedName))
            let excluded = excludedColumns.filter { !given.contains($0.foldedName) }
            return inserted.map { UnreportedAction(.insert, table, $0) }
                + excluded.map { UnreportedAction(.read, table, $0) }
        }
    }

    private func insertedColumns(of table: SchemaTable) -> [String] {
        var columns: [String] = []
        withUnsafeMutablePointer(to: &columns) { columns in
            amalgam_inserted_columns(sqliteStatement, table.schema, table.name, columns) { columns, name, length in
                columns!.assumingMemoryBound(to: [String].self).pointee.append(String(token: name, length))
            }
        }
        return columns
    }

    /// The columns of `excluded` that the statement names: the values that were to be inserted.
    private var excludedColumns: [String] {
        var columns: [String] = []
        withUnsafeMutablePointer(to: &columns) { columns in
            amalgam_excluded_columns(sqliteStatement, columns) { columns, name, length in
                columns!.assumingMemoryBound(to: [String].self).pointee.append(String(token: name, length))
            }
        }
        return columns
    }
}

/// What SQLite has reported to the authorizer, and what the authorizer has allowed.
private struct AuthorizerReports {
    typealias Table = SchemaTable

    /// Whether a column counts as reported if a view has caused the report.
    var countsViews = true

    /// Whether SQLite's reports for views had no names of views, so that the authorizer was asked for direct reads.
    var withholdsViews = false

    /// The tables into which the statement itself inserts.
    private(set) var inserts: Set<Table> = []

    private var columns: [Table: Set<ExactString>] = [:]
    private var viewColumns: [Table: Set<ExactString>] = [:]
    private var changes: Set<Table> = []
    private var views: Set<ExactString> = []
    private var isPragma = false
    private var changesSchema = false

    init(_ facts: borrowing StatementFacts) {
        isPragma = facts.isPragma
        changesSchema = facts.invalidatesSchemaCache
        facts.forEachRecord { record in
            guard let name = record.first else { return }
            // SQLite reports the presence of rows without a schema, and with the name in the spelling of the statement.
            let spelled = Table(schema: record.schema ?? "main", name: name)
            let table = spelled.folded
            switch record.action {
            case SQLITE_READ:
                guard let column = record.second, !record.isNested else { return }
                if let accessor = record.accessor {
                    views.insert(ExactString(accessor))
                    viewColumns[table, default: []].insert(ExactString(column))
                } else {
                    columns[table, default: []].insert(ExactString(column))
                }
            case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
                changes.insert(table)
                if record.action == SQLITE_INSERT && !record.isNested && !changesSchema { inserts.insert(spelled) }
            default: break
            }
        }
    }

    /// What a program does without a report. Triggers and foreign key actions belong to the schema: they may read and
    /// write what they want.
    func unreported(_ program: ProgramFacts) -> [UnreportedAction] {
        var actions: [UnreportedAction] = []
        for (table, read) in program.reads.sorted(by: { $0.key < $1.key }) where !isExempt(table) {
            actions += unreportedReads(of: table, read)
        }
        for table in program.writes.sorted(by: <) where !changesSchema && !isPragma && table.name != "sqlite_sequence" {
            if !changes.contains(table.folded) { actions.append(question(.update, table, "")) }
        }
        return actions
    }

    /// A pragma is allowed by its name. To change the schema, SQLite reads its own tables.
    private func isExempt(_ table: Table) -> Bool { isPragma || (changesSchema && table.name.hasPrefix("sqlite_")) }

    private func unreportedReads(of table: Table, _ read: Set<ExactString>) -> [UnreportedAction] {
        var reported = columns[table.folded, default: []]
        if countsViews || withholdsViews { reported.formUnion(viewColumns[table.folded, default: []]) }
        if read.isEmpty && reported.isEmpty { return [question(.read, table, "")] }
        return read.subtracting(reported).map(\.string).sorted().map { question(.read, table, $0) }
    }

    private func question(_ kind: AuthorizerAction.Kind, _ table: Table, _ column: String) -> UnreportedAction {
        func action(_ accessor: String?) -> AuthorizerAction {
            AuthorizerAction(
                kind: kind, first: table.name, second: column, schemaName: table.schema, accessorName: accessor)
        }
        return UnreportedAction(
            alternatives: [action(nil)] + (countsViews ? views.map(\.string).sorted().map(action) : []))
    }
}

extension String {
    /// The name that a token of SQL stands for.
    fileprivate init(token: UnsafePointer<CChar>?, _ length: CInt) {
        let bytes = UnsafeRawBufferPointer(start: token, count: Int(length))
        self = String(decoding: Self.unquoted(Array(bytes)), as: UTF8.self)
    }

    /// A name. Two names are equal if SQLite takes them for equal.
    fileprivate var foldedName: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }

    /// The bytes of the name that an identifier in SQL stands for. A quotation mark and a combining mark that follows are one
    /// Character.
    private static func unquoted(_ bytes: [UInt8]) -> [UInt8] {
        let opening = [UInt8]("\"'`[".utf8), closing = [UInt8]("\"'`]".utf8)
        guard bytes.count >= 2, let index = opening.firstIndex(of: bytes[0]), bytes.last == closing[index] else {
            return bytes
        }
        let name = bytes.dropFirst().dropLast()
        return bytes[0] == closing[index] ? Array(name.replacing([bytes[0], bytes[0]], with: [bytes[0]])) : Array(name)
    }
}

extension SchemaTable {
    fileprivate static func < (lhs: SchemaTable, rhs: SchemaTable) -> Bool {
        (lhs.schema, lhs.name) < (rhs.schema, rhs.name)
    }

    /// The same table, with names that are equal if SQLite takes them for equal.
    fileprivate var folded: SchemaTable {
        SchemaTable(schema: schema.foldedName, name: name.foldedName)
    }
}
