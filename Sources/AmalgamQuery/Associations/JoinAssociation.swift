/// An association with a custom join condition, to a common table expression or a table.
///
/// ```swift
/// let latest = CommonTableExpression(
///     named: "latest", request: Message.annotated { max($0.date) }.group(\.chatId))
/// let association = Chat.association(to: latest, on: { chat, latest in chat["id"] == latest["chatId"] })
/// ```
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
