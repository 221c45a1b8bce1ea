package import AmalgamCore
import AmalgamSandbox

/// The rows of an association to many, which a statement of their own fetches for all rows of a request.
///
/// The statement starts from the table of the association, and joins those on the way to the table of the request. The
/// last of them is restricted to the rows there are, by the columns that it has in common with the table of the request.
/// These columns are selected under names that begin with `grdb_`: they tell to which row a fetched one belongs.
struct Prefetch {
    /// Where the rows go: the names of the parts of a row, then that of the association.
    let path: [String]

    /// The joins from the table of the request to that of the association.
    let joins: [Join]

    /// What the rows are fetched for.
    let base: Relation
}

extension Relation {
    /// What is fetched by statements of their own.
    ///
    /// - Throws: `SQLITE_MISUSE` when associations of one key are different ones.
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
                return [Prefetch(path: path + [join.key], joins: joins + [join], base: base)]
            case .conflicting:
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        Not implemented: merging a direct association and an indirect one with including(all:)
                        """)
            }
        }
    }

    /// What is fetched by statements of their own. The relation selects the columns that tell which rows are needed.
    mutating func prepareForPrefetch(_ db: Database) throws -> [Prefetch] {
        if joins.isEmpty { return [] }
        let prefetches = try prefetches(db)
        if prefetches.isEmpty { return [] }
        var selection = try selection.flatMap { try $0.resolve(db) }
        for column in try prefetches.flatMap({ try $0.columns(db).map(\.left) })
        where !selection.contains(where: { $0.selects(column) }) {
            selection.append(Column(column).forKey(Prefetch.hiddenName(column)))
        }
        select(.known(selection))
        return prefetches
    }
}

extension SQLSelection {
    /// Whether a column of the table is selected under its name.
    fileprivate func selects(_ column: String) -> Bool {
        switch node {
        case is AllColumnsNode: true
        case let node as ColumnNode: TableName(node.name) == TableName(column)
        case let node as NamedSelection: node.key == Prefetch.hiddenName(column)
        default: false
        }
    }
}

extension Prefetch {
    static func hiddenName(_ column: String) -> String { "grdb_" + column }

    /// The columns that the table of the request and the first one on the way have in common.
    fileprivate func columns(_ db: Database) throws -> [JoinedColumns] {
        guard case .foreignKey(let link) = joins[0].condition else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "Not implemented: prefetch association without any foreign key")
        }
        return try link.columns(db)
    }

    /// How these columns are compared.
    private func comparisons(_ db: Database, _ columns: [JoinedColumns]) throws -> [KeyComparison] {
        try columns.map {
            KeyComparison(
                left: try comparison(db, of: $0.left, in: base.source),
                right: try comparison(db, of: $0.right, in: joins[0].relation.source),
                rightColumn: (name: $0.right, table: joins[0].relation.source.name))
        }
    }

    /// How the values of a column are compared. What is known of no table has no affinity.
    private func comparison(_ db: Database, of column: String, in source: any SQLSource) throws -> ColumnComparison {
        guard source is TableSource else { return ColumnComparison(affinity: .none) }
        return try db.comparison(ofColumn: column, in: source.name)
    }

    /// The rows that belong to some rows.
    fileprivate func request(_ db: Database, _ rows: [Row]) throws -> Relation {
        let columns = try columns(db)
        return try request(db, columns, comparisons(db, columns), PrefetchKeys(columns.map(\.left), in: rows))
    }

    /// Fetches the rows, and gives them to the rows they belong to. Runs no statement when no row has a key.
    func fetch(_ db: Database, _ rows: [Row]) throws {
        let columns = try columns(db)
        let keys = PrefetchKeys(columns.map(\.left), in: rows)
        if keys.areNull {
            for row in rows { row.prefetches[path.joined(separator: ".")] = .rows([]) }
            return
        }
        let comparisons = try comparisons(db, columns)
        let request = QueryInterfaceRequest<Row>(try request(db, columns, comparisons, keys))
        let match = PrefetchMatch(comparisons: comparisons)
        let lists = try request.withStatement(db) { statement, adapter, prefetch in
            let batch = try RowBatch(statement, adapter: adapter)
            // Rows that get rows of their own are needed as such.
            if prefetch == nil, let lists = match.lists(batch, columns.map(\.right), for: keys) { return lists }
            let fetched = batch.rows
            try prefetch?(db, fetched)
            return try match.lists(db, fetched, PrefetchKeys(columns.map(\.right), in: fetched), for: keys)
                .map { .rows($0) }
        }
        let path = path.joined(separator: ".")
        for (row, list) in zip(rows, lists) { row.prefetches[path] = list }
    }

    func region(_ db: Database) throws -> DatabaseRegion {
        try request(db, columns(db), condition: nil).region(db)
    }

    /// The rows that belong to those with these keys.
    ///
    /// Values that stand on their own are compared as those of the table of the request for one column only, and when
    /// that table has no say in how. Else SQLite gets the columns.
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

    /// `"teamId" IN (1, 2, 3)`. Where there are more values than a statement has parameters, they are one array, or there
    /// is no such condition: arrays hold values of one kind.
    private func condition(_ db: Database, _ column: Column, _ values: [DatabaseValue]) -> SQLExpression? {
        if values.count <= db.maximumStatementArgumentCount { return values.contains(column) }
        let array = SQLArray(values)
        return array.defect == nil ? array.contains(column) : nil
    }

    private struct KeyCondition {
        var condition: SQLExpression
        var table: CommonTable?

        /// `("a", "b") IN "grdb_base"`
        static func all(of columns: [JoinedColumns], among table: CommonTable) -> KeyCondition {
            let names: [SQL] = columns.map { "\(Column($0.right))" }
            let condition: SQL = """
                (\(names.joined(separator: ", "))) IN \(sql: table.source.name.quotedDatabaseIdentifier)
                """
            return KeyCondition(condition: condition.sqlExpression, table: table)
        }
    }

    /// The keys of the rows of the request, as a table.
    private func baseTable(_ columns: [JoinedColumns]) -> CommonTable {
        var base = base.withoutSelection
        base.joins.removeAll { !$0.isJoined }
        base.select(.known(columns.map { Column($0.left).sqlSelection }))
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
        if let groups = try target.groups?.resolve(db), !groups.isEmpty {
            var names = columns.map(\.right)
            if pivots.isEmpty { names = try names.notFixed(by: groups, of: target, db) }
            target.group(by: .known(groups + names.map { alias[Column($0)].sqlExpression }))
        }
        return try target.joining(pivots: pivots, conditions: joins.dropFirst().map(\.condition))
    }
}

extension [String] {
    /// The columns that may have several values in a group of rows. These rows belong to several ones, each of which needs
    /// a group of its own.
    fileprivate func notFixed(by groups: [SQLExpression], of relation: Relation, _ db: Database) throws -> [String] {
        let table = IdentifiedTable(db: db, source: relation.source, aliases: relation.aliases)
        let fixed = Set(groups.compactMap { $0.plainColumn(in: table) })
        if let primaryKey = try table.source.primaryKey(db),
            fixed.isSuperset(of: primaryKey.columns.map(TableName.init))
        {
            return []
        }
        return filter { !fixed.contains(TableName($0)) }
    }
}

extension Relation {
    /// The relation on the way to another one: nothing of it is selected, nor fetched afterwards.
    var asPivot: Relation {
        var relation = withoutSelection
        relation.joins.removeAll { !$0.isJoined }
        return relation
    }

    fileprivate mutating func restrict(_ alias: TableAliasBase, _ condition: SQLExpression?) {
        self.alias(alias)
        if let condition { filter(.known(condition)) }
    }

    /// The relation, and the tables on the way back to the one that it is reached from.
    ///
    /// - Parameters:
    ///   - pivots: the relations on the way from the first table, from the first to the last.
    ///   - conditions: how each relation, and then this one, is joined to the previous one, from the second on.
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

    /// No association has this name: a table on the way back is never joined into one with that of an association.
    private static var pivotKey: String { "\u{0}pivot" }
}

extension FetchRequest {
    /// The requests of the associations to many that the request includes, with their names.
    package func associatedRequests(_ db: Database) throws -> [(key: String, request: QueryInterfaceRequest<Row>)] {
        guard let request = self as? any RelationRequest else { return [] }
        return try request._relation.associatedRequests(db)
    }
}

/// A request that is a face of a relation.
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
