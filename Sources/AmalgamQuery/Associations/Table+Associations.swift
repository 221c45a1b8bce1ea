import AmalgamCore

extension Table {
    /// An association from the table that has the foreign key.
    ///
    /// - Parameters:
    ///   - key: the name of the associated row. By default, that of the table, in the singular.
    ///   - foreignKey: the foreign key. By default, the only one of the schema.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(belongsToPath(Destination.relation, key, foreignKey))
    }

    /// An association from the table that has the foreign key, to a table.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(belongsToPath(destination.relation, key, foreignKey))
    }

    /// An association to the table that has the foreign key, in one row at most.
    ///
    /// - Parameters:
    ///   - key: the name of the associated row. By default, that of the table, in the singular.
    ///   - foreignKey: the foreign key, from the side of the destination. By default, the only one of the schema.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(hasOnePath(Destination.relation, key, foreignKey))
    }

    /// An association to the table that has the foreign key, in one row at most.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(hasOnePath(destination.relation, key, foreignKey))
    }

    /// An association to the table that has the foreign key.
    ///
    /// - Parameters:
    ///   - key: the name of the associated rows. By default, that of the table, in the plural.
    ///   - foreignKey: the foreign key, from the side of the destination. By default, the only one of the schema.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(hasManyPath(Destination.relation, key, foreignKey))
    }

    /// An association to the table that has the foreign key.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(hasManyPath(destination.relation, key, foreignKey))
    }

    /// An association to one row by way of another table.
    ///
    /// - Parameters:
    ///   - pivot: an association from this table.
    ///   - target: an association from the table that the pivot reaches.
    ///   - key: the name of the associated row. By default, that of the target.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where RowDecoder == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        let association = HasOneThroughAssociation<RowDecoder, Target.RowDecoder>(
            AssociationPath(through: pivot._path, using: target._path))
        return key.map { association.forKey($0) } ?? association
    }

    /// An association to any number of rows by way of another table.
    ///
    /// - Parameters:
    ///   - pivot: an association from this table.
    ///   - target: an association from the table that the pivot reaches.
    ///   - key: the name of the associated rows. By default, that of the target.
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
