/// The content of a database in plain Swift: no SQLite is involved.
struct Model: Sendable {
    struct Row: Hashable, Sendable {
        /// The rowid; 0 in a `WITHOUT ROWID` table.
        var rowID: Int64
        /// The values of all columns, generated ones included.
        var values: [Value]
    }

    struct Table: Hashable, Sendable {
        /// The rows, in the order of their keys.
        var rows: [Row] = []
        /// The greatest rowid of an `AUTOINCREMENT` table.
        var sequence: Int64 = 0
    }

    var tables: [String: Table] = Dictionary(uniqueKeysWithValues: Schema.tables.map { ($0.name, Table()) })

    func rows(_ table: String) -> [Row] { tables[table]?.rows ?? [] }

    /// The tables in which two contents differ.
    func differences(from other: Model) -> [String] {
        Schema.tables.compactMap { table in
            let (mine, its) = (content(of: table), other.content(of: table))
            return mine == its ? nil : "\(table.name) has \(mine)\n  and not \(its)"
        }
    }

    /// The rows of a table, with the rowids that statements can find.
    private func content(of table: TableSpec) -> [[Value]] {
        rows(table.name).map { [.integer($0.rowID)] + (table.isContentless ? [] : $0.values) }
    }
}

/// The result of a statement.
enum Outcome: Equatable, Codable, Sendable {
    /// The statement has succeeded, and has returned these rows, if it has a `RETURNING` clause.
    case done([[Value]]?)
    /// A constraint has failed. With `FAIL`, the rows before it remain.
    case failed
    /// A constraint has failed, and the transaction was rolled back.
    case rolledBack

    var isDone: Bool { if case .done = self { true } else { false } }
}

/// The end of a statement by a constraint.
private enum Violation: Error {
    case abort, fail, rollback

    init(_ conflict: Conflict) {
        self = conflict == .rollback ? .rollback : conflict == .fail ? .fail : .abort
    }
}

extension Model {
    /// Runs a statement. `.rolledBack` leaves the model for the caller to restore.
    mutating func run(_ statement: Statement) -> Outcome {
        let before = self
        var run = StatementRun(model: self, statement: statement)
        do {
            try run.perform()
            self = run.model
        } catch Violation.fail {
            self = run.model
            return .failed
        } catch Violation.rollback {
            return .rolledBack
        } catch {
            self = before
            return .failed
        }
        if hasForeignKeyViolation {
            self = before
            return .failed
        }
        return .done(statement.isReturning ? run.returned : nil)
    }

    /// Whether a row refers to a missing row.
    var hasForeignKeyViolation: Bool {
        Schema.tables.contains { table in
            table.foreignKeys.contains { key in
                let parents = Set(rows(key.parent).map { Value.integer($0.rowID) })
                return rows(table.name).contains {
                    !$0.values[key.column].isNull && !parents.contains($0.values[key.column])
                }
            }
        }
    }

    /// Whether two rows have the same key, or a row lacks a value that it must have.
    var hasKeyViolation: Bool {
        Schema.tables.contains { table in
            let rows = rows(table.name)
            return rows.indices.contains { index in
                (!table.isWithoutRowID && rows[..<index].contains { $0.rowID == rows[index].rowID })
                    || table.allUniques.contains { unique in
                        rows[..<index].contains { table.isSame($0.values, rows[index].values, in: unique.columns) }
                    }
            }
        }
    }
}

extension TableSpec {
    /// Whether two rows have equal values in some columns, of which none is NULL.
    func isSame(_ left: [Value], _ right: [Value], in columns: [Int]) -> Bool {
        columns.allSatisfy { column in
            !left[column].isNull && !right[column].isNull
                && left[column].compared(to: right[column], self.columns[column].collation) == 0
        }
    }

