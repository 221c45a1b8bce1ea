#if Macros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// The attributes of a property that belong to the macros: `@Key`, `@Column` and `@Ignored`.
struct PropertyAttributes {
    /// The names of the attributes, in order.
    private(set) var names: [String] = []

    private(set) var key: String?
    private(set) var representation: Representation?
    private(set) var isGenerated = false

    /// The prefix of the columns of a type that the property embeds.
    private(set) var prefix: String?

    /// An attribute that may be a property wrapper; nil if `@Column` alone says that the property has the format of its type.
    var possibleWrapper: AttributeSyntax? { hasUsualFormat ? nil : capitalizedAttribute }

    private var capitalizedAttribute: AttributeSyntax?
    private var hasUsualFormat = false

    private var keyAttribute: AttributeSyntax?
    private var invalidName: ExprSyntax?
    private var invalidPrefix: ExprSyntax?
    private var columnAttribute: (name: String, node: AttributeSyntax)?

    var isKey: Bool { keyAttribute != nil }

    var isIgnored: Bool { names.contains("Ignored") }

    /// An `#if` around attributes whose active clause isn't known.
    private(set) var unknownCondition: IfConfigDeclSyntax?

    init(_ attributes: AttributeListSyntax, in context: some MacroExpansionContext) {
        read(attributes, in: context)
    }

    private mutating func read(_ attributes: AttributeListSyntax, in context: some MacroExpansionContext) {
        for element in attributes {
            guard case .attribute(let attribute) = element else {
                if case .ifConfigDecl(let condition) = element { read(condition, in: context) }
                continue
            }
            // `Column`, `Amalgam.Column` or `Amalgam::Column`.
            let name =
                attribute.attributeName.trimmedDescription.split { $0 == "." || $0 == ":" }.last.map { String($0) }
                ?? ""
            guard ["Key", "Column", "Embedded", "Ignored"].contains(name) else {
                if Self.isPossibleWrapper(name) { capitalizedAttribute = attribute }
                continue
            }
            names.append(name)
            if name == "Key" { keyAttribute = attribute }
            if name == "Column", attribute.arguments == nil { hasUsualFormat = true }
            if name == "Embedded" { prefix = "" } else { columnAttribute = (name, attribute) }
            guard name == "Column" || name == "Embedded", case .argumentList(let arguments) = attribute.arguments else {
                continue
            }
            for argument in arguments { read(argument) }
        }
    }

    /// Whether an attribute may be a property wrapper. The attributes of Swift begin with a small letter. Global actors and
    /// the attributes of `@Observable` aren't wrappers, and `@Published` has no format of its own.
    private static func isPossibleWrapper(_ name: String) -> Bool {
        name.first?.isUppercase == true && name != "Published" && !name.hasSuffix("Actor")
            && !name.hasPrefix("Observation")
    }

    private mutating func read(_ condition: IfConfigDeclSyntax, in context: some MacroExpansionContext) {
        let count = names.count
        let clauses = ActiveClauses(condition, in: context)
        for clause in clauses.clauses {
            if case .attributes(let attributes) = clause.elements { read(attributes, in: context) }
        }
        if case .any = clauses, names.count > count { unknownCondition = condition }
    }

    private mutating func read(_ argument: LabeledExprSyntax) {
        switch argument.label?.text {
        case nil:
            if let name = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
                key = name
            } else {
                invalidName = argument.expression
            }
        case "prefix":
            if let text = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
                prefix = text
            } else {
                invalidPrefix = argument.expression
            }
        case "as": representation = Representation(expression: argument.expression.trimmedDescription)
        case "generated": isGenerated = argument.expression.trimmedDescription == "true"
        default: break
        }
    }

    func problem(in kind: Declaration.Kind) -> (problem: Problem, node: Syntax)? {
        if let invalidName { return (.name, Syntax(invalidName)) }
        if let invalidPrefix { return (.prefix, Syntax(invalidPrefix)) }
        if prefix != nil, let columnAttribute {
            return (.embeddedColumn(columnAttribute.name), Syntax(columnAttribute.node))
        }
        if let keyAttribute, kind == .selection { return (.keyInSelection, Syntax(keyAttribute)) }
        if let keyAttribute, kind == .embeddable { return (.keyInEmbeddable, Syntax(keyAttribute)) }
        if let keyAttribute, isGenerated { return (.keyGenerated, Syntax(keyAttribute)) }
        return nil
    }
}

/// The representation that an attribute gives: `.json`, or an expression of the application.
struct Representation {
    let expression: String

    /// Whether the expression begins with a dot: it has the same meaning in each scope.
    var isImplicit: Bool { expression.hasPrefix(".") }

    /// The expression for a property of a type. Representations of many types need it.
    func resolved(_ type: String) -> String {
        switch expression {
        case ".json": "\(Name.records("JSONRepresentation"))<\(type)>()"
        case ".jsonb": "\(Name.json("JSONBRepresentation"))<\(type)>()"
        case ".rawValue": "\(Name.records("RawValueRepresentation"))<\(type)>()"
        case ".unixTime": "\(Name.records("UnixTimeRepresentation"))()"
        case ".iso8601": "\(Name.records("ISO8601Representation"))()"
        default: expression
        }
    }
}
#endif
