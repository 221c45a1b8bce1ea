import AmalgamCore

/// The rows to which a prefetch assigns associated rows: the rows of the request's table, or of a table that the request
/// joins.
///
/// For `Team.including(all: Team.players)`, the origin is `team`. For
/// `Team.including(required: Team.players.including(all: Player.awards))`, it is `player`: each row of the request
/// contains one player, and receives the awards of this player.
struct PrefetchOrigin {
    /// The keys of the joins from the request's table to the origin. Empty if the origin is the request's table.
    var path: [String] = []

    /// The table of the origin.
    let source: any SQLSource

    /// An alias of the table, unless it is the request's table.
    var alias: TableAliasBase?

    /// The names of the result columns that contain the key of the origin's row.
    var keyColumns: [String] = []

    /// Returns an expression for a column of the origin.
    func column(_ name: String) -> SQLExpression {
        let column = Column(name).sqlExpression
        return alias.map { SQLExpression(node: AliasedNode(alias: $0, node: column.node)) } ?? column
    }
}

extension Prefetch {
    /// Creates a prefetch that leads from the request's table through some joins, the last of which is the to-many
    /// association.
    ///
    /// The first join's key identifies the associated rows if the joined tables have at most one row for it. Otherwise,
    /// the prefetch starts from the last joined table.
    init(_ db: Database, path: [String], joins: [Join], base: Relation) throws {
        let joined = joins.prefix { $0.isJoined }
        self.path = path
        self.base = base
        if let last = joined.last, try !joined.haveOneRow(db, from: base.source, isVisible: last.isIncluded) {
            self.joins = Array(joins.dropFirst(joined.count))
            origin = PrefetchOrigin(path: joined.map(\.key), source: last.relation.source)
        } else {
            self.joins = joins
            origin = PrefetchOrigin(source: base.source)
        }
    }

    /// Returns the affinity and collation of a column. The columns of other sources than tables have no affinity.
    static func comparison(
        _ db: Database, of column: String, in source: any SQLSource
    ) throws -> ColumnComparison {
        guard source is TableSource else { return ColumnComparison(affinity: .none) }
        return try db.comparison(ofColumn: column, in: source.name)
    }
}

extension Sequence<Join> {
    /// Returns whether each row of a table is joined with at most one row.
    ///
    /// - Parameter isVisible: whether the last joined row is fetched. Otherwise, the schema doesn't have to prove that
    ///   a `hasOne` association has at most one row.
    fileprivate func haveOneRow(_ db: Database, from source: any SQLSource, isVisible: Bool) throws -> Bool {
        var left = source
        for join in self {
            if try !join.hasOneRow(db, from: left, isTrusted: !isVisible) { return false }
            left = join.relation.source
        }
        return true
    }
}

extension Join {
    fileprivate func hasOneRow(_ db: Database, from left: any SQLSource, isTrusted: Bool) throws -> Bool {
        guard case .foreignKey(let link) = condition else { return false }
        if isTrusted && isToOne && !link.originIsLeft { return true }
        let right = relation.source
        let columns = try link.columns(db)
        // If strings are compared as numbers, several of them can be equal to one number, in spite of a unique key.
        let comparesStoredValues = try columns.allSatisfy {
            let affinity = try Prefetch.comparison(db, of: $0.right, in: right).affinity
            return try affinity == .numeric || Prefetch.comparison(db, of: $0.left, in: left).affinity != .numeric
        }
        return try comparesStoredValues && right.hasUniqueKey(db, among: Set(columns.map { TableName($0.right) }))
    }
}

extension SQLSource {
    /// Returns whether at most one row has the given values in the given columns.
    fileprivate func hasUniqueKey(_ db: Database, among columns: Set<TableName>) throws -> Bool {
        guard self is TableSource else { return false }
        if try db.viewExists(name) {
            guard let primaryKey = try primaryKey(db) else { return false }
            return columns.isSuperset(of: primaryKey.columns.map(TableName.init))
        }
        // The name may be that of a common table expression.
        guard try db.tableExists(name) else { return false }
        if try columns.contains(where: { try db.isRowID($0, ofTable: name) }) { return true }
        return try db.indexes(on: name).contains { index in
            try index.isUnique && !index.isPartial
                && index.terms.allSatisfy { term in
                    guard let column = term.column, columns.contains(TableName(column)) else { return false }
                    let collation = try db.comparison(ofColumn: column, in: name).collation
                    // Strings that differ in the index's collation differ as bytes, too.
                    return collation == .binary || collation == term.collation
                }
        }
    }
}

