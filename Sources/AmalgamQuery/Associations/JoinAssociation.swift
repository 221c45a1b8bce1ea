/// An association with a custom join condition, to a common table expression or a table.
///
/// ```swift
/// let best = CommonTableExpression(
///     named: "best", request: Player.annotated { max($0.score) }.group(\.teamId))
/// let association = Team.association(to: best, on: { team, best in team.id == best["teamId"] })
/// // JOIN "best" ON "team"."id" = "best"."teamId"
/// ```
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
