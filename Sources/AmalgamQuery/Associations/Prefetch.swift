package import AmalgamCore
import AmalgamSandbox

/// A statement that fetches the rows of a to-many association, for all fetched rows of a request.
///
/// After `Team.including(all: Team.players)` has fetched the teams 1 and 2, the statement is:
///
/// ```sql
/// SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
/// ```
///
/// The values of the `grdb_` columns tell which team a player belongs to. If the association leads through other
/// tables, the statement joins these tables.
struct Prefetch {
    /// The keys that lead from a fetched row to the associated rows. The last key is that of the to-many association.
    let path: [String]

    /// The rows to which the associated rows belong.
    var origin: PrefetchOrigin

    /// The joins from the origin to the table of the association.
    let joins: [Join]

    /// The relation of the request.
    var base: Relation
}

extension Relation {
    /// Returns one prefetch, a separate statement, for each to-many association that the relation includes.
    ///
    /// - Throws: `SQLITE_MISUSE` if two different associations have the same key.
    func prefetches(_ db: Database) throws -> [Prefetch] {
        try prefetches(db, from: self, path: [], joins: [])
    }

    private func prefetches(
        _ db: Database, from base: Relation, path: [String], joins: [Join]
    ) throws -> [Prefetch] {
        try self.joins.flatMap { join -> [Prefetch] in
            switch join.kind {
            case .optional, .required:
                var step = join
                step.relation.joins = []
                return try join.relation.prefetches(db, from: base, path: path + [join.key], joins: joins + [step])
            case .bridge:
                try join.checkRivals(db)
                return try join.relation.prefetches(db, from: base, path: path, joins: joins + [join])
            case .all:
                try join.checkRivals(db)
                return [try Prefetch(db, path: path + [join.key], joins: joins + [join], base: base)]
            case .conflicting:
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Not implemented: merging a direct association and an indirect one with including(all:)
                        """)
            }
        }
    }

    /// Returns the prefetches of the included to-many associations. Also makes this relation select the columns whose
    /// values the prefetches need, such as `"id" AS "grdb_id"`.
    mutating func prepareForPrefetch(_ db: Database) throws -> [Prefetch] {
        if joins.isEmpty { return [] }
        var prefetches = try prefetches(db)
        if prefetches.isEmpty { return [] }
        for index in prefetches.indices where !prefetches[index].origin.path.isEmpty {
            prefetches[index].origin.alias = joinedAlias(prefetches[index].origin.path[...])
        }
        var keys = PrefetchKeySelection(
            selection: try selection.flatMap { try $0.resolve(db) }, relation: self, db: db)
        for index in prefetches.indices {
            let origin = prefetches[index].origin
            prefetches[index].origin.keyColumns = try prefetches[index].columns(db).map {
                try keys.name(of: $0.left, in: origin)
            }
        }
        select(.known(keys.selection))
        for index in prefetches.indices { prefetches[index].base = self }
        return prefetches
    }
}

extension Prefetch {
    static func hiddenName(_ column: String) -> String { "grdb_" + column }

    /// Returns the column pairs of the foreign key between the origin and the first joined table.
    fileprivate func columns(_ db: Database) throws -> [JoinedColumns] {
        guard case .foreignKey(let link) = joins[0].condition else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented: prefetch association without any foreign key")
        }
        return try link.columns(db)
    }

    /// Returns how the two columns of each pair are compared.
    private func comparisons(_ db: Database, _ columns: [JoinedColumns]) throws -> [KeyComparison] {
        try columns.map {
            KeyComparison(
                left: try Self.comparison(db, of: $0.left, in: origin.source),
                right: try Self.comparison(db, of: $0.right, in: joins[0].relation.source),
                rightColumn: (name: $0.right, table: joins[0].relation.source.name))
        }
    }

    /// Returns the relation of the rows that belong to the given rows.
    fileprivate func request(_ db: Database, _ rows: [Row]) throws -> Relation {
        let columns = try columns(db)
        return try request(db, columns, comparisons(db, columns), PrefetchKeys(origin.keyColumns, in: rows))
    }

    /// Fetches the associated rows, and stores them in the rows of the request. Runs no statement if each row of the
    /// request has NULL in a key column.
    func fetch(_ db: Database, _ rows: [Row]) throws {
        let columns = try columns(db)
        let keys = PrefetchKeys(origin.keyColumns, in: rows)
        if keys.areNull {
            for row in rows { row.prefetches[path.joined(separator: ".")] = .rows([]) }
            return
        }
        let comparisons = try comparisons(db, columns)
        let request = QueryInterfaceRequest<Row>(try request(db, columns, comparisons, keys))
        let match = PrefetchMatch(comparisons: comparisons)
        let names = columns.map { Self.hiddenName($0.right) }
        let lists = try request.withStatement(db) { statement, adapter, prefetch in
            let batch = try RowBatch(statement, adapter: adapter)
            // Rows that contain prefetched rows are needed as `Row` objects.
            if prefetch == nil, let lists = match.lists(batch, names, for: keys) { return lists }
            let fetched = batch.rows
            try prefetch?(db, fetched)
            return try match.lists(db, fetched, PrefetchKeys(names, in: fetched), for: keys).map { .rows($0) }
        }
        let path = path.joined(separator: ".")
        for (row, list) in zip(rows, lists) { row.prefetches[path] = list }
    }

    func region(_ db: Database) throws -> DatabaseRegion {
        try request(db, columns(db), condition: nil).region(db)
    }

    /// Returns the relation that selects the rows associated with the given keys of the request's rows.
    ///
    /// The condition is a list, `"teamId" IN (1, 2, 3)`, if these three conditions hold:
    /// - There is one key column.
    /// - The list accepts the same rows as the comparison `"player"."teamId" = "team"."id"`.
    /// - The statement has enough parameters for the keys, or an `SQLArray` can hold them.
    ///
    /// Otherwise, the condition is `("a", "b") IN "grdb_base"`. The common table expression `grdb_base` selects the
    /// keys of the request's rows.
    private func request(
        _ db: Database, _ columns: [JoinedColumns], _ comparisons: [KeyComparison], _ keys: PrefetchKeys
    ) throws -> Relation {
        if columns.count == 1, comparisons[0].isOfRightColumn,
            let condition = condition(db, Column(columns[0].right), keys.distinctValues)
        {
            return try request(db, columns, condition: KeyCondition(condition: condition))
        }
        return try request(db, columns, condition: .all(of: columns, among: baseTable(columns)))
    }

    /// Returns `"teamId" IN (1, 2, 3)`. If there are more values than a statement can have parameters, the values are
    /// bound as one array. Returns nil if the array can't contain them, for example because they have several types.
    private func condition(_ db: Database, _ column: Column, _ values: [DatabaseValue]) -> SQLExpression? {
        if values.count <= db.maximumStatementArgumentCount { return values.contains(column) }
        let array = SQLArray(values)
        return array.defect == nil ? array.contains(column) : nil
    }

    private struct KeyCondition {
        var condition: SQLExpression
        var table: CommonTable?

        /// Returns the condition `("a", "b") IN "grdb_base"`.
        static func all(of columns: [JoinedColumns], among table: CommonTable) -> KeyCondition {
            let names: [SQL] = columns.map { "\(Column($0.right))" }
            let condition: SQL = """
                (\(names.joined(separator: ", "))) IN \(sql: table.source.name.quotedDatabaseIdentifier)
                """
            return KeyCondition(condition: condition.sqlExpression, table: table)
        }
    }

    /// Returns the keys of the request's rows, as a common table expression.
    private func baseTable(_ columns: [JoinedColumns]) -> CommonTable {
        var base = base.withoutSelection
        base.joins.removeAll { !$0.isJoined }
        base.select(.known(columns.map { origin.column($0.left).sqlSelection }))
        if base.limit == nil { base.updateOrderings { $0 = Ordering() } }
        let source = CommonTableSource(name: "grdb_base", columns: nil, subquery: RelationSubquery(relation: base))
        return CommonTable(source: source, isRecursive: false)
    }

    private func request(
        _ db: Database, _ columns: [JoinedColumns], condition: KeyCondition?
    ) throws -> Relation {
        let alias = TableAlias<Void>(anonymous: nil)
        var target = joins[joins.count - 1].relation
        var pivots = joins.dropLast().map(\.relation.asPivot)
        if pivots.isEmpty {
            target.restrict(alias, condition?.condition)
        } else {
            pivots[0].restrict(alias, condition?.condition)
        }
        if let table = condition?.table { target.commonTables.insert(table, at: 0) }
        target.annotate(
            with: .known(columns.map { alias[Column($0.right)].forKey(Self.hiddenName($0.right)) }))
        let groups = try target.groups?.resolve(db) ?? []
        if try target.needsKeyInGroups(db, groups) {
            var names = columns.map(\.right)
            if pivots.isEmpty { names = try names.notFixed(by: groups, of: target, db) }
            target.group(by: .known(groups + names.map { alias[Column($0)].sqlExpression }))
        }
        return try target.joining(pivots: pivots, conditions: joins.dropFirst().map(\.condition))
    }
}

extension [String] {
    /// Returns the columns that may have different values within one group of the `GROUP BY` expressions.
    ///
    /// The prefetch statement also groups by these columns. Without `teamId` in its `GROUP BY` clause, for example, one
    /// group could contain the players of several teams.
    fileprivate func notFixed(by groups: [SQLExpression], of relation: Relation, _ db: Database) throws -> [String] {
        let table = IdentifiedTable(db: db, source: relation.source, aliases: relation.aliases)
        let fixed = Set(groups.compactMap { $0.plainColumn(in: table) })
        if let key = try table.source.groupKey(db), fixed.isSuperset(of: key.map(TableName.init)) { return [] }
        return filter { !fixed.contains(TableName($0)) }
    }
}

extension Relation {
    /// The relation as an intermediate table of an association: without its selection and to-many associations.
    var asPivot: Relation {
        var relation = withoutSelection
        relation.joins.removeAll { !$0.isJoined }
        return relation
    }

    fileprivate mutating func restrict(_ alias: TableAliasBase, _ condition: SQLExpression?) {
        self.alias(alias)
        if let condition { filter(.known(condition)) }
    }

    /// Returns this relation, the target of an association, joined with the intermediate tables (pivots) between the
    /// origin of the association and its target.
    ///
    /// - Parameters:
    ///   - pivots: the relations of the intermediate tables, beginning with the one that is joined with the origin.
    ///   - conditions: the conditions that join each pivot with the next one, and the condition that joins the last
    ///     pivot with this relation.
    func joining(pivots: [Relation], conditions: [JoinCondition]) throws -> Relation {
        guard var pivot = pivots.last, let condition = conditions.last else { return self }
        guard case .foreignKey(let link) = condition else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented: request association without any foreign key")
        }
        pivot = try pivot.joining(pivots: pivots.dropLast(), conditions: conditions.dropLast())
        var relation = self
        relation.joins.append(
            Join(
                key: Self.pivotKey, kind: .required, isIncluded: false, condition: .foreignKey(link.reversed),
                relation: pivot))
        return relation
    }

    /// A join key that no association has. Therefore, the join of an intermediate table is never merged with the join
    /// of an association.
    private static var pivotKey: String { "\u{0}pivot" }
}

extension FetchRequest {
    /// Returns the requests of the included to-many associations, with the keys of the associations.
    package func associatedRequests(_ db: Database) throws -> [(key: String, request: QueryInterfaceRequest<Row>)] {
        guard let request = self as? any RelationRequest else { return [] }
        return try request._relation.associatedRequests(db)
    }
}

/// A request that is based on a relation.
protocol RelationRequest {
    var _relation: Relation { get }
}

extension QueryInterfaceRequest: RelationRequest {}

extension Relation {
    fileprivate func associatedRequests(
        _ db: Database
    ) throws -> [(key: String, request: QueryInterfaceRequest<Row>)] {
        var relation = self
        let prefetches = try relation.prepareForPrefetch(db)
        if prefetches.isEmpty { return [] }
        relation.joins.removeAll { !$0.isJoined }
        let rows = try Row.fetchAll(db, QueryInterfaceRequest<Row>(relation))
        return try prefetches.map { prefetch in
            (prefetch.path.joined(separator: "."), QueryInterfaceRequest(try prefetch.request(db, rows)))
        }
    }
}
