import AmalgamCore

/// The name of an association: of one row, and of several ones.
struct AssociationKey: Sendable {
    private enum Form {
        case inflected, fixedSingular, fixedPlural
    }

    private let name: String
    private let form: Form

    /// A name that has a singular and a plural, such as that of a table.
    static func inflected(_ name: String) -> AssociationKey { AssociationKey(name: name, form: .inflected) }

    /// A name chosen for one row.
    static func fixedSingular(_ name: String) -> AssociationKey { AssociationKey(name: name, form: .fixedSingular) }

    /// A name chosen for several rows.
    static func fixedPlural(_ name: String) -> AssociationKey { AssociationKey(name: name, form: .fixedPlural) }

    /// The name of one row: `team`.
    var singular: String { form == .fixedSingular ? name : Inflections.default.singularize(name) }

    /// The name of several rows: `teams`.
    var plural: String { form == .fixedPlural ? name : Inflections.default.pluralize(name) }
}
