/// An association from the table that has the foreign key. For example, a player belongs to a team.
///
/// ```swift
/// struct Player: TableRecord {
///     static let team = belongsTo(Team.self)
/// }
///
/// Player.including(required: Player.team)
/// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "team"."id" = "player"."teamId"
/// ```
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
