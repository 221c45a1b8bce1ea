/// An association to the table that has the foreign key, in one row at most: a country has a profile.
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