    /// Whether a row comes before another one in the order of the keys.
    func precedes(_ left: Model.Row, _ right: Model.Row) -> Bool {
        if !isWithoutRowID { return left.rowID < right.rowID }
        for column in primaryKey {
            let order = left.values[column].compared(to: right.values[column], columns[column].collation)
            if order != 0 { return order < 0 }
        }
        return false
    }

    /// Whether two rows are the same row: equal rowids, or equal keys.
    func isAtSamePlace(_ left: Model.Row, _ right: Model.Row) -> Bool {
        isWithoutRowID ? isSame(left.values, right.values, in: primaryKey) : left.rowID == right.rowID
    }

    /// The values of all columns of a row, from those of the stored columns.
    func completed(_ stored: [Value]) -> [Value] {
        var values = [Value](repeating: .null, count: columns.count)
        for (column, value) in zip(storedColumns, stored) { values[column] = value }
        return withGenerated(values)
    }

    func withGenerated(_ values: [Value]) -> [Value] {
        var values = values
        for index in columns.indices {
            guard let generation = columns[index].generation else { continue }
            values[index] = values[generation.source].string.map { .text($0 + "!") } ?? .null
        }
        return values
    }
}

/// The run of one statement on a model.
private struct StatementRun {
    var model: Model
    let statement: Statement
    let spec: TableSpec
    var returned: [[Value]] = []
    /// The greatest rowid that an `INSERT` into an `AUTOINCREMENT` table has used.
    private var sequence: Int64

    init(model: Model, statement: Statement) {
        self.model = model
        self.statement = statement
        spec = statement.spec
        sequence = model.tables[statement.table]!.sequence
    }

    mutating func perform() throws {
        switch statement.change {
        case .insert(let rows): for row in rows { try insert(row, upsert: nil) }
        case .upsert(let rows, let column): for row in rows { try insert(row, upsert: .some(column)) }
        case .update(let assignments, let condition): try update(assignments, condition)
        case .delete(let condition): delete(condition)
        }
        if spec.isAutoincrement { model.tables[spec.name]!.sequence = sequence }
    }

    // MARK: Rows

    private var rows: [Model.Row] { model.tables[spec.name]!.rows }

    private func matching(_ condition: Statement.Condition) -> [Model.Row] {
        rows.filter { row in
            switch condition {
            case .all: return true
            case .rowID(let rowID): return row.rowID == rowID
            case .scan(let column, let comparison, let value):
                return comparison.holds(row.values[column], value, spec.columns[column].collation)
            case .equals(let column, let value):
                let spec = spec.columns[column]
                let right =
                    spec.affinity == .none ? value : value.stored(spec.affinity == .real ? .integer : spec.affinity)
                return Statement.Comparison.equal.holds(row.values[column], right, spec.collation)
            }
        }
    }

    private mutating func note(_ id: Int64, _ what: String) { model.note(id, what, spec) }

    // MARK: Insertion

    private mutating func insert(_ new: Statement.NewRow, upsert: Int??) throws {
        var values = spec.completed(new.values)
        var rowID: Int64 = 0
        if !spec.isWithoutRowID {
            var given = new.rowID
            if let column = spec.rowIDColumn, case .integer(let number) = values[column] { given = number }
            let next = max(rows.last?.rowID ?? 0, spec.isAutoincrement ? sequence : 0) + 1
            rowID = given ?? next
            sequence = max(sequence, rowID)
            if let column = spec.rowIDColumn { values[column] = .integer(rowID) }
        }
        do {
            values = try stored(values)
        } catch Skip.row {
            return
        } catch Skip.typeViolation {
            // SQLite checks the rowid before the types.
            let resolution = conflict(spec.primaryKeyConflict)
            let exists = rows.contains { $0.rowID == rowID }
            if exists && resolution == .ignore { return }
            throw exists && resolution != .replace ? Violation(resolution) : .abort
        }
        var row = Model.Row(rowID: rowID, values: values)
        if let upsert, let existing = conflicting(row, except: nil).first {
            guard let column = upsert else { return }
            var changed = existing
            changed.values[column] = row.values[column]
            changed.values = spec.withGenerated(changed.values)
            try change(existing, to: changed)
            return
        }
        guard try makeRoom(for: row, except: nil) else { return }
        row.values = spec.withGenerated(row.values)
        model.place(row, in: spec)
        note(row.rowID, "insert")
        returned.append(row.values)
    }

