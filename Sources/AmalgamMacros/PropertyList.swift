#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reads the stored properties of a type.
struct PropertyList<Context: MacroExpansionContext> {
    let kind: Declaration.Kind
    let context: Context
    private(set) var hasFailed = false
    private var count = 0

    init(kind: Declaration.Kind, context: Context) {
        self.kind = kind
        self.context = context
    }

    mutating func parts(_ members: MemberBlockItemListSyntax) -> [Part] {
        members.flatMap { member -> [Part] in
            if let variable = member.decl.as(VariableDeclSyntax.self) { return properties(variable) }
            guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
            switch ActiveClauses(condition, in: context) {
            case .known(let clause): return clause.map { parts($0) } ?? []
            case .any(let clauses):
                let clauses = clauses.map { clause -> (condition: String, parts: [Part]) in
                    ("\(clause.poundKeyword.text) \(clause.condition?.trimmedDescription ?? "")", parts(clause))
                }
                return clauses.allSatisfy(\.parts.isEmpty) ? [] : [.conditional(clauses)]
            }
        }
    }

    private mutating func parts(_ clause: IfConfigClauseSyntax) -> [Part] {
        guard case .decls(let members) = clause.elements else { return [] }
        return parts(members)
    }

    /// Reports properties with the same column, unless they are in different clauses.
    mutating func checkColumns(_ parts: [Part]) {
        var keys: Set<String> = []
        for property in parts.unconditional
        where property.prefix == nil && !keys.insert(property.key.lowercased()).inserted {
            fail(.sameColumn(property.key), at: property.syntax)
        }
    }

    private mutating func fail(_ problem: Problem, at node: some SyntaxProtocol, fixes: [FixIt] = []) {
        hasFailed = true
        context.report(problem, at: node, fixes: fixes)
    }

    // MARK: Properties

    private mutating func properties(_ variable: VariableDeclSyntax) -> [Part] {
        let attributes = PropertyAttributes(variable.attributes, in: context)
        if let condition = attributes.unknownCondition { fail(.attributeCondition, at: condition) }
        if variable.modifiers.contains(where: { $0.isStatic }) {
            if let name = attributes.names.first { fail(.attribute(name), at: variable) }
            return []
        }
        if attributes.isIgnored {
            checkIgnored(variable, attributes)
            return []
        }
        return variable.bindings.reversed().reduce(into: (parts: [Part](), type: TypeSyntax?.none)) { found, binding in
            // In `var a, b: Int`, the type follows the last name.
            let type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? found.type : nil)
            if let type { found.type = type }
            if let part = property(variable, binding, type, attributes) { found.parts.insert(part, at: 0) }
        }.parts.renumbered(&count)
    }

    private mutating func checkIgnored(_ variable: VariableDeclSyntax, _ attributes: PropertyAttributes) {
        if attributes.names.count > 1 { fail(.ignoredColumn, at: variable.attributes) }
        for binding in variable.bindings where binding.isStored && binding.initializer == nil {
            let type = binding.typeAnnotation?.type
            let isNilAtFirst = type?.wrapped != nil && variable.bindingSpecifier.tokenKind == .keyword(.var)
            if !isNilAtFirst { fail(.ignoredNeedsDefault, at: binding) }
        }
    }

    private mutating func property(
        _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ type: TypeSyntax?,
        _ attributes: PropertyAttributes
    ) -> Part? {
        guard binding.isStored else {
            if let name = attributes.names.first { fail(.attribute(name), at: variable) }
            return nil
        }
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            fail(.pattern, at: binding.pattern)
            return nil
        }
        for modifier in variable.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.lazy):
                fail(.lazy, at: modifier, fixes: [.insert("@Ignored", before: variable)])
                return nil
            case .keyword(.weak), .keyword(.unowned):
                fail(.reference, at: modifier, fixes: [.insert("@Ignored", before: variable)])
                return nil
            default: continue
            }
        }
        guard let typeName = type?.trimmedDescription ?? binding.initializer?.value.literalType else {
            fail(.needsType, at: pattern)
            return nil
        }
        if let problem = attributes.problem(in: kind) {
            fail(problem.problem, at: problem.node)
            return nil
        }
        let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
        let wrapped = type?.wrapped?.trimmedDescription
        return .property(
            number: 0,
            Property(
                name: pattern.identifier.text,
                key: attributes.key ?? pattern.identifier.text.replacing("`", with: ""),
                type: typeName, wrappedType: wrapped, hasNamedType: type.map(\.hasNames) ?? false,
                defaultValue: binding.initializer.map { $0.value.trimmedDescription },
                literalDefault: binding.initializer.flatMap {
                    $0.value.literalType == nil ? nil : $0.value.trimmedDescription
                },
                declaredRepresentation: attributes.representation,
                prefix: attributes.prefix, isKey: attributes.isKey, isGenerated: attributes.isGenerated,
                isAssignable: !(isConstant && binding.initializer != nil), isConstant: isConstant,
                syntax: Syntax(binding)))
    }
}

extension [Part] {
    /// Gives each property its number.
    fileprivate func renumbered(_ count: inout Int) -> [Part] {
        map { part in
            guard case .property(_, let property) = part else { return part }
            count += 1
            return .property(number: count - 1, property)
        }
    }
}

// MARK: - Syntax

extension PatternBindingSyntax {
    /// Whether the property is stored: it has no accessors, or only observers.
    fileprivate var isStored: Bool {
        guard let accessorBlock else { return true }
        guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
        return accessors.allSatisfy {
            [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
        }
    }
}

extension DeclModifierSyntax {
    fileprivate var isStatic: Bool { [.keyword(.static), .keyword(.class)].contains(name.tokenKind) }
}

extension TypeSyntax {
    /// The type that an optional wraps.
    fileprivate var wrapped: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
        guard let identifier = self.as(IdentifierTypeSyntax.self), identifier.name.text == "Optional",
            let argument = identifier.genericArgumentClause?.arguments.first,
            case .type(let type) = argument.argument
        else { return nil }
        return type
    }
}

extension TypeSyntax {
    /// Whether the type has a name that isn't one of Swift's numbers, strings and Booleans.
    fileprivate var hasNames: Bool {
        tokens(viewMode: .sourceAccurate).contains { token in
            guard case .identifier(let name) = token.tokenKind else { return false }
            return !["Bool", "Double", "Int", "Int64", "Optional", "String"].contains(name)
        }
    }
}

extension ExprSyntax {
    /// The type of a literal.
    fileprivate var literalType: String? {
        if let prefix = self.as(PrefixOperatorExprSyntax.self) {
            return prefix.operator.text == "-" ? prefix.expression.literalType : nil
        }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        return self.is(StringLiteralExprSyntax.self) ? "String" : nil
    }
}
#endif
