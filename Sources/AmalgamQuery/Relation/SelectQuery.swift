import AmalgamCore

/// A relation that is ready to be written as SQL: its tables have names, and its selection and filters, which may be
/// closures (`Deferred`), have been computed with a connection.
struct SelectQuery {
    /// A table of the FROM clause, with its clauses.
    struct Table {
        var scope: SQLScope
        var relation: Relation
        var selection: [SQLSelection]
        var filters: [SQLExpression]

        /// The join of the table; nil for the first table.
        var join: Join?

        /// The tables joined to this one.
        var joined: [Table] = []
    }

    var db: Database
    var root: Table
    private(set) var aliases: [ObjectIdentifier: SQLScope] = [:]

    /// - Parameter takenNames: the names of outer tables, which the tables of the statement can't have.
    init(_ relation: Relation, _ db: Database, takenNames: Set<TableName> = []) throws {
        self.db = db
        var names = try TableNames(relation, takenNames: takenNames)
        root = try Self.table(db, relation, join: nil, &names)
        try collectAliases(root)
    }

    private static func table(
        _ db: Database, _ relation: Relation, join: Join?, _ names: inout TableNames
    ) throws -> Table {
        let scope = SQLScope(relation.source, name: names.next(), isQualified: names.areQualified)
        var table = Table(
            scope: scope, relation: relation,
            selection: try relation.selection.flatMap { try $0.resolve(db) },
            filters: try relation.filters.map { try $0.resolve(db) },
            join: join)
        for join in relation.joins where join.isJoined {
            try join.check(behind: table.join)
            try join.checkRivals(db)
            table.joined.append(try Self.table(db, join.relation, join: join, &names))
        }
        return table
    }

    private mutating func collectAliases(_ table: Table) throws {
        for alias in table.relation.aliases {
            if aliases.updateValue(table.scope, forKey: ObjectIdentifier(alias)) != nil {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "A TableAlias must not be used to refer to multiple tables")
            }
        }
        try table.joined.forEach { try collectAliases($0) }
    }
}

extension SelectQuery {
    /// The names of the tables in the statement.
    var tableNames: Set<TableName> {
        var names: Set<TableName> = []
        root.forEach { names.insert(TableName($0.scope.name)) }
        return names
    }
}

extension SelectQuery.Table {
    /// Calls a closure with the table and the tables joined to it, in the order of the statement.
    func forEach(_ body: (SelectQuery.Table) throws -> Void) rethrows {
        try body(self)
        try joined.forEach { try $0.forEach(body) }
    }

    /// Calls a closure with the table and the tables joined to it, in the order of the statement. The second argument of
    /// the closure tells whether the tables to which the table is joined reverse its order.
    func forEachOrdered(isReversed: Bool = false, _ body: (SelectQuery.Table, Bool) throws -> Void) rethrows {
        try body(self, isReversed)
        let isReversed = relation.ordering.reversesJoins != isReversed
        try joined.forEach { try $0.forEachOrdered(isReversed: isReversed, body) }
    }
}

extension Join {
    /// - Throws: `SQLITE_MISUSE` if JOIN can't express the join.
    fileprivate func check(behind outer: Join?) throws {
        if kind == .required && outer?.kind == .optional {
            throw notImplemented("chaining a required association behind an optional association")
        }
        if relation.isDistinct { throw notImplemented("join an association that selects DISTINCT rows") }
        if relation.groups != nil || !relation.groupFilters.isEmpty {
            throw notImplemented("join an association with a GROUP BY clause")
        }
        if relation.limit != nil { throw notImplemented("join an association with a LIMIT clause") }
    }

    private func notImplemented(_ what: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "Not implemented: \(what)")
    }
}
