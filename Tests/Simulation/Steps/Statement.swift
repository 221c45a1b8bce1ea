/// A statement that changes rows of one table. The model evaluates the same description in plain Swift.
package struct Statement: Codable, Sendable {
    package var table: String
    package var change: Change
    package var conflict: Conflict?
    /// How the statement reaches SQLite.
    package var form: Form
    /// Whether the statement has a `RETURNING *` clause, whose rows are compared.
    package var isReturning = false

    package enum Change: Codable, Sendable {
        case insert([NewRow])
        /// `INSERT … ON CONFLICT (key) DO UPDATE SET column = excluded.column`, or `DO NOTHING` without a column.
        case upsert([NewRow], column: Int?)
        case update([Assignment], Condition)
        case delete(Condition)
    }

    package enum Form: String, Codable, CaseIterable, Sendable {
        /// SQL with literals.
        case literals
        /// SQL with arguments.
        case arguments
        /// A request of the query interface, or a record.
        case request
    }

    package struct NewRow: Codable, Sendable {
        /// The rowid of a table without an `INTEGER PRIMARY KEY`; nil for the next one.
        var rowID: Int64?
        /// The values of the stored columns.
        var values: [Value]
    }

    package struct Assignment: Codable, Sendable {
        var column: Int
        var term: Term
    }

    /// A new value of a column, computed from the row before the change.
    package enum Term: Codable, Sendable {
        case value(Value)
        case column(Int)
        case successor(Int)
        case upper(Int)
        case lower(Int)
    }

    package enum Condition: Codable, Sendable {
        case all
        /// A comparison that no index serves, so that rows come in the order of their keys.
        case scan(Int, Comparison, Value)
        /// An equality that an index may serve.
        case equals(Int, Value)
        case rowID(Int64)
    }

    package enum Comparison: String, Codable, CaseIterable, Sendable {
        case equal = "="
        case unequal = "<>"
        case less = "<"
        case isSame = "IS"
        case isOther = "IS NOT"

        func holds(_ left: Value, _ right: Value, _ collation: Collation) -> Bool {
            switch self {
            case .isSame: return left.compared(to: right, collation) == 0
            case .isOther: return left.compared(to: right, collation) != 0
            default: break
            }
            if left.isNull || right.isNull { return false }
            let order = left.compared(to: right, collation)
            switch self {
            case .equal: return order == 0
            case .unequal: return order != 0
            default: return order < 0
            }
        }
    }

    var spec: TableSpec { Schema.table(table) }

    /// The name of the kind of statement, for the coverage.
    var name: String {
        switch change {
        case .insert: "insert" + (conflict.map { " or \($0)" } ?? "")
        case .upsert(_, let column): column == nil ? "upsert nothing" : "upsert"
        case .update: "update" + (conflict.map { " or \($0)" } ?? "")
        case .delete: "delete"
        }
    }
}

extension Statement {
    /// The SQL of the statement. Values are appended to `arguments`, or written as literals if it is nil.
    func sql(arguments: inout [Value]?) -> String {
        let spec = spec
        func name(_ column: Int) -> String { "\"\(spec.columns[column].name)\"" }
        func literal(_ value: Value, _ column: Int? = nil) -> String {
            if let column, spec.columns[column].domain == .jsonb, let sample = JSONSample(value) {
                return "jsonb(\(sample.text.sql))"
            }
            guard arguments != nil else { return value.sql }
            arguments?.append(value)
            return "?"
        }
        func condition(_ condition: Condition) -> String {
            switch condition {
            case .all: ""
            case .scan(let column, let comparison, let value):
                " WHERE +\(name(column)) \(comparison.rawValue) \(literal(value))"
            case .equals(let column, let value): " WHERE \(name(column)) = \(literal(value))"
            case .rowID(let rowID): " WHERE rowid = \(literal(.integer(rowID)))"
            }
        }
        func term(_ term: Term, for column: Int) -> String {
            switch term {
            case .value(let value): literal(value, column)
            case .column(let column): name(column)
            case .successor(let column): "\(name(column)) + 1"
            case .upper(let column): "upper(\(name(column)))"
            case .lower(let column): "lower(\(name(column)))"
            }
        }
        func insertion(_ rows: [NewRow]) -> String {
            let hasRowID = rows.contains { $0.rowID != nil }
            let columns = (hasRowID ? ["rowid"] : []) + spec.storedColumns.map(name)
            let values = rows.map { row in
                let rowID = hasRowID ? [literal(row.rowID.map(Value.integer) ?? .null)] : []
                return
                    "(\((rowID + zip(spec.storedColumns, row.values).map { literal($1, $0) }).joined(separator: ", ")))"
            }
            return "INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(values.joined(separator: ", "))"
        }
        let or = conflict.map { " OR \($0.rawValue)" } ?? ""
        let text: String
        switch change {
        case .insert(let rows): text = "INSERT\(or) \(insertion(rows))"
        case .upsert(let rows, let column):
            let key = spec.rowIDColumn.map { [$0] } ?? spec.primaryKey
            let target = key.map(name).joined(separator: ", ")
            let action = column.map { "UPDATE SET \(name($0)) = excluded.\(name($0))" } ?? "NOTHING"
            text = "INSERT \(insertion(rows)) ON CONFLICT (\(target)) DO \(action)"
        case .update(let assignments, let where_):
            let list = assignments.map { "\(name($0.column)) = \(term($0.term, for: $0.column))" }
            text = "UPDATE\(or) \(table) SET \(list.joined(separator: ", "))\(condition(where_))"
        case .delete(let where_): text = "DELETE FROM \(table)\(condition(where_))"
        }
        return isReturning ? text + " RETURNING *" : text
    }

    /// The SQL with literals.
    package var sql: String {
        var none: [Value]?
        return sql(arguments: &none)
    }
}