    /// The values as the columns store them.
    private func stored(_ values: [Value]) throws -> [Value] {
        var values = values
        for index in values.indices where spec.columns[index].generation == nil {
            let column = spec.columns[index]
            values[index] = spec.isVirtual ? values[index] : values[index].stored(column.affinity)
            if spec.isStrict && !column.accepts(values[index]) { throw Skip.typeViolation }
            if values[index].isNull && index != spec.rowIDColumn
                && (column.isNotNull || (spec.isWithoutRowID && spec.primaryKey.contains(index)))
            {
                let conflict = statement.conflict ?? .abort
                if conflict == .ignore { throw Skip.row }
                throw Violation(conflict == .replace ? .abort : conflict)
            }
        }
        return spec.withGenerated(values)
    }

    private enum Skip: Error {
        /// The end of a row that `IGNORE` leaves out.
        case row
        /// A value that a `STRICT` table doesn't store.
        case typeViolation
    }

    /// The rows that a row can't exist next to.
    private func conflicting(_ row: Model.Row, except old: Model.Row?) -> [Model.Row] {
        rows.filter { other in
            if let old, spec.isAtSamePlace(old, other) { return false }
            return (!spec.isWithoutRowID && other.rowID == row.rowID)
                || spec.allUniques.contains { spec.isSame(other.values, row.values, in: $0.columns) }
        }
    }

    /// Resolves conflicts of a row. Returns false if the row must be left out.
    private mutating func makeRoom(for row: Model.Row, except old: Model.Row?) throws -> Bool {
        var replaced: [Model.Row] = []
        func others(_ test: (Model.Row) -> Bool) -> [Model.Row] {
            rows.filter { other in
                if let old, spec.isAtSamePlace(old, other) { return false }
                return test(other)
            }
        }
        var checks: [(Conflict, [Model.Row])] = []
        if !spec.isWithoutRowID {
            checks.append(
                (conflict(spec.rowIDColumn == nil ? nil : spec.primaryKeyConflict), others { $0.rowID == row.rowID }))
        }
        for unique in spec.allUniques {
            checks.append(
                (conflict(unique.conflict), others { spec.isSame($0.values, row.values, in: unique.columns) }))
        }
        // SQLite checks the constraints that replace rows after the others.
        for (conflict, rows) in checks where !rows.isEmpty && conflict != .replace {
            if conflict == .ignore { return false }
            throw Violation(conflict)
        }
        for (_, rows) in checks {
            for other in rows where !replaced.contains(other) {
                model.remove(other, from: spec, logs: false)
                replaced.append(other)
            }
        }
        return true
    }

    private func conflict(_ own: Conflict?) -> Conflict { statement.conflict ?? own ?? .abort }

    // MARK: Updates and deletions

    private mutating func update(_ assignments: [Statement.Assignment], _ condition: Statement.Condition) throws {
        for found in matching(condition) {
            // The rows are collected first. One that was replaced in the meantime is left out.
            guard let row = rows.first(where: { spec.isAtSamePlace($0, found) }) else { continue }
            var new = row
            for assignment in assignments { new.values[assignment.column] = value(assignment.term, row) }
            if let column = spec.rowIDColumn {
                guard case .integer(let number) = new.values[column].stored(.integer) else { throw Violation.abort }
                new.rowID = number
            }
            do {
                new.values = try stored(new.values)
            } catch Skip.row {
                continue
            } catch Skip.typeViolation {
                let resolution = conflict(spec.primaryKeyConflict)
                let exists = new.rowID != row.rowID && rows.contains { $0.rowID == new.rowID }
                if exists && resolution == .ignore { continue }
                throw exists && resolution != .replace ? Violation(resolution) : .abort
            }
            try change(row, to: new)
        }
    }

