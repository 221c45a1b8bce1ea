extension TableRecord {
    /// An association from the table that has the foreign key.
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     static let team = belongsTo(Team.self)
    ///     static let captain = belongsTo(Player.self, key: "captain", using: ForeignKey(["captainId"]))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: the name of the associated row. By default, that of the table, in the singular.
    ///   - foreignKey: the foreign key. By default, the only one of the schema.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        table.belongsTo(destination, key: key, using: foreignKey)
    }

    /// An association from the table that has the foreign key, to a table.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        table.belongsTo(destination, key: key, using: foreignKey)
    }

    /// An association to the table that has the foreign key, in one row at most.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let profile = hasOne(CountryProfile.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: the name of the associated row. By default, that of the table, in the singular.
    ///   - foreignKey: the foreign key, from the side of the destination. By default, the only one of the schema.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        table.hasOne(destination, key: key, using: foreignKey)
    }

    /// An association to the table that has the foreign key, in one row at most.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        table.hasOne(destination, key: key, using: foreignKey)
    }

    /// An association to the table that has the foreign key.
    ///
    /// ```swift
    /// struct Team: TableRecord {
    ///     static let players = hasMany(Player.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: the name of the associated rows. By default, that of the table, in the plural.
    ///   - foreignKey: the foreign key, from the side of the destination. By default, the only one of the schema.
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        table.hasMany(destination, key: key, using: foreignKey)
    }

    /// An association to the table that has the foreign key.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        table.hasMany(destination, key: key, using: foreignKey)
    }

    /// An association to one row by way of another table.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let library = belongsTo(Library.self)
    ///     static let address = hasOne(Address.self, through: library, using: Library.address)
    /// }
    /// ```
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Self == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasOne(destination, through: pivot, using: target, key: key)
    }

    /// An association to any number of rows by way of another table.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    /// }
    /// ```
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Self == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasMany(destination, through: pivot, using: target, key: key)
    }
}
