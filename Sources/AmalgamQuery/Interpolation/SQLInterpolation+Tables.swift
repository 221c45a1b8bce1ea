public import AmalgamCore

// Interpolations of ``SQL`` literals that need tables:
//
// | interpolation | becomes |
// | --- | --- |
// | `\(Player.self)`, `\(Table("player"))`, `\(tableOf: player)` | `"player"` |
// | `\(columnsOf: Player.self)` | `"player".*` |
// | `\(columnsOf: Player.self, tableAlias: "p")` | `"p".*` |
// | `\(request)` | `SELECT …`, without parentheses |

extension SQLInterpolation {
    /// `\(Player.self)`: the name of the table.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM \(Player.self)"
    /// // SELECT * FROM "player"
    /// ```
    public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// `\(type)`: the name of the table of any record type.
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// `\(Table("player"))`: the name of the table.
    public mutating func appendInterpolation<T>(_ table: Table<T>) {
        appendInterpolation(identifier: table.tableName)
    }

    /// `\(tableOf: player)`: the name of the table of the type of a record.
    public mutating func appendInterpolation(tableOf record: some TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// `\(tableOf: record)`: the name of the table of the type of any record.
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// `\(columnsOf: Player.self)`: what requests of the record select, with the name of the table.
    ///
    /// ```swift
    /// let query: SQL = """
    ///     SELECT \(columnsOf: Player.self), \(columnsOf: Team.self, tableAlias: "t")
    ///     FROM \(Player.self) JOIN \(Team.self) t ON t.id = player.teamId
    ///     """
    /// // SELECT "player".*, "t".* FROM "player" JOIN "team" t ON t.id = player.teamId
    /// ```
    ///
    /// - Parameters:
    ///   - recordType: the type of the record.
    ///   - tableAlias: the name of the table in the statement, when it is another one.
    public mutating func appendInterpolation(
        columnsOf recordType: (some TableRecord).Type, tableAlias: String? = nil
    ) {
        let name = recordType.databaseTableName
        append(
            TableSelection(
                selection: recordType.databaseSelection.map(\.sqlSelection),
                scope: SQLScope(TableSource(name: name), name: tableAlias ?? name, isQualified: true)))
    }

    /// `\(request)`: its SQL, without parentheses, so that it may stand beside UNION.
    ///
    /// ```swift
    /// let query: SQL = "SELECT COUNT(*) FROM (\(Player.filter { $0.score > 10 }))"
    /// // SELECT COUNT(*) FROM (SELECT * FROM "player" WHERE "score" > 10)
    /// ```
    public mutating func appendInterpolation(_ subquery: some SQLSubqueryable) {
        append(subquery.sqlSubquery.node)
    }

    // Each type of request by itself: the compiler prefers what is known of expressions to what is known of subqueries.

    /// `\(request)`: its SQL, without parentheses.
    public mutating func appendInterpolation<T>(_ request: QueryInterfaceRequest<T>) {
        append(request.sqlSubquery.node)
    }

    /// `\(request)`: its SQL, without parentheses.
    public mutating func appendInterpolation<T>(_ request: SQLRequest<T>) { append(request.sqlSubquery.node) }

    /// `\(request)`: its SQL, without parentheses.
    public mutating func appendInterpolation<T>(_ request: AnyFetchRequest<T>) { append(request.sqlSubquery.node) }

    /// `\(request)`: its SQL, without parentheses.
    public mutating func appendInterpolation<T>(_ request: CompoundRequest<T>) { append(request.sqlSubquery.node) }

    /// `\(subquery)`: its SQL, without parentheses.
    public mutating func appendInterpolation(_ subquery: SQLSubquery) { append(subquery.node) }
}

/// `"player"."id", "player"."name"`
private struct TableSelection: SelectionNode {
    let selection: [SQLSelection]
    let scope: SQLScope

    var isComputedPerRow: Bool { selection.allSatisfy(\.isComputedPerRow) }

    func write(to writer: inout SQLWriter) throws {
        try writer.within(scope) { try $0.append(selection.map(\.node)) }
    }

    func columnCount(in writer: SQLWriter) throws -> Int? {
        var writer = writer
        writer.enter(scope)
        return try writer.columnCount(selection)
    }
}
