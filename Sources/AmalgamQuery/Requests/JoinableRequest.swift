import AmalgamCore

/// A request that joins the tables of associations.
///
/// | method | SQL | rows |
/// | --- | --- | --- |
/// | `including(required:)` | `JOIN`, selected | have a part with the columns of the association |
/// | `including(optional:)` | `LEFT JOIN`, selected | the same; all NULL without a match |
/// | `including(all:)` | one more statement | have the rows of the association |
/// | `annotated(withRequired:)` | `JOIN`, selected | have more columns |
/// | `annotated(withOptional:)` | `LEFT JOIN`, selected | the same; NULL without a match |
/// | `joining(required:)` | `JOIN` | those with a match only |
/// | `joining(optional:)` | `LEFT JOIN` | as without, unless an alias refers to the table |
public protocol JoinableRequest<RowDecoder>: TypedRequest {
    /// Joins a table, or fetches its rows afterwards.
    func _joining(_ join: _Join, annotatedWith columns: _JoinedColumns?) -> Self
}

/// Columns of a joined table that are selected as if they were those of the first one.
///
/// The type is public because the protocols of requests name it. It has no public members.
public struct _JoinedColumns {
    let selection: [Deferred<[SQLSelection]>]
}

extension JoinableRequest {
    /// Fetches associated rows, with a statement of their own.
    ///
    /// ```swift
    /// let teams = try Team.including(all: Team.players).fetchAll(db)
    /// // SELECT * FROM "team"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
    /// ```
    ///
    /// The number of statements is that of the associations, whatever the number of rows.
    public func including<A: AssociationToMany>(all association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.all, isIncluded: true), annotatedWith: nil)
    }

    /// Fetches the columns of an association, if any.
    ///
    /// ```swift
    /// Player.all().including(optional: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" LEFT JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func including<A: Association>(optional association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.optional, isIncluded: true), annotatedWith: nil)
    }

    /// Fetches the columns of an association. Rows without a match are left out.
    ///
    /// ```swift
    /// Player.all().including(required: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func including<A: Association>(required association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.required, isIncluded: true), annotatedWith: nil)
    }

    /// Joins an association, of which nothing is fetched.
    public func joining<A: Association>(optional association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.optional, isIncluded: false), annotatedWith: nil)
    }

    /// Joins an association, of which nothing is fetched. Rows without a match are left out.
    ///
    /// ```swift
    /// Player.all().joining(required: Player.team.filter { $0.color == "red" })
    /// // SELECT "player".* FROM "player"
    /// // JOIN "team" ON ("team"."id" = "player"."teamId") AND ("team"."color" = 'red')
    /// ```
    public func joining<A: Association>(required association: A) -> Self where RowDecoder == A.OriginRowDecoder {
        _joining(association._path.join(.required, isIncluded: false), annotatedWith: nil)
    }

    /// Adds the columns of an association to the selection; they are NULL without a match.
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

    /// Adds the columns of an association to the selection. Rows without a match are left out.
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
