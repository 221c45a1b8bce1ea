public import AmalgamCore

/// A name for a table of a request: see ``TableAlias``.
///
/// Two aliases are equal when they are the same object.
public class TableAliasBase: Hashable, @unchecked Sendable {
    // Sendable: nothing changes after the initialisation, and there is no other subclass than `TableAlias`.

    /// The name in SQL, when the user chose one.
    let userName: String?

    init(userName: String?) {
        self.userName = userName
    }

    /// Whether two aliases are the same object.
    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A name for a table of a request, in order to refer to its columns from another place.
///
/// ```swift
/// let team = TableAlias<Team>()
/// let request = Player
///     .joining(required: Player.team.aliased(team))
///     .order { [team.name, $0.score.desc] }
/// // SELECT "player".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
/// // ORDER BY "team"."name", "player"."score" DESC
/// ```
///
/// An alias shows in the SQL when it was given a name: `TableAlias<Team>(name: "t")` is written `"team" "t"`.
///
/// An alias stands for one table of one request, also inside the subqueries of the request. When a subquery selects from the
/// same table, that table gets another name in the subquery:
///
/// ```swift
/// let outer = TableAlias<Player>()
/// let better = Player.filter { $0.teamId == outer.teamId && $0.score > outer.score }
/// Player.aliased(outer).filter(!better.exists())
/// // SELECT * FROM "player" WHERE NOT EXISTS (SELECT "player1".* FROM "player" "player1"
/// // WHERE ("player1"."teamId" = "player"."teamId") AND ("player1"."score" > "player"."score"))
/// ```
///
/// A request throws `SQLITE_MISUSE` when an alias stands for several tables, and when two tables that a subquery refers to
/// were given one name.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    // Sendable: see `TableAliasBase`.

    /// An alias of the table of a record.
    ///
    /// - Parameters:
    ///   - name: the name in SQL. Without one, the request finds one.
    ///   - record: the type of the record.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) where RowDecoder: TableRecord {
        super.init(userName: name)
    }

    init(anonymous name: String? = nil) {
        super.init(userName: name)
    }
}

extension TableAlias where RowDecoder == () {
    /// An alias of any table.
    ///
    /// - Parameter name: the name in SQL. Without one, the request finds one.
    public convenience init(name: String? = nil) {
        self.init(anonymous: name)
    }
}

// MARK: - Columns of the table

extension TableAliasBase {
    /// A column of the table.
    ///
    /// ```swift
    /// team["name"]   // "team"."name"
    /// ```
    public subscript(column: String) -> SQLExpression {
        SQLExpression(node: AliasedNode(alias: self, node: ColumnNode(name: column)))
    }

    /// An expression made of columns of the table.
    ///
    /// ```swift
    /// team[Column("name")]                    // "team"."name"
    /// team[Column("wins") - Column("losses")] // "team"."wins" - "team"."losses"
    /// ```
    public subscript(expression: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(node: AliasedNode(alias: self, node: expression.sqlExpression.node))
    }

    /// An ordering term made of columns of the table.
    public subscript(ordering: some SQLOrderingTerm) -> SQLOrdering {
        SQLOrdering(node: AliasedOrdering(alias: self, node: ordering.sqlOrdering.node))
    }

    /// Result columns made of columns of the table.
    public subscript(selectable: some SQLSelectable) -> SQLSelection {
        SQLSelection(node: AliasedSelection(alias: self, node: selectable.sqlSelection.node))
    }
}

// A column is an ordering term and a selection as well: the compiler tries what is disfavoured last, which makes
// conditions with aliases compile a hundred times faster.

extension TableAlias where RowDecoder: TableRecord {
    /// Where dynamic members find the columns.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// A column of the table, by its name in the record: `team.name`.
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLExpression
    where T: SQLSpecificExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// An ordering term of the record: `team.defaultOrder`.
    @_disfavoredOverload
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLOrdering
    where T: SQLOrderingTerm {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Result columns of the record: `team.summary`.
    @_disfavoredOverload
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLSelection
    where T: SQLSelectable {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}
