import AmalgamCore
import AmalgamQuery

/// An INSERT statement that updates the conflicting row, if there is one: <https://sqlite.org/lang_upsert.html>.
struct Upsert<Record: MutablePersistableRecord> {
    /// The columns of the conflict target; empty for no target, which applies to all uniqueness constraints.
    var target: [String] = []

    var strategy = UpsertUpdateStrategy.allColumns

    /// The explicit assignments of the conflicting row. The argument is the `excluded` table.
    var assignments: ((TableAlias<Record>) -> [ColumnAssignment])?

    /// Returns the INSERT statement of a record, with its ON CONFLICT clause.
    func statement(
        _ db: Database, _ plan: RecordPlan, _ container: PersistenceContainer, _ primaryKey: PrimaryKeyInfo?
    ) throws -> RecordStatement {
        var statement = plan.insertion(container, nil)
        var writer = SQLWriter(db, table: plan.tableName)
        let excluded = TableAlias<Record>()
        let source = TableSource(name: plan.tableName)
        let scope = SQLScope(source, name: "excluded", isQualified: true)
        try writer.statement(aliases: [ObjectIdentifier(excluded): scope]) { writer in
            writer.enter(SQLScope(source, name: source.name, isQualified: false))
            try write(to: &writer, assignments?(excluded) ?? [], container.columnNames, primaryKey?.columns ?? [])
        }
        statement.sql += writer.sql
        if !writer.arguments.isEmpty { statement.arguments += writer.arguments }
        return statement
    }

    /// Writes the ON CONFLICT clause: ` ON CONFLICT("word") DO UPDATE SET "count" = "count" + 1, "kind" =
    /// "excluded"."kind"`.
    private func write(
        to writer: inout SQLWriter, _ assignments: [ColumnAssignment], _ columns: [String], _ key: [String]
    ) throws {
        writer.append(" ON CONFLICT")
        if !target.isEmpty { writer.append("(" + target.map(\.quotedDatabaseIdentifier).joined(separator: ", ") + ")") }
        writer.append(" DO UPDATE SET ")
        let explicit = assignments.filter { $0.value != nil }
        for (index, assignment) in explicit.enumerated() {
            if index > 0 { writer.append(", ") }
            try assignment.write(to: &writer)
        }
        var others = overwritten(columns, key + target + assignments.map(\.columnName)).map { column in
            let name = column.quotedDatabaseIdentifier
            return "\(name) = \("excluded".quotedDatabaseIdentifier).\(name)"
        }
        // DO UPDATE needs an assignment. DO NOTHING would return no row.
        if explicit.isEmpty && others.isEmpty, let column = (target + key + columns).first {
            others = ["\(column.quotedDatabaseIdentifier) = \(column.quotedDatabaseIdentifier)"]
        }
        if !explicit.isEmpty && !others.isEmpty { writer.append(", ") }
        writer.append(others.joined(separator: ", "))
    }

    /// The columns that are overwritten with the values of `excluded`.
    private func overwritten(_ columns: [String], _ excluded: [String]) -> [String] {
        if !strategy.contains(.allColumns) { return [] }
        let excluded = Set(excluded.map(TableName.init))
        return columns.filter { !excluded.contains(TableName($0)) }
    }
}

extension Insertion {
    /// An insertion with `INSERT … ON CONFLICT DO UPDATE`.
    ///
    /// The RETURNING clause contains the rowid: after an upsert that updates a row, `sqlite3_last_insert_rowid` isn't
    /// the rowid of this row.
    ///
    /// - Parameters:
    ///   - selection: the returned columns, in addition to the rowid.
    ///   - make: a closure that makes the result from the returned row.
    static func upsert<Record>(
        _ upsert: Upsert<Record>, _ selection: [any SQLSelectable],
        _ make: @escaping (Statement, RowLayout?) throws -> T
    ) -> Insertion {
        Insertion { db, plan, container in
            let primaryKey = try db.primaryKeyIfKnown(plan.tableName)
            let rowIDName = try db.rowIDName(ofTable: plan.tableName)
            let statement = try upsert.statement(db, plan, container, primaryKey)
            let columns = rowIDName.map { selection + [Column($0)] } ?? selection
            // A table without a rowid needs some returned column, so that the statement returns its row.
            let returned = columns.isEmpty ? primaryKey?.columns.prefix(1).map { Column($0) } ?? [] : columns
            let upserted = try statement.run(
                db, .upserted(returned, rowID: rowIDName != nil, make), from: plan.tableName)
            return (upserted.rowID, upserted.returned)
        }
    }

    /// An upsert without a result.
    static func upsert<Record>(_ upsert: Upsert<Record>) -> Insertion where T == Void {
        .upsert(upsert, []) { _, _ in }
    }

    /// An upsert that returns the written row as a record.
    static func upsert<Record>(_ upsert: Upsert<Record>, returning type: T.Type) -> Insertion
    where T: FetchableRecord & TableRecord {
        .upsert(upsert, T.databaseSelection) { statement, layout in
            try T(movingRow: Row(statement, layout: layout))
        }
    }
}

extension Returning {
    /// The RETURNING clause of an upsert. The closure `make` decodes the returned row.
    ///
    /// - Parameter hasRowID: whether the last column is the rowid, which is hidden from `make`.
    fileprivate static func upserted<Returned>(
        _ selection: [any SQLSelectable], rowID hasRowID: Bool,
        _ make: @escaping (Statement, RowLayout?) throws -> Returned
    ) -> Returning where T == (rowID: Int64, returned: Returned) {
        Returning(selection: selection) { statement, arguments in
            try statement.start(arguments)
            return try statement.endingRun {
                guard try statement.step() else {
                    throw DatabaseError(message: "Insertion failed", sql: statement.sql)
                }
                let last = statement.columnCount - 1
                let adapter: (any RowAdapter)? = hasRowID ? RangeRowAdapter(0..<last) : nil
                var layout = try StatementLayout(adapter, statement)
                let returned = try make(statement, layout.current(statement))
                let rowID =
                    hasRowID ? Int64.fromStatement(statement.sqliteStatement, atUncheckedIndex: CInt(last)) : nil
                try statement.finishWriting()
                return (rowID ?? statement.database.lastInsertedRowID, returned)
            }
        }
    }
}
