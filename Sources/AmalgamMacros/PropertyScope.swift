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
/// The macro adds an enumeration to the body, with aliases of these types and with default values.
struct PropertyScope {
    static let name = "_Scope"

    let property: Property

    private var alias: String? { property.hasNamedType ? property.name : nil }

    /// The name of the default value, if it isn't a literal.
    private var defaultValue: String? {
        guard let value = property.defaultValue, property.literalDefault == nil, value != "nil" else { return nil }
        return "\(property.name.replacing("`", with: ""))Default"
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
        return property
    }

    /// The declarations in the body of the type.
    func declarations(_ access: String) -> String? {
        let lines = [
            alias.map { "\(access)typealias \($0) = \(property.wrappedType ?? property.type)" },
            defaultValue.map { "\(access)static var \($0): \(property.type) { \(property.defaultValue ?? "") }" },
        ].compactMap(\.self)
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
#endif
