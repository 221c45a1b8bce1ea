/// Draws steps, statements and queries.
struct StepMaker {
    var draw: Draw
    /// The tables that the statements of the program write.
    let tables: [String]
    let firesTriggers: Bool

    private static let values: [Value] = [
        .null, .integer(0), .integer(1), .integer(2), .integer(3), .real(1), .real(1.5), .text("a"), .text("A"),
        .text("b"), .text("B"), .text("a "), .text(""), .text("1"), .text("ä"), .blob([0x61]), .blob([]),
    ]

    private static let vocabulary = ["a", "b", "c", "ab", "abc", "d", "elephant", "relevant", "elegant"]

    // MARK: Steps

    /// A step at the beginning of a program, which fills tables.
    mutating func filling() -> Step {
        let statements = draw.list(3...6) { _ in 0 }.map { _ in
            let table = Schema.table(draw.pick(tables))
            return Statement(table: table.name, change: .insert(rows(table, 1...4)), form: .literals)
        }
        return .write(Transaction(connection: 0, parts: statements.map { .statement($0) }))
    }

    mutating func step() -> Step {
        switch draw.number(below: 100) {
        case 0..<26: return .write(transaction())
        case 26..<36: return .perform(action())
        case 36..<43: return .undo
        case 43..<48: return .redo
        case 48..<54: return .read(connection: connection(), query())
        case 54..<62:
            return .observe(
                Step.Observation(
                    query: query(), connection: connection(), isEveryCommit: draw.chance(60),
                    includesExternalChanges: draw.chance(20)))
        case 62..<64: return .stopObserving(draw.number(below: 4))
        case 64:
            return .fuzzy(
                connection: connection(), table: draw.pick(["book", "page"]),
                word: draw.pick(["elephent", "relevent", "elegand", "lephant", "abc"]))
        case 65..<68:
            return .rank(
                connection: connection(), table: draw.pick(["book", "page", "bare"]), search(),
                limit: draw.pick([1, 3, 100]))
        case 68..<72: return .alter(draw.pick(Step.Alteration.allCases), connection: connection())
        case 72: return .migrate(1 + draw.number(below: 5))
        case 73: return .attach(Int64(draw.number(below: 100)))
        case 74: return .vacuum
        case 75..<77: return .checkpoint(draw.pick(Step.Checkpoint.allCases))
        case 77: return .suspended(transaction())
        case 78: return draw.chance(50) ? .backUp : .restore
        case 79..<81: return .changeset(transaction())
        case 81..<83:
            let readable = Schema.tables.map(\.name).filter { _ in draw.chance(60) }
            return .sandboxed(query(), readable: readable, wraps: draw.chance(30))
        case 83: return .sandboxedWrite(draw.pick(Step.SandboxedWrite.allCases))
        case 84..<86: return .nested(draw.pick(Step.Nested.allCases))
        case 86: return .cancelled(transaction(), awaits: draw.number(below: 3))
        case 87: return .oversized(Int64(draw.number(below: 5)))
        case 88: return draw.chance(50) ? .openSnapshot : .readSnapshot(query())
        case 89: return .reopen(connection())
        case 90..<95:
            return .faulty(
                transaction(), draw.pick(Step.Fault.allCases), n: 1 + draw.number(below: draw.pick([10, 100, 400])))
        case 95: return .otherProcess(draw.list(1...3) { _ in 0 }.map { _ in transaction() })
        case 96: return .killed(draw.list(2...6) { _ in 0 }.map { _ in transaction() }, after: draw.number(below: 4))
        default:
            return .overlap(
                writers: (0..<2).map { index in
                    (0..<(1 + draw.number(below: 4))).map { _ in
                        var transaction = transaction()
                        transaction.connection = index
                        if transaction.kind == .autocommit { transaction.kind = .transaction }
                        return transaction
                    }
                },
                readers: (0..<4).map { _ in (0..<(1 + draw.number(below: 5))).map { _ in query() } })
        }
    }

    private mutating func connection() -> Int { draw.chance(75) ? 0 : 1 }

