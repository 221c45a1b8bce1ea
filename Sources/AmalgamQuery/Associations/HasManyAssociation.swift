/// An association to any number of rows of the table that has the foreign key. For example, a team has many players.
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
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
