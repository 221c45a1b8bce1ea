/// An association to the table that has the foreign key, in any number of rows: a team has players.
///
/// ```swift
/// struct Team: TableRecord {
///     static let players = hasMany(Player.self)
/// }
/// ```
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