    mutating func transaction() -> Transaction {
        let count = 1 + draw.number(below: 4)
        var parts: [Transaction.Part] = []
        for _ in 0..<count {
            if draw.chance(15) {
                let statements = (0..<(1 + draw.number(below: 3))).map { _ in statement() }
                parts.append(.savepoint(statements, isRolledBack: draw.chance(50)))
            } else {
                parts.append(.statement(statement()))
            }
        }
        let kind = draw.pick([Transaction.Kind.transaction, .transaction, .transaction, .autocommit, .asynchronous])
        if kind == .autocommit { parts = parts.flatMap(\.statements).map { .statement($0) } }
        return Transaction(
            connection: connection(), parts: parts, kind: kind, isRolledBack: kind != .autocommit && draw.chance(8))
    }

    /// A transaction that a history performs.
    private mutating func action() -> Transaction {
        var transaction = transaction()
        transaction.connection = 0
        transaction.kind = .transaction
        transaction.isRolledBack = false
        if draw.chance(10) { transaction.parts = many() }
        if firesTriggers { return transaction }
        // Without triggers, undoing leaves the full-text table behind its content.
        transaction.parts.removeAll { $0.statements.contains { $0.table == "noted" } }
        return transaction
    }

    /// Many rows of a table without a key, of which some are changed or deleted.
    private mutating func many() -> [Transaction.Part] {
        let rows = (0..<150).map {
            Statement.NewRow(rowID: nil, values: [.integer(Int64($0 % 7)), .integer(Int64($0))])
        }
        let insert = Statement(table: "team", change: .insert(rows), form: .literals)
        let change: Statement.Change =
            draw.chance(50)
            ? .delete(.scan(0, .equal, .integer(2)))
            : .update([Statement.Assignment(column: 1, term: .successor(1))], .scan(0, .less, .integer(4)))
        return [.statement(insert), .statement(Statement(table: "team", change: change, form: .literals))]
    }

    // MARK: Statements

    mutating func statement() -> Statement {
        let table = Schema.table(draw.pick(tables))
        let isReturning = !table.isVirtual && draw.chance(15)
        let form = draw.pick(Statement.Form.allCases)
        switch draw.number(below: table.isContentless ? 7 : 10) {
        case 0..<4:
            return Statement(
                table: table.name, change: .insert(rows(table, 1...3)), conflict: conflict(table), form: form,
                isReturning: isReturning)
        case 4..<5 where canUpsert(table):
            let columns = table.storedColumns.filter { $0 != table.rowIDColumn && !table.primaryKey.contains($0) }
            return Statement(
                table: table.name,
                change: .upsert(
                    rows(table, 1...2, hasRowIDs: false), column: draw.chance(75) ? draw.pick(columns) : nil),
                form: form, isReturning: isReturning)
        case 4..<7:
            return Statement(
                table: table.name, change: .delete(condition(table)), form: form, isReturning: isReturning)
        default:
            let columns = table.storedColumns
            let count = draw.chance(80) ? 1 : 2
            var assignments: [Statement.Assignment] = []
            for _ in 0..<count {
                let column = draw.pick(columns)
                if assignments.contains(where: { $0.column == column }) { continue }
                assignments.append(Statement.Assignment(column: column, term: term(column, table)))
            }
            return Statement(
                table: table.name, change: .update(assignments, condition(table)), conflict: conflict(table),
                form: form,
                isReturning: isReturning)
        }
    }

    private func canUpsert(_ table: TableSpec) -> Bool {
        !table.isVirtual && table.uniques.isEmpty && table.primaryKeyConflict == nil
            && (table.rowIDColumn != nil || !table.primaryKey.isEmpty)
    }

    private mutating func conflict(_ table: TableSpec) -> Conflict? {
        if table.isVirtual || draw.chance(45) { return nil }
        // REPLACE fires no triggers, so that the full-text table would keep its words. FAIL leaves violated foreign keys.
        if table.log != nil { return draw.pick([nil, .ignore]) }
        if !table.foreignKeys.isEmpty || table.name == "parent" { return draw.pick([nil, .ignore, .replace]) }
        return draw.pick([.replace, .replace, .ignore, .fail, .abort, .rollback])
    }

    private mutating func rows(_ table: TableSpec, _ counts: ClosedRange<Int>, hasRowIDs: Bool = true) -> [Statement
        .NewRow]
    {
        let count = counts.lowerBound + draw.number(below: counts.count)
        return (0..<count).map { _ in
            // A contentless table takes a second document with the rowid of another one.
            let hasRowID =
                hasRowIDs && table.rowIDColumn == nil && !table.isWithoutRowID && !table.isContentless
                && draw.chance(15)
            return Statement.NewRow(
                rowID: hasRowID ? Int64(1 + draw.number(below: 8)) : nil,
                values: table.storedColumns.map { value($0, table) })
        }
    }

