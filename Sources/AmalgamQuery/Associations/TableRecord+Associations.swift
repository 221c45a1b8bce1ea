extension TableRecord {
    /// Returns an association from the table of this record, which has the foreign key, to the table of another record.
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     static let team = belongsTo(Team.self)
    ///     static let captain = belongsTo(Player.self, key: "captain", using: ForeignKey(["captainId"]))
    /// }
    ///
    /// Player.including(required: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the associated record type.
    ///   - key: the name of the associated row in fetched rows. By default, the singular of the table name.
    ///   - foreignKey: the foreign key. By default, the only one between both tables in the schema.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        table.belongsTo(destination, key: key, using: foreignKey)
    }

    /// Returns an association from the table of this record, which has the foreign key, to another table.
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     static let team = belongsTo(Table("team"))
    /// }
    ///
    /// Player.including(required: Player.team)
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
    /// ```
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        table.belongsTo(destination, key: key, using: foreignKey)
    }

    /// Returns an association to at most one row of a record's table. That table has the foreign key.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let profile = hasOne(CountryProfile.self)
    /// }
    ///
    /// Country.including(optional: Country.profile)
    /// // SELECT "country".*, "countryProfile".* FROM "country"
    /// // LEFT JOIN "countryProfile" ON "countryProfile"."countryCode" = "country"."code"
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the associated record type.
    ///   - key: the name of the associated row in fetched rows. By default, the singular of the table name.
    ///   - foreignKey: the foreign key of the destination. By default, the only one between both tables in the schema.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        table.hasOne(destination, key: key, using: foreignKey)
    }

    /// Returns an association to at most one row of another table. The other table has the foreign key.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let profile = hasOne(Table("countryProfile"))
    /// }
    /// ```
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        table.hasOne(destination, key: key, using: foreignKey)
    }

    /// Returns an association to any number of rows of a record's table. That table has the foreign key.
    ///
    /// ```swift
    /// struct Team: TableRecord {
    ///     static let players = hasMany(Player.self)
    /// }
    ///
    /// let rows = try Row.fetchAll(db, Team.including(all: Team.players))
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
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        table.hasMany(destination, key: key, using: foreignKey)
    }

    /// Returns an association to any number of rows of another table. The other table has the foreign key.
    ///
    /// ```swift
    /// struct Team: TableRecord {
    ///     static let players = hasMany(Table("player"))
    /// }
    /// ```
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        table.hasMany(destination, key: key, using: foreignKey)
    }

    /// Returns an association to at most one row through another table.
    ///
    /// ```swift
    /// struct Library: TableRecord {
    ///     static let address = hasOne(Address.self)
    /// }
    ///
    /// struct Book: TableRecord {
    ///     static let library = belongsTo(Library.self)
    ///     static let address = hasOne(Address.self, through: library, using: Library.address)
    /// }
    ///
    /// Book.including(required: Book.address)
    /// // SELECT "book".*, "address".* FROM "book" JOIN "library" ON "library"."id" = "book"."libraryId"
    /// // JOIN "address" ON "address"."libraryId" = "library"."id"
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the type of the associated rows.
    ///   - pivot: an association from this record to the intermediate table.
    ///   - target: an association from the intermediate table to the associated rows.
    ///   - key: the name of the associated row in fetched rows. By default, the key of the target.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Self == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasOne(destination, through: pivot, using: target, key: key)
    }

    /// Returns an association to any number of rows through another table.
    ///
    /// ```swift
    /// struct Passport: TableRecord {
    ///     static let citizen = belongsTo(Citizen.self)
    /// }
    ///
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    /// }
    ///
    /// let rows = try Row.fetchAll(db, Country.including(all: Country.citizens))
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the type of the associated rows.
    ///   - pivot: an association from this record to the intermediate table.
    ///   - target: an association from the intermediate table to the associated rows.
    ///   - key: the name of the associated rows in fetched rows. By default, the key of the target.
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Self == Pivot.OriginRowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasMany(destination, through: pivot, using: target, key: key)
    }
}
