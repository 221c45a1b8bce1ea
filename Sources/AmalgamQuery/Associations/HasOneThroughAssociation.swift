/// An association to at most one row through another table. For example, a book has the address of its library.
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
/// ```
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