    private mutating func value(_ column: Int, _ table: TableSpec) -> Value {
        switch table.columns[column].domain {
        case .keys: return draw.chance(25) ? .null : .integer(Int64(1 + draw.number(below: 6)))
        case .parents: return draw.chance(20) ? .null : .integer(Int64(1 + draw.number(below: 5)))
        case .json: return draw.pick(JSONSample.all).text
        case .jsonb: return draw.pick(JSONSample.all).binary
        case .words:
            let count = draw.number(below: 6)
            return .text((0..<count).map { _ in draw.pick(Self.vocabulary) }.joined(separator: " "))
        case nil: return draw.pick(Self.values)
        }
    }

    private mutating func term(_ column: Int, _ table: TableSpec) -> Statement.Term {
        let spec = table.columns[column]
        if spec.domain == .json || spec.domain == .jsonb || spec.domain == .words || spec.domain == .parents {
            return .value(value(column, table))
        }
        switch draw.number(below: 8) {
        case 0..<4:
            // NULL isn't a value of an INTEGER PRIMARY KEY.
            let new = value(column, table)
            return .value(column == table.rowIDColumn && new.isNull ? .integer(7) : new)
        case 4: return .successor(column)
        case 5: return column == table.rowIDColumn ? .successor(column) : .column(draw.pick(table.storedColumns))
        case 6: return .upper(column)
        default: return .lower(column)
        }
    }

    private mutating func condition(_ table: TableSpec) -> Statement.Condition {
        if table.isVirtual { return draw.chance(10) ? .all : .rowID(Int64(1 + draw.number(below: 8))) }
        if draw.chance(15) { return .all }
        let column = draw.number(below: table.columns.count)
        let source = table.columns[column].generation?.source ?? column
        let value = value(source, table)
        let isKey = column == table.rowIDColumn || table.allUniques.contains { $0.columns == [column] }
        if draw.chance(50) && (isKey || table.allUniques.isEmpty) && table.columns[column].generation == nil {
            return .equals(column, value)
        }
        return .scan(column, draw.pick(Statement.Comparison.allCases), value)
    }

    // MARK: Queries

    mutating func query() -> Query {
        let table = Schema.table(draw.pick(tables))
        switch draw.number(below: 12) {
        case 0..<2: return table.isContentless ? .count(table.name) : .rows(table.name)
        case 2: return .count(draw.pick(tables))
        case 3..<5:
            if table.isVirtual { return .search(table.name, search()) }
            let column = draw.number(below: table.columns.count)
            let value = value(table.columns[column].generation?.source ?? column, table)
            if value.isNull { return .rows(table.name) }
            return draw.chance(50)
                ? .filtered(table.name, column: column, value) : .requested(table.name, column: column, value)
        case 5..<9: return .join(draw.pick(Query.Join.allCases))
        case 9..<11: return .json(draw.pick(Query.Member.allCases))
        default:
            let table = draw.pick(["book", "page", "bare", "words"])
            return .search(table, search(columns: table == "words" ? ["text"] : ["title", "body"]))
        }
    }

    mutating func search(columns: [String] = ["title", "body"], depth: Int = 0) -> SearchQuery {
        func word(_ draw: inout Draw) -> String { draw.pick(Self.vocabulary) }
        switch draw.number(below: depth > 1 ? 5 : 9) {
        case 0: return .prefix(draw.pick(["a", "ab"]))
        case 1: return .phrase([word(&draw), word(&draw)])
        case 2: return .initial(word(&draw))
        case 3: return .near(word(&draw), word(&draw), draw.number(below: 3))
        case 4: return .word(word(&draw))
        case 5: return .column(draw.pick(columns), .word(word(&draw)))
        case 6: return .both(search(columns: columns, depth: depth + 1), search(columns: columns, depth: depth + 1))
        case 7: return .either(search(columns: columns, depth: depth + 1), search(columns: columns, depth: depth + 1))
        default: return .without(search(columns: columns, depth: depth + 1), search(columns: columns, depth: depth + 1))
        }
    }
}
