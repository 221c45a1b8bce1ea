public import AmalgamCore

/// The superclass of ``TableAlias``, without a record type.
///
/// Two aliases are equal if they are the same object.
public class TableAliasBase: Hashable, @unchecked Sendable {
    // Sendable: no property changes after the initialization, and `TableAlias` is the only subclass.

    /// The name in SQL, if the user chose one.
    let userName: String?

    init(userName: String?) {
        self.userName = userName
    }

    /// Returns whether two aliases are the same object.
    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A name for a table of a request, with which other parts of the request refer to the columns of this table.
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
/// The alias appears in the SQL only if it was created with a name: `TableAlias<Team>(name: "t")` is written
/// `"team" "t"`.
///
/// An alias stands for one table of one request. The subqueries of the request can use the alias, too. If a subquery
/// that uses the alias selects from the same table, the table has a different name in the subquery, such as
/// `"player1"`:
///
/// ```swift
/// let outer = TableAlias<Player>()
/// let better = Player.filter { $0.teamId == outer.teamId && $0.score > outer.score }
/// Player.aliased(outer).filter(!better.exists())
/// // SELECT * FROM "player" WHERE NOT EXISTS (SELECT "player1".* FROM "player" "player1"
/// // WHERE ("player1"."teamId" = "player"."teamId") AND ("player1"."score" > "player"."score"))
/// ```
///
/// Fetching throws `SQLITE_MISUSE` in these cases:
/// - An alias stands for several tables of the request.
/// - A table has two aliases with different names.
/// - Two tables of one statement have aliases with the same name.
/// - An alias in a subquery has the name of an outer table to which the subquery refers.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    // Sendable: see `TableAliasBase`.

    /// Creates an alias for the table of a record type.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Player.joining(required: Player.team.aliased(team)).filter(team.name == "Reds")
    /// // SELECT "player".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId" WHERE "team"."name" = 'Reds'
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL. If nil, the request chooses one.
    ///   - record: the record type.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) where RowDecoder: TableRecord {
        super.init(userName: name)
    }

    init(anonymous name: String? = nil) {
        super.init(userName: name)
    }
}

extension TableAlias where RowDecoder == () {
    /// Creates an alias for any table.
    ///
    /// ```swift
    /// let p = TableAlias(name: "p")
    /// Player.aliased(p).filter(p["score"] > 10)
    /// // SELECT "p".* FROM "player" "p" WHERE "p"."score" > 10
    /// ```
    ///
    /// - Parameter name: the name in SQL. If nil, the request chooses one.
    public convenience init(name: String? = nil) {
        self.init(anonymous: name)
    }
}

// MARK: - Columns of the table

extension TableAliasBase {
    /// Returns a column of the table that has this alias.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// team["name"]   // "team"."name"
    /// ```
    public subscript(column: String) -> SQLExpression {
        SQLExpression(node: AliasedNode(alias: self, node: ColumnNode(name: column)))
    }

    /// Returns an expression whose columns are those of the table that has this alias.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// team[Column("name")]                    // "team"."name"
    /// team[Column("wins") - Column("losses")] // "team"."wins" - "team"."losses"
    /// ```
    public subscript(expression: some SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(node: AliasedNode(alias: self, node: expression.sqlExpression.node))
    }

    /// Returns a typed column of the table that has this alias.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// team[TypedColumn<String>("name")]   // "team"."name"
    /// ```
    public subscript<Value>(column: TypedColumn<Value>) -> TypedColumn<Value> {
        column.written(as: AliasedNode(alias: self, node: column.node))
    }

    /// Returns an ordering term whose columns are those of the table that has this alias.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// team[Column("name").desc]   // "team"."name" DESC
    /// ```
    public subscript(ordering: some SQLOrderingTerm) -> SQLOrdering {
        SQLOrdering(node: AliasedOrdering(alias: self, node: ordering.sqlOrdering.node))
    }

    /// Returns result columns of the table that has this alias.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// team[AllColumns()]   // "team".*
    /// ```
    public subscript(selectable: some SQLSelectable) -> SQLSelection {
        SQLSelection(node: AliasedSelection(alias: self, node: selectable.sqlSelection.node))
    }
}

// `team.name` matches several subscripts, because a column is also an ordering term and a selection. The compiler tries
// the disfavored subscripts last. This makes conditions with aliases compile a hundred times faster.

extension TableAlias where RowDecoder: TableRecord {
    /// The type whose members are the columns of the record, such as `name` in `team.name`.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Returns a column of the table that has this alias, by the name in the record type: `team.name`.
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLExpression
    where T: SQLSpecificExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns a typed column of the table that has this alias, by the name in the record type: `team.name`.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, TypedColumn<Value>>
    ) -> TypedColumn<Value> {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns an ordering term of the record type: `team.defaultOrder`.
    @_disfavoredOverload
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLOrdering
    where T: SQLOrderingTerm {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns result columns of the record type: `team.summary`.
    @_disfavoredOverload
    public subscript<T>(dynamicMember keyPath: KeyPath<DatabaseComponents, T>) -> SQLSelection
    where T: SQLSelectable {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}
