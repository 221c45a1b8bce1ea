import Amalgam

/// The rows that an audit log describes, from an empty table.
enum AuditReplay {
    /// Replays the log of a table, and returns its columns by their names, row by row.
    static func rows(_ db: Database, of table: String, skipsNull: Bool) throws -> [[String: Value]] {
        var rows: [AuditLog.Key: [String: Value]] = [:]
        let entries = try AuditLog.Entry.filter { $0.tableName == table }.order { $0.id }.fetchAll(db)
        for entry in entries {
            if skipsNull && (entry.key.hasNull || entry.newKey?.hasNull == true) { continue }
            var columns = rows[entry.key] ?? [:]
            switch entry.operation {
            case .insert where rows[entry.key] != nil:
                throw SimulationError("the log inserts a row that exists: \(entry)")
            case .update where rows[entry.key] == nil, .delete where rows[entry.key] == nil:
                throw SimulationError("the log changes a row that doesn't exist: \(entry)")
            default: break
            }
            for change in entry.changes {
                columns[change.columnName] = change.newValue.map { Value.fromDatabaseValue($0) ?? .null }
            }
            rows[entry.key] = nil
            if entry.operation != .delete { rows[entry.newKey ?? entry.key] = columns }
        }
        return Array(rows.values)
    }

    /// Compares the log of the tables with the model.
    ///
    /// - Returns: the tables whose log differs.
    static func complaint(_ db: Database, _ tables: [String], _ model: Model) throws -> String? {
        for name in tables {
            let spec = Schema.table(name)
            let isNullable = spec.kind == .nullableKey || spec.kind == .compositeKey
            // Rows with NULL in their keys have equal keys in the log.
            if isNullable,
                model.rows(name).contains(where: { row in spec.primaryKey.contains { row.values[$0].isNull } })
            {
                continue
            }
            let logged = try rows(db, of: name, skipsNull: isNullable)
            // The log has the values of all columns that SQLite stores.
            let columns = Set(
                spec.columns.filter { if case .virtual = $0.generation { false } else { true } }.map(\.name))
            let expected = model.rows(name).map { row in
                Dictionary(uniqueKeysWithValues: zip(spec.columns.map(\.name), row.values)).filter {
                    columns.contains($0.key)
                }
            }
            func sorted(_ rows: [[String: Value]]) -> [String] {
                rows.map { row in "\(row.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })" }.sorted()
            }
            if sorted(logged) != sorted(expected) {
                return "the audit log of \(name) gives \(sorted(logged)), and not \(sorted(expected))"
            }
        }
        let breaks = try AuditLog.verify(db, tables: tables)
        return breaks.isEmpty ? nil : "AuditLog.verify finds \(breaks)"
    }
}

/// A contradiction that an oracle has found.
package struct SimulationError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension AuditLog.Key {
    fileprivate var hasNull: Bool { values.contains { $0.isNull } }
}
