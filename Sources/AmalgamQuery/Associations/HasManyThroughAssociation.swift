/// An association to any number of rows through another table. For example, a country has many citizens through
/// passports.
///
/// ```swift
/// struct Passport: TableRecord {
///     static let citizen = belongsTo(Citizen.self)
/// }
///
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
