/// An association from the table that has the foreign key: a player belongs to a team.
///
/// ```swift
/// struct Player: TableRecord {
///     static let team = belongsTo(Team.self)
/// }
/// ```
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
