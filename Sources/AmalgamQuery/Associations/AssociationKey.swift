import AmalgamCore

/// The key of an association, with a form for one row and a form for several rows.
struct AssociationKey: Sendable {
    private enum Form {
        case inflected, fixedSingular, fixedPlural
    }

    private let name: String
    private let form: Form

    /// Creates a key with a singular and a plural form, such as the name of a table.
    static func inflected(_ name: String) -> AssociationKey { AssociationKey(name: name, form: .inflected) }

    /// Creates a key chosen for one row.
    static func fixedSingular(_ name: String) -> AssociationKey { AssociationKey(name: name, form: .fixedSingular) }

    /// Creates a key chosen for several rows.
    static func fixedPlural(_ name: String) -> AssociationKey { AssociationKey(name: name, form: .fixedPlural) }

    /// The key of one row: `team`.
    var singular: String { form == .fixedSingular ? name : Inflections.default.singularize(name) }

    /// The key of several rows: `teams`.
    var plural: String { form == .fixedPlural ? name : Inflections.default.pluralize(name) }
}
