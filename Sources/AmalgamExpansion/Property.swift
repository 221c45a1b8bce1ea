#if Macros
import SwiftSyntax

/// A stored property that is a column.
struct Property {
    /// The name in Swift code, with backticks if it has them.
    let name: String

    /// The coding key of the column.
    let key: String

    /// The type as it is written, or that of the default value.
    var type: String

    /// The type without its optional marks, if it has one.
    var wrappedType: String?

    /// Whether the type has a name that only the body of the declaration may see.
    let hasNamedType: Bool

    /// Whether the type is one of Swift's numbers, `CGFloat` or `Decimal`.
    let isNumber: Bool

    /// Whether the type has the name of a private type in the body of the declaration.
    let hasPrivateType: Bool

    /// How visible the property is.
    let access: AccessLevel

    /// The default value; nil if there is none.
    var defaultValue: String?

    /// The default value as code in another type writes it, where `Self` is that type.
    let scopedDefault: String?

    /// The default value, if it is a literal of a number, a string or a Boolean.
    let literalDefault: String?

    /// The representation; nil for that of the type.
    var declaredRepresentation: Representation?

    /// The prefix of the columns of a type that the property embeds; nil for a property that is a column.
    let prefix: String?

    let isKey: Bool

    /// Whether the database computes the value: the column is read, and not written.
    let isGenerated: Bool

    /// Whether an initializer can set the property.
    let isAssignable: Bool

    let isConstant: Bool

    /// The type of a key that SQLite assigns: `var id: Int64?`.
    let assignedType: AssignedType?

    /// Where the property is declared.
    let syntax: Syntax

    enum AssignedType {
        case int64
        case int
    }

    /// The name without backticks.
    var plainName: String { name.plainIdentifier }

    var isOptional: Bool { wrappedType != nil }

    /// The expression of the representation; nil for the representation of the type.
    var representation: String? { declaredRepresentation?.resolved(wrappedType ?? type) }

    /// The type of the values of the typed column: SQL can't compute with representations of numbers.
    var columnType: String {
        guard isNumber, declaredRepresentation != nil else { return type }
        return "\(Name.represented)<\(wrappedType ?? type)>\(isOptional ? "?" : "")"
    }

    var isNamedID: Bool { plainName == "id" }

    /// The name of the column in `Columns`.
    var columnName: String { name }

    /// Whether the key might be one that SQLite assigns, and can't be set after an insertion: `let id: Int64?`.
    var isConstantKey: Bool { isKey && isOptional && isConstant }

    /// Whether the key is one that SQLite assigns: `var id: Int64?`.
    var isAutoincremented: Bool { isKey && assignedType != nil }
}

extension String {
    /// An identifier without backticks.
    var plainIdentifier: String { replacing("`", with: "") }
}

/// The properties of a type, in order, with the `#if` clauses around them.
indirect enum Part {
    case property(number: Int, Property)

    /// The clauses with their conditions, such as `#if DEBUG`.
    case conditional([(condition: String, parts: [Part])])
}

extension [Part] {
    /// All properties, whichever clauses are active.
    var properties: [Property] {
        flatMap { part in
            switch part {
            case .property(_, let property): [property]
            case .conditional(let clauses): clauses.flatMap(\.parts.properties)
            }
        }
    }

    /// The properties outside of `#if` clauses.
    var unconditional: [Property] {
        compactMap { part in
            if case .property(_, let property) = part { property } else { nil }
        }
    }

    /// The same parts with other properties.
    func mapProperties(_ change: (Property) -> Property) -> [Part] {
        map { part in
            switch part {
            case .property(let number, let property): .property(number: number, change(property))
            case .conditional(let clauses):
                .conditional(clauses.map { ($0.condition, $0.parts.mapProperties(change)) })
            }
        }
    }

    /// The lines of code for the properties, in `#if` clauses if the properties are.
    func lines(_ line: (Int, Property) -> String?) -> [String] {
        flatMap { part -> [String] in
            switch part {
            case .property(let number, let property): [line(number, property)].compactMap(\.self)
            case .conditional(let clauses):
                clauses.flatMap { ["\($0.condition)"] + $0.parts.lines(line) } + ["#endif"]
            }
        }
    }
}
#endif