extension Relation {
    /// Returns an alias of a joined table, and adds one if the table has none.
    ///
    /// - Parameter path: the keys of the joins from this table to the joined table.
    mutating func joinedAlias(_ path: ArraySlice<String>) -> TableAliasBase? {
        if let key = path.first {
            guard let index = joins.firstIndex(where: { $0.key == key && $0.isJoined }) else { return nil }
            return joins[index].relation.joinedAlias(path.dropFirst())
        }
        if aliases.isEmpty { alias(TableAlias<Void>(anonymous: nil)) }
        return aliases.first
    }
}

/// The selection of a request, to which the keys of its prefetches are added.
struct PrefetchKeySelection {
    private(set) var selection: [SQLSelection]
    let relation: Relation
    let db: Database

    /// The content of the leftmost result column that has a certain name.
    private enum Content {
        case key, other
    }

    /// Returns the name of the result column that contains a key column of an origin. Selects the column if needed,
    /// such as `"id" AS "grdb_id"`.
    ///
    /// A row that is prefetched itself has a column `grdb_id` if its own origin's key is named `id`. Then the column is
    /// selected as `grdb_id_2`.
    mutating func name(of column: String, in origin: PrefetchOrigin) throws -> String {
        if origin.alias == nil, try content(named: column, column, origin) == .key { return column }
        let hiddenName = Prefetch.hiddenName((origin.path + [column]).joined(separator: "_"))
        var (name, number) = (hiddenName, 1)
        while let found = try content(named: name, column, origin) {
            if found == .key { return name }
            number += 1
            name = "\(hiddenName)_\(number)"
        }
        selection.append(origin.column(column).forKey(name))
        return name
    }

    private func content(named name: String, _ column: String, _ origin: PrefetchOrigin) throws -> Content? {
        for selection in selection {
            if let content = try content(selection.node, nil, named: name, column, origin) { return content }
        }
        return nil
    }

    /// - Parameter alias: the alias whose table has the columns of the node; nil for the request's table.
    private func content(
        _ node: any SQLNode, _ alias: TableAliasBase?, named name: String, _ column: String, _ origin: PrefetchOrigin
    ) throws -> Content? {
        switch node {
        case let node as AliasedNode:
            return try content(node.node, node.alias, named: name, column, origin)
        case let node as AliasedSelection:
            return try content(node.node, node.alias, named: name, column, origin)
        case let node as NamedSelection:
            if TableName(node.key) != TableName(name) { return nil }
            return isColumn(node.node, alias, column, origin) ? .key : .other
        case let node as ColumnNode:
            if TableName(node.name) != TableName(name) { return nil }
            return isColumn(node, alias, column, origin) ? .key : .other
        case is AllColumnsNode where alias.map(relation.aliases.contains) ?? true:
            // The columns of a common table expression may be unknown. Its rows are expected to have the key.
            guard try isInSchema else { return origin.alias == nil && name == column ? .key : nil }
            let names = try relation.source.columnNames(db)
            if !names.contains(where: { TableName($0) == TableName(name) }) { return nil }
            return origin.alias == nil && name == column ? .key : .other
        // These columns are unknown, but the names of hidden columns are the library's.
        case is AllColumnsNode, is SQL: return name == column ? .other : nil
        default: return nil
        }
    }

    /// Whether the request's table is a table or view of the schema.
    private var isInSchema: Bool {
        get throws {
            guard relation.source is TableSource else { return false }
            let name = relation.source.name
            return try db.tableExists(name) || db.viewExists(name)
        }
    }

    private func isColumn(
        _ node: any SQLNode, _ alias: TableAliasBase?, _ column: String, _ origin: PrefetchOrigin
    ) -> Bool {
        if let node = node as? AliasedNode { return isColumn(node.node, node.alias, column, origin) }
        guard let node = node as? ColumnNode, TableName(node.name) == TableName(column) else { return false }
        return origin.alias.map { $0 == alias } ?? alias.map(relation.aliases.contains) ?? true
    }
}
