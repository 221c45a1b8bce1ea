#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reads the stored properties of a type.
struct PropertyList<Context: MacroExpansionContext> {
    let kind: Declaration.Kind
    let types: DeclaredTypes
    let context: Context
    private(set) var hasFailed = false
    private var count = 0

    init(kind: Declaration.Kind, types: DeclaredTypes, context: Context) {
        self.kind = kind
        self.types = types
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
        for property in parts.unconditional {
            if let prefix = property.prefix {
                let group = "\(property.wrappedType ?? property.type) \(prefix.foldedByDatabase)"
                if !keys.insert(group).inserted { fail(.sameColumns, at: property.syntax) }
            } else if !keys.insert(property.key.foldedByDatabase).inserted {
                fail(.sameColumn(property.key), at: property.syntax)
            }
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
        guard let typeName = type?.name(in: types) ?? binding.initializer?.value.literalType.map(Name.swift) else {
            fail(.needsType, at: pattern)
            return nil
        }
        if let problem = attributes.problem(in: kind) {
            fail(problem.problem, at: problem.node)
            return nil
        }
        if attributes.representation == nil, attributes.prefix == nil, let wrapper = attributes.possibleWrapper {
            let name = wrapper.attributeName.trimmedDescription
            fail(.wrapper(name), at: wrapper, fixes: [.insert("@Ignored", before: variable)])
            return nil
        }
        let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
        let wrapped = type?.wrapped?.name(in: types)
        let names = type?.names(in: types) ?? []
        let hasPrivateType = !names.isDisjoint(with: types.hidden)
        return .property(
            number: 0,
            Property(
                name: pattern.identifier.text,
                key: attributes.key ?? pattern.identifier.text.plainIdentifier,
                type: typeName, wrappedType: wrapped,
                hasNamedType: !hasPrivateType && !names.isSubset(of: types.all),
                isNumber: (type?.wrapped ?? type)?.isNumber
                    ?? numbers.contains(binding.initializer?.value.literalType ?? ""),
                hasPrivateType: hasPrivateType,
                access: AccessLevel(variable.modifiers),
                defaultValue: binding.initializer.map { $0.value.trimmedDescription },
                scopedDefault: binding.initializer.map { $0.value.replacingSelf(by: types.name) },
                literalDefault: binding.initializer.flatMap {
                    $0.value.isLiteral ? $0.value.trimmedDescription : nil
                },
                declaredRepresentation: attributes.representation,
                prefix: attributes.prefix, isKey: attributes.isKey, isGenerated: attributes.isGenerated,
                isAssignable: !(isConstant && binding.initializer != nil), isConstant: isConstant,
                assignedType: isConstant ? nil : type?.wrapped?.assignedType, syntax: Syntax(binding)))
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

/// The types of numbers that `@Column(as:)` may store in a representation.
private let numbers: Set = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
    "CGFloat",
    "Decimal",
]

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
    /// The type that an optional wraps: `Int64?`, `Int64!`, `(Int64?)`, `Optional<Int64>`, `Swift.Optional<Int64>`.
    fileprivate var wrapped: TypeSyntax? {
        let type = withoutParentheses
        if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType.withoutParentheses }
        if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return optional.wrappedType.withoutParentheses
        }
        guard type.nameInSwift == "Optional", case .type(let wrapped) = type.genericArguments?.arguments.first?.argument
        else { return nil }
        return wrapped.withoutParentheses
    }

    /// The type of a name in parentheses, such as `(Int64)`.
    private var withoutParentheses: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let element = tuple.elements.first,
            element.firstName == nil
        else { return self }
        let type = element.type.withoutParentheses
        let needsParentheses =
            type.is(SomeOrAnyTypeSyntax.self) || type.is(CompositionTypeSyntax.self)
            || type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self)
        return needsParentheses ? self : type
    }

    /// The name of a type of the standard library: `Int64` for `Int64` and `Swift.Int64`.
    private var nameInSwift: String? { unqualifiedName(in: ["Swift"]) }

    /// The name of a type, without its module, which is one of the given modules.
    private func unqualifiedName(in modules: Set<String>) -> String? {
        if let type = self.as(IdentifierTypeSyntax.self) { return type.name.text.plainIdentifier }
        guard let type = self.as(MemberTypeSyntax.self), let base = type.baseType.as(IdentifierTypeSyntax.self),
            modules.contains(base.name.text)
        else { return nil }
        return type.name.text.plainIdentifier
    }

    /// Whether the type is one of Swift's numbers, `CGFloat` or `Decimal`.
    fileprivate var isNumber: Bool {
        withoutParentheses.unqualifiedName(in: ["Swift", "Foundation"]).map(numbers.contains) ?? false
    }

    private var genericArguments: GenericArgumentClauseSyntax? {
        self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    }

    fileprivate var assignedType: Property.AssignedType? {
        switch nameInSwift {
        case "Int64": .int64
        case "Int": .int
        default: nil
        }
    }

    /// The names in the type, except those of Swift's numbers, strings and Booleans.
    fileprivate func names(in types: DeclaredTypes) -> Set<String> {
        Set(
            tokens(viewMode: .sourceAccurate).compactMap { token in
                if token.isWholeSelf { return types.name }
                guard case .identifier(let name) = token.tokenKind else { return nil }
                let isOfSwift = ["Bool", "Double", "Int", "Int64", "Optional", "String", "Swift"].contains(name)
                return isOfSwift && !types.all.contains(name) ? nil : name
            })
    }

    /// The type as members of `Columns` write it, where `Self` is a different type: `Reference` for `Self.Reference`.
    fileprivate func name(in types: DeclaredTypes) -> String {
        if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return optional.wrappedType.name(in: types) + "?"
        }
        return tokens(viewMode: .sourceAccurate).reduce(into: "") { code, token in
            if token.isWholeSelf {
                code += "\(token.leadingTrivia)\(types.name)\(token.trailingTrivia)"
            } else if token.tokenKind != .keyword(.Self), !token.isBehindSelf {
                code += token.description
            }
        }.trimmingWhitespace
    }
}

extension TokenSyntax {
    /// Whether the token is the period of `Self.Reference`.
    fileprivate var isBehindSelf: Bool {
        tokenKind == .period && previousToken(viewMode: .sourceAccurate)?.tokenKind == .keyword(.Self)
    }

    /// Whether the token is `Self`, without a member after it.
    fileprivate var isWholeSelf: Bool {
        tokenKind == .keyword(.Self) && nextToken(viewMode: .sourceAccurate)?.tokenKind != .period
    }
}

extension ExprSyntax {
    /// The expression as code in another type writes it.
    func replacingSelf(by name: String) -> String {
        tokens(viewMode: .sourceAccurate).reduce(into: "") { code, token in
            let isSelf = token.tokenKind == .keyword(.Self)
            code += isSelf ? "\(token.leadingTrivia)\(name)\(token.trailingTrivia)" : token.description
        }.trimmingWhitespace
    }
}

extension String {
    fileprivate var trimmingWhitespace: String {
        let first = drop(while: \.isWhitespace)
        return String(
            first.prefix(upTo: first.lastIndex { !$0.isWhitespace }.map(first.index(after:)) ?? first.endIndex))
    }

    /// The name as SQLite compares it: regardless of the case of ASCII letters.
    fileprivate var foldedByDatabase: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
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

    /// Whether the value is a literal without interpolation.
    fileprivate var isLiteral: Bool {
        guard let string = self.as(StringLiteralExprSyntax.self) else { return literalType != nil }
        return string.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
    }
}
#endif
