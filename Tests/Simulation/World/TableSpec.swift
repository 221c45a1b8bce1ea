/// What a statement does when a row violates a constraint.
package enum Conflict: String, Codable, CaseIterable, Sendable {
    case abort = "ABORT"
    case fail = "FAIL"
    case ignore = "IGNORE"
    case replace = "REPLACE"
    case rollback = "ROLLBACK"
}

/// The kinds of table that the world must have, and that the coverage counts.
package enum TableKind: String, CaseIterable, Sendable {
    case rowid, withoutRowID, strict, collatedKey, compositeKey, nullableKey, keyless, autoincrement, generated
    case triggers, cascadeParent, cascadeChild, conflictClause, json, fullText, contentless
}

struct ColumnSpec: Sendable {
    var name: String
    var affinity = Affinity.none
    var collation = Collation.binary
    var isNotNull = false
    /// The values that steps store; nil for the usual ones.
    var domain: Domain?
    var generation: Generation?

    enum Domain: Sendable {
        case words, json, jsonb, parents, keys
    }

    /// A column computed from another one: `a || '!'`.
    enum Generation: Sendable {
        case virtual(of: Int)
        case stored(of: Int)

        var source: Int {
            switch self {
            case .virtual(let source), .stored(let source): source
            }
        }
    }
}

struct UniqueSpec: Sendable {
    var columns: [Int]
    var conflict: Conflict?
}

struct ForeignKeySpec: Sendable {
    /// The column of the child that refers to the `INTEGER PRIMARY KEY` of the parent.
    var column: Int
    var parent: String
    /// Whether a deletion of the parent deletes the row; otherwise the column becomes NULL.
    var deletes: Bool
}

/// A table of the world. Its `CREATE TABLE` statement and the rules of the model both come from this description.
struct TableSpec: Sendable {
    var name: String
    var kind: TableKind
    var columns: [ColumnSpec]
    /// The `INTEGER PRIMARY KEY`.
    var rowIDColumn: Int?
    var isAutoincrement = false
    var primaryKey: [Int] = []
    var isWithoutRowID = false
    var isStrict = false
    var primaryKeyConflict: Conflict?
    var uniques: [UniqueSpec] = []
    var foreignKeys: [ForeignKeySpec] = []
    /// The table in which triggers log the changes of this one.
    var log: String?
    /// The arguments of `fts5`, for a full-text table.
    var fullText: String?

    var isVirtual: Bool { fullText != nil }
    var isContentless: Bool { kind == .contentless }
    /// Whether statements of steps write the table, and not only triggers.
    var isWritten: Bool { name != "note" }

    /// The positions of the columns that an `INSERT` names.
    var storedColumns: [Int] { columns.indices.filter { columns[$0].generation == nil } }

    /// All sets of columns whose values must be unique, apart from the `INTEGER PRIMARY KEY`.
    var allUniques: [UniqueSpec] {
        (primaryKey.isEmpty ? [] : [UniqueSpec(columns: primaryKey, conflict: primaryKeyConflict)]) + uniques
    }

    var sql: String {
        if let fullText { return "CREATE VIRTUAL TABLE \(name) USING fts5(\(fullText))" }
        var parts = columns.indices.map(definition)
        if primaryKey.count > 1 {
            parts.append("PRIMARY KEY (\(primaryKey.map { columns[$0].name }.joined(separator: ", ")))")
        }
        let options = [isWithoutRowID ? "WITHOUT ROWID" : nil, isStrict ? "STRICT" : nil].compactMap { $0 }
        return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
            + (options.isEmpty ? "" : " " + options.joined(separator: ", "))
    }

    private func definition(_ index: Int) -> String {
        let column = columns[index]
        if let generation = column.generation {
            let isStored = if case .stored = generation { true } else { false }
            return "\(column.name) AS (\(columns[generation.source].name) || '!')\(isStored ? " STORED" : "")"
        }
        var text = column.name
        switch column.affinity {
        case .none: text += isStrict ? " ANY" : ""
        case .text: text += " TEXT"
        case .integer: text += " INTEGER"
        case .real: text += " REAL"
        }
        if column.collation != .binary { text += " COLLATE \(column.collation.rawValue)" }
        if column.isNotNull { text += " NOT NULL" }
        func clause(_ conflict: Conflict?) -> String { conflict.map { " ON CONFLICT \($0.rawValue)" } ?? "" }
        if index == rowIDColumn {
            text += " PRIMARY KEY" + clause(primaryKeyConflict) + (isAutoincrement ? " AUTOINCREMENT" : "")
        }
        if primaryKey == [index] { text += " PRIMARY KEY" + clause(primaryKeyConflict) }
        for unique in uniques where unique.columns == [index] { text += " UNIQUE" + clause(unique.conflict) }
        for key in foreignKeys where key.column == index {
            text += " REFERENCES \(key.parent) ON UPDATE CASCADE ON DELETE \(key.deletes ? "CASCADE" : "SET NULL")"
        }
        return text
    }
}
