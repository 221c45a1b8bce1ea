/// An association to any number of rows by way of another table: a country has citizens by its passports.
///
/// ```swift
/// struct Country: TableRecord {
///     static let passports = hasMany(Passport.self)
///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
/// }
/// ```
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin

    public typealias RowDecoder = Destination

    public var _path: _AssociationPath

    init(_ path: AssociationPath) {
        _path = path
    }
}
