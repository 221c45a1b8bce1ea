import AmalgamCore

/// A request that joins the tables of associations.
///
/// | method | SQL | effect on the fetched rows |
/// | --- | --- | --- |
/// | `including(required:)` | `JOIN`, columns selected | only rows with an associated row, each contains this row |
/// | `including(optional:)` | `LEFT JOIN`, columns selected | all rows, each contains its associated row or NULLs |
/// | `including(all:)` | a separate statement | all rows, each contains all its associated rows |
/// | `annotated(withRequired:)` | `JOIN`, columns selected | only rows with an associated row, columns appended |
/// | `annotated(withOptional:)` | `LEFT JOIN`, columns selected | all rows, columns or NULLs appended |
/// | `joining(required:)` | `JOIN` | only rows with an associated row |
/// | `joining(optional:)` | `LEFT JOIN` | all rows; an alias can refer to the joined table |
///
/// A row with several associated rows occurs several times in the result of a `JOIN` or `LEFT JOIN`.
public protocol JoinableRequest<RowDecoder>: TypedRequest {
    /// Adds a join, or a separate statement that fetches the associated rows.
    func _joining(_ join: _Join, annotatedWith columns: _JoinedColumns?) -> Self
}

/// The columns of a joined table that `annotated(withRequired:)` or `annotated(withOptional:)` appends to the selection
/// of a request.
///
/// The type is public because the protocols of requests use it. It has no public members.
public struct _JoinedColumns {
    let selection: [Deferred<[SQLSelection]>]
}

extension JoinableRequest {
    /// Also fetches the associated rows of all rows of the request, with one more statement.
    ///
    /// ```swift
    /// let teams = try Team.including(all: Team.players).fetchAll(db)
    /// // SELECT * FROM "team"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
    /// ```
    ///
    /// The column `grdb_teamId` tells to which team a player belongs.
    ///
    /// The number of statements depends on the number of associations, not on the number of rows.
    ///
    /// In an association that is joined, the method fetches the rows that are associated with the joined row:
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, Team.including(required: Team.players.including(all: Player.awards)))
    /// // SELECT "team".*, "player"."id" AS "grdb_player_id", "player".* FROM "team"
    /// // JOIN "player" ON "player"."teamId" = "team"."id"
    /// // SELECT *, "playerId" AS "grdb_playerId" FROM "award" WHERE "playerId" IN (1, 2)
    /// ```
    ///
    /// Below a `hasOne` association whose columns aren't fetched, because of `joining(required:)` or
    /// `joining(optional:)`, the method relies on the association: it has at most one row.
    ///
    /// An association without groups may select an aggregate. Its value is computed for each row of the request that
    /// has associated rows. A request that aggregates in plain SQL, or by a ``DatabaseFunction`` or an ``SQLFunction``,
    /// needs a GROUP BY clause with the foreign key:
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, Team.including(all: Team.players.select(count().forKey("count"))))
    /// // SELECT * FROM "team"
    /// // SELECT COUNT(*) AS "count", "teamId" AS "grdb_teamId" FROM "player"
    /// // WHERE "teamId" IN (1, 2) GROUP BY "teamId"
    /// ```
    ///
    /// An association that selects an aggregate and has groups keeps exactly these groups: add the foreign key to them.
    public func including<A: AssociationToMany>(all association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.all, isIncluded: true), annotatedWith: nil)
    }

    /// Joins an association, and selects its columns. Rows without an associated row are fetched as well.
    ///
    /// ```swift
    /// Player.all().including(optional: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func including<A: Association>(optional association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.optional, isIncluded: true), annotatedWith: nil)
    }

    /// Joins an association, and selects its columns. Rows without an associated row aren't fetched.
    ///
    /// ```swift
    /// Player.all().including(required: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func including<A: Association>(required association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.required, isIncluded: true), annotatedWith: nil)
    }

    /// Joins an association without selecting its columns. Rows without an associated row are fetched as well.
    ///
    /// ```swift
    /// let team = TableAlias<Team>()
    /// Player.all().joining(optional: Player.team.aliased(team)).order(team.name)
    /// // SELECT "player".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId" ORDER BY "team"."name"
    /// ```
    public func joining<A: Association>(optional association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.optional, isIncluded: false), annotatedWith: nil)
    }

    /// Joins an association without selecting its columns. Rows without an associated row aren't fetched.
    ///
    /// ```swift
    /// Player.all().joining(required: Player.team.filter { $0.color == "red" })
    /// // SELECT "player".* FROM "player"
    /// // JOIN "team" ON ("team"."id" = "player"."teamId") AND ("team"."color" = 'red')
    /// ```
    public func joining<A: Association>(required association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.required, isIncluded: false), annotatedWith: nil)
    }

    /// Appends the columns of an association, or NULLs if there is no associated row, to the selection.
    ///
    /// ```swift
    /// Player.all().annotated(withOptional: Player.team.select { $0.color.forKey("teamColor") })
    /// // SELECT "player".*, "team"."color" AS "teamColor" FROM "player"
    /// // LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func annotated<A: Association>(withOptional association: A) -> Self
    where RowDecoder == A.OriginRowDecoder {
        annotated(with: association._path, .optional)
    }

    /// Appends the columns of an association to the selection. Rows without an associated row aren't fetched.
    ///
    /// ```swift
    /// Player.all().annotated(withRequired: Player.team.select { $0.color.forKey("teamColor") })
    /// // SELECT "player".*, "team"."color" AS "teamColor" FROM "player"
    /// // JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func annotated<A: Association>(withRequired association: A) -> Self
    where RowDecoder == A.OriginRowDecoder {
        annotated(with: association._path, .required)
    }

    private func annotated(with path: AssociationPath, _ kind: Join.Kind) -> Self {
        let alias = TableAlias<Void>(anonymous: nil)
        var path = path
        path.target.relation.alias(alias)
        let selection = path.target.relation.selection.map { part in
            part.map { $0.map { SQLSelection(node: AliasedSelection(alias: alias, node: $0.node)) } }
        }
        return _joining(path.join(kind, isIncluded: false), annotatedWith: _JoinedColumns(selection: selection))
    }
}