    private mutating func change(_ row: Model.Row, to new: Model.Row) throws {
        guard try makeRoom(for: new, except: row) else { return }
        model.remove(row, from: spec, logs: false, actsOnChildren: false)
        model.place(new, in: spec)
        if new.rowID != row.rowID { model.follow(row.rowID, to: new.rowID, parent: spec.name) }
        note(row.rowID, "update")
        returned.append(new.values)
    }

    private func value(_ term: Statement.Term, _ row: Model.Row) -> Value {
        switch term {
        case .value(let value): return value
        case .column(let column): return row.values[column]
        case .successor(let column):
            switch row.values[column].numeric {
            case .integer(let number): return .integer(number + 1)
            case .real(let number): return .real(number + 1)
            default: return .null
            }
        case .upper(let column): return mapped(row.values[column]) { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
        case .lower(let column): return mapped(row.values[column]) { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        }
    }

    private func mapped(_ value: Value, _ map: (UInt8) -> UInt8) -> Value {
        value.string.map { .text(String(decoding: $0.utf8.map(map), as: UTF8.self)) } ?? .null
    }

    private mutating func delete(_ condition: Statement.Condition) {
        for row in matching(condition) where rows.contains(where: { spec.isAtSamePlace($0, row) }) {
            model.remove(row, from: spec, logs: true)
            returned.append(row.values)
        }
    }
}

extension ColumnSpec {
    /// Whether a `STRICT` table stores a value in the column.
    fileprivate func accepts(_ value: Value) -> Bool {
        switch (affinity, value) {
        case (_, .null), (.none, _), (.text, .text), (.integer, .integer), (.real, .real): true
        default: false
        }
    }
}

extension Model {
    /// Puts a row at its place.
    mutating func place(_ row: Row, in spec: TableSpec) {
        let index = rows(spec.name).firstIndex { spec.precedes(row, $0) } ?? rows(spec.name).count
        tables[spec.name]!.rows.insert(row, at: index)
    }

    /// Removes a row, and acts on the rows that refer to it.
    mutating func remove(_ row: Row, from spec: TableSpec, logs: Bool, actsOnChildren: Bool = true) {
        tables[spec.name]!.rows.removeAll { spec.isAtSamePlace($0, row) }
        if logs { note(row.rowID, "delete", spec) }
        if !actsOnChildren { return }
        for table in Schema.tables {
            for key in table.foreignKeys where key.parent == spec.name {
                let children = rows(table.name).filter { $0.values[key.column] == .integer(row.rowID) }
                for child in children {
                    if key.deletes {
                        remove(child, from: table, logs: false)
                    } else {
                        set(.null, key.column, of: child, in: table)
                    }
                }
            }
        }
    }

    /// Changes the references to a row whose key has changed.
    mutating func follow(_ old: Int64, to new: Int64, parent: String) {
        for table in Schema.tables {
            for key in table.foreignKeys where key.parent == parent {
                for child in rows(table.name) where child.values[key.column] == .integer(old) {
                    set(.integer(new), key.column, of: child, in: table)
                }
            }
        }
    }

    private mutating func set(_ value: Value, _ column: Int, of row: Row, in table: TableSpec) {
        guard let index = rows(table.name).firstIndex(where: { table.isAtSamePlace($0, row) }) else { return }
        tables[table.name]!.rows[index].values[column] = value
    }

    /// Logs a change as the triggers of the table do.
    mutating func note(_ id: Int64, _ what: String, _ spec: TableSpec) {
        guard let log = spec.log else { return }
        let next = (rows(log).last?.rowID ?? 0) + 1
        tables[log]!.rows.append(Row(rowID: next, values: [.text(what), .integer(id)]))
    }
}
