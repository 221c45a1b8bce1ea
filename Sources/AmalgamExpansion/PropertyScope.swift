#if Macros
import SwiftSyntax

/// The names that a type in another type sees in its own body, and not in the extension of the macro:
///
/// ```
/// enum Game {
///     enum Level: String, Codable { case easy, hard }
///     @Record struct Round { var level: Level }
/// }
/// ```
///
/// The macro adds an enumeration to the body, with aliases of these types, with default values, and with representations.
struct PropertyScope {
    static let name = "_Scope"

    let property: Property

    private var alias: String? { property.hasNamedType ? name("type") : nil }

    /// The name of the default value, if it isn't a literal.
    private var defaultValue: String? {
        guard let value = property.defaultValue, property.literalDefault == nil, value != "nil",
            !property.hasPrivateType
        else { return nil }
        return name("default")
    }

    /// The name of the representation, if it is an expression of the application.
    private var representation: String? {
        guard let representation = property.declaredRepresentation, !representation.isImplicit,
            !property.hasPrivateType
        else { return nil }
        return name("representation")
    }

    /// A name that no type of a property has, in backticks if the property's name has them.
    private func name(_ kind: String) -> String {
        property.name == property.plainName ? "\(kind)_\(property.name)" : "`\(kind)_\(property.plainName)`"
    }

    /// The property as the extension writes it.
    var propertyOfExtension: Property {
        var property = property
        if let alias {
            if property.isOptional {
                property.wrappedType = "\(Self.name).\(alias)"
                property.type = "\(Self.name).\(alias)?"
            } else {
                property.type = "\(Self.name).\(alias)"
            }
        }
        if let defaultValue { property.defaultValue = "\(Self.name).\(defaultValue)" }
        if let representation {
            property.declaredRepresentation = Representation(expression: "\(Self.name).\(representation)")
        }
        return property
    }

    /// The declarations in the body of the type.
    func declarations(_ access: String) -> String? {
        let lines = [
            alias.map { "\(access)typealias \($0) = \(property.wrappedType ?? property.type)" },
            defaultValue.map { "\(access)static var \($0): \(property.type) { \(property.scopedDefault ?? "") }" },
            representation.map { name in
                let type = "\(Name.records("DatabaseRepresentation"))<\(property.wrappedType ?? property.type)>"
                return "\(access)static var \(name): some \(type) { \(property.representation ?? "") }"
            },
        ].compactMap(\.self)
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
#endif
