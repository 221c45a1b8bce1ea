import AmalgamCore

extension Table {
    /// Returns an association from this table, which has the foreign key, to the table of a record.
    ///
    /// ```swift
    /// let players = Table("player")
    /// players.including(required: players.belongsTo(Team.self))
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the associated record type.
    ///   - key: the name of the associated row in fetched rows. By default, the singular of the table name.
    ///   - foreignKey: the foreign key. By default, the only one between both tables in the schema.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(belongsToPath(Destination.relation, key, foreignKey))
    }

    /// Returns an association from this table, which has the foreign key, to another table.
    ///
    /// ```swift
    /// let players = Table("player")
    /// players.including(required: players.belongsTo(Table("team")))
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(belongsToPath(destination.relation, key, foreignKey))
    }

    /// Returns an association to at most one row of a record's table. That table has the foreign key.
    ///
    /// ```swift
    /// let countries = Table("country")
    /// countries.including(optional: countries.hasOne(CountryProfile.self))
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the associated record type.
    ///   - key: the name of the associated row in fetched rows. By default, the singular of the table name.
    ///   - foreignKey: the foreign key of the destination. By default, the only one between both tables in the schema.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(hasOnePath(Destination.relation, key, foreignKey))
    }

    /// Returns an association to at most one row of another table. The other table has the foreign key.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(hasOnePath(destination.relation, key, foreignKey))
    }

    /// Returns an association to any number of rows of a record's table. That table has the foreign key.
    ///
    /// ```swift
    /// let teams = Table("team")
    /// let rows = try teams.including(all: teams.hasMany(Player.self)).fetchAll(db)
    /// // SELECT * FROM "team"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
    /// ```
    ///
    /// The column `grdb_teamId` tells to which team a player belongs.
    ///
    /// - Parameters:
    ///   - destination: the associated record type.
    ///   - key: the name of the associated rows in fetched rows. By default, the plural of the table name.
    ///   - foreignKey: the foreign key of the destination. By default, the only one between both tables in the schema.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(hasManyPath(Destination.relation, key, foreignKey))
    }

    /// Returns an association to any number of rows of another table. The other table has the foreign key.
    ///
    /// ```swift
    /// let teams = Table("team")
    /// let rows = try teams.including(all: teams.hasMany(Table("player"))).fetchAll(db)
    /// // SELECT * FROM "team"
    /// // SELECT *, "teamId" AS "grdb_teamId" FROM "player" WHERE "teamId" IN (1, 2)
    /// ```
    ///
    /// The column `grdb_teamId` tells to which team a player belongs.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(hasManyPath(destination.relation, key, foreignKey))
    }

    /// Returns an association to at most one row through another table.
    ///
    /// - Parameters:
    ///   - destination: the type of the associated rows.
    ///   - pivot: an association from this table to the intermediate table.
    ///   - target: an association from the intermediate table to the associated rows.
    ///   - key: the name of the associated row in fetched rows. By default, the key of the target.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where RowDecoder == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        let association = HasOneThroughAssociation<RowDecoder, Target.RowDecoder>(
            AssociationPath(through: pivot._path, using: target._path))
        return key.map { association.forKey($0) } ?? association
    }

    /// Returns an association to any number of rows through another table.
    ///
    /// - Parameters:
    ///   - destination: the type of the associated rows.
    ///   - pivot: an association from this table to the intermediate table.
    ///   - target: an association from the intermediate table to the associated rows.
    ///   - key: the name of the associated rows in fetched rows. By default, the key of the target.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where RowDecoder == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        let association = HasManyThroughAssociation<RowDecoder, Target.RowDecoder>(
            AssociationPath(through: pivot._path, using: target._path))
        return key.map { association.forKey($0) } ?? association
    }

    private func belongsToPath(_ relation: Relation, _ key: String?, _ foreignKey: ForeignKey?) -> AssociationPath {
        let link = ForeignKeyLink(
            origin: tableName, destination: relation.source.name, foreignKey: foreignKey, originIsLeft: true)
        return path(to: relation, key.map(AssociationKey.fixedSingular), link, isToOne: true)
    }

    private func hasOnePath(_ relation: Relation, _ key: String?, _ foreignKey: ForeignKey?) -> AssociationPath {
        path(to: relation, key.map(AssociationKey.fixedSingular), link(from: relation, foreignKey), isToOne: true)
    }

    private func hasManyPath(_ relation: Relation, _ key: String?, _ foreignKey: ForeignKey?) -> AssociationPath {
        path(to: relation, key.map(AssociationKey.fixedPlural), link(from: relation, foreignKey), isToOne: false)
    }

    private func link(from relation: Relation, _ foreignKey: ForeignKey?) -> ForeignKeyLink {
        ForeignKeyLink(
            origin: relation.source.name, destination: tableName, foreignKey: foreignKey, originIsLeft: false)
    }

    private func path(
        to relation: Relation, _ key: AssociationKey?, _ link: ForeignKeyLink, isToOne: Bool
    ) -> AssociationPath {
        AssociationPath(
            AssociationPath.Step(
                key: key ?? .inflected(relation.source.name), condition: .foreignKey(link), relation: relation,
                isToOne: isToOne))
    }
}
