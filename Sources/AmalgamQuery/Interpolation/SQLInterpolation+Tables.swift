public import AmalgamCore

// Interpolations of ``SQL`` literals that refer to tables:
//
// | interpolation | becomes |
// | --- | --- |
// | `\(Player.self)`, `\(Table("player"))`, `\(tableOf: player)` | `"player"` |
// | `\(columnsOf: Player.self)` | `"player".*` |
// | `\(columnsOf: Player.self, tableAlias: "p")` | `"p".*` |
// | `\(request)` | `SELECT …`, without parentheses |

extension SQLInterpolation {
    /// Appends the table name of a record type, for `\(Player.self)`.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM \(Player.self)"
    /// // SELECT * FROM "player"
    /// ```
    public mutating func appendInterpolation(_ table: (some TableRecord).Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// Appends the table name of any record type, for `\(type)`.
    public mutating func appendInterpolation(_ table: any TableRecord.Type) {
        appendInterpolation(identifier: table.databaseTableName)
    }

    /// Appends the name of a table, for `\(Table("player"))`.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM \(Table("player"))"
    /// // SELECT * FROM "player"
    /// ```
    public mutating func appendInterpolation<T>(_ table: Table<T>) {
        appendInterpolation(identifier: table.tableName)
    }

    /// Appends the table name of a record's type, for `\(tableOf: player)`.
    ///
    /// ```swift
    /// let query: SQL = "SELECT * FROM \(tableOf: player)"
    /// // SELECT * FROM "player"
    /// ```
    public mutating func appendInterpolation(tableOf record: some TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// Appends the table name of the type of any record, for `\(tableOf: record)`.
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        appendInterpolation(identifier: type(of: record).databaseTableName)
    }

    /// Appends the columns that a record type selects, with the table name, for `\(columnsOf: Player.self)`.
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
    ///   - recordType: the record type.
    ///   - tableAlias: the alias of the table in the statement, if it has one.
    public mutating func appendInterpolation(
        columnsOf recordType: (some TableRecord).Type, tableAlias: String? = nil
    ) {
        let name = recordType.databaseTableName
        append(
            TableSelection(
                selection: recordType.databaseSelection.map(\.sqlSelection),
                scope: SQLScope(TableSource(name: name), name: tableAlias ?? name, isQualified: true)))
    }

    /// Appends the SQL of a request, for `\(request)`. The interpolation adds no parentheses, so that a `UNION` can
    /// follow the SQL. If the request is a subquery, write parentheses around it.
    ///
    /// ```swift
    /// let query: SQL = "SELECT COUNT(*) FROM (\(Player.filter { $0.score > 10 }))"
    /// // SELECT COUNT(*) FROM (SELECT * FROM "player" WHERE "score" > 10)
    /// ```
    public mutating func appendInterpolation(_ subquery: some SQLSubqueryable) {
        append(subquery.sqlSubquery.node)
    }

    // One overload for each request type: the compiler would otherwise prefer the overload for expressions.

    /// Appends the SQL of a request without parentheses, for `\(request)`.
    public mutating func appendInterpolation<T>(_ request: QueryInterfaceRequest<T>) {
        append(request.sqlSubquery.node)
    }

    /// Appends the SQL of a request without parentheses, for `\(request)`.
    public mutating func appendInterpolation<T>(_ request: SQLRequest<T>) { append(request.sqlSubquery.node) }

    /// Appends the SQL of a request without parentheses, for `\(request)`.
    public mutating func appendInterpolation<T>(_ request: AnyFetchRequest<T>) { append(request.sqlSubquery.node) }

    /// Appends the SQL of a request without parentheses, for `\(request)`.
    public mutating func appendInterpolation<T>(_ request: CompoundRequest<T>) { append(request.sqlSubquery.node) }

    /// Appends the SQL of a subquery without parentheses, for `\(subquery)`.
    public mutating func appendInterpolation(_ subquery: SQLSubquery) { append(subquery.node) }
}

/// The selection of a record type, qualified with the name of the table: `"player"."id", "player"."name"`.
private struct TableSelection: SelectionNode {
    let selection: [SQLSelection]
    let scope: SQLScope

    var nestedNodes: [any SQLNode] { selection.map(\.node) }

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
