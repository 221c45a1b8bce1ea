/// An association to at most one row of the table that has the foreign key. For example, a country has a profile.
///
/// ```swift
/// struct Country: TableRecord {
///     static let profile = hasOne(CountryProfile.self)
/// }
/// ```
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
