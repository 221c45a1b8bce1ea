#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

/// The declaration of a record, a selection, or a type that records embed.
struct Declaration {
    enum Kind {
        case record
        case selection
        case embeddable
    }

    /// The name for messages and generated code, without generic parameters.
    let name: String

    let isClass: Bool

    let isGeneric: Bool

    /// The modifier of the members: `public `, `package ` or nothing.
    let access: String

    /// The properties as an extension of the type writes them.
    let parts: [Part]

    /// The properties as they are declared, if the type is in another type, whose names its extensions don't see.
    let nestedParts: [Part]?

    /// The names of members that the type declares itself.
    let members: Set<String>

    /// Whether the type declares a property `id` that `Identifiable` may use: one that is as visible as the type.
    let hasVisibleID: Bool

    /// Whether the type declares a callback that changes it: only `MutablePersistableRecord` has such callbacks.
    let hasMutatingCallback: Bool

    /// Reads a declaration. Returns nil if it has reported an error.
    init?(
        _ group: some DeclGroupSyntax, _ kind: Kind, in context: some MacroExpansionContext
    ) {
        if kind == .embeddable, !group.is(StructDeclSyntax.self) {
            context.report(.embeddableStruct, at: group.introducer)
            return nil
        }
        if let structure = group.as(StructDeclSyntax.self) {
            name = structure.name.text
            isGeneric = structure.genericParameterClause != nil
            isClass = false
        } else if let type = group.as(ClassDeclSyntax.self) {
            if !type.modifiers.contains(where: { $0.name.tokenKind == .keyword(.final) }) {
                context.report(.needsFinalClass, at: type.name, fixes: [.makeFinal(type)])
                return nil
            }
            name = type.name.text
            isGeneric = type.genericParameterClause != nil
            isClass = true
        } else {
            context.report(.needsStruct, at: group.introducer)
            return nil
        }
        let level = AccessLevel(group.modifiers)
        access = level.modifierOfMembers
        var reader = PropertyList(kind: kind, context: context)
        let parts = reader.parts(group.memberBlock.members)
        let isNested = context.lexicalContext.contains { $0.isProtocol((any DeclGroupSyntax).self) }
        nestedParts = isNested ? parts : nil
        self.parts = isNested ? parts.mapProperties { PropertyScope(property: $0).propertyOfExtension } : parts
        let declarations = Self.declarations(group.memberBlock.members, in: context)
        members = Set(declarations.flatMap(Self.names))
        hasVisibleID = declarations.contains { declaration in
            guard let variable = declaration.as(VariableDeclSyntax.self) else { return false }
            return Self.names(declaration).contains("id") && AccessLevel(variable.modifiers).isEnough(in: level)
        }
        hasMutatingCallback = declarations.contains { declaration in
            guard let function = declaration.as(FunctionDeclSyntax.self) else { return false }
            return function.modifiers.contains { $0.name.tokenKind == .keyword(.mutating) }
                && !["willInsert(_:)", "didInsert(_:)"].filter(Self.names(declaration).contains).isEmpty
        }
        reader.checkColumns(parts)
        if parts.properties.isEmpty, !reader.hasFailed { context.report(.noColumns, at: group.introducer) }
        if reader.hasFailed || parts.properties.isEmpty { return nil }
    }

    /// The members, with those in active `#if` clauses.
    private static func declarations(
        _ members: MemberBlockItemListSyntax, in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        members.flatMap { member -> [DeclSyntax] in
            guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
            return ActiveClauses(condition, in: context).clauses.flatMap { clause -> [DeclSyntax] in
                guard case .decls(let members) = clause.elements else { return [] }
                return declarations(members, in: context)
            }
        }
    }

    /// The names that a member declares; that of a function with its labels.
    private static func names(_ declaration: DeclSyntax) -> [String] {
        if let variable = declaration.as(VariableDeclSyntax.self) {
            variable.bindings.map { $0.pattern.trimmedDescription }
        } else if let function = declaration.as(FunctionDeclSyntax.self) {
            [function.name.text + labels(function.signature)]
        } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
            ["init" + labels(initializer.signature)]
        } else if let type = declaration.asProtocol((any NamedDeclSyntax).self) {
            [type.name.text]
        } else {
            []
        }
    }

    private static func labels(_ signature: FunctionSignatureSyntax) -> String {
        "(" + signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined() + ")"
    }

    /// The properties of the key, in order.
    var keys: [Property] { parts.properties.filter(\.isKey) }

    /// The key that SQLite assigns, if there is one.
    var autoincrementedKey: Property? { keys.count == 1 && keys[0].isAutoincremented ? keys[0] : nil }
}

/// How visible a declaration is.
enum AccessLevel: Int {
    case `private`, `fileprivate`, `internal`, package, `public`

    init(_ modifiers: DeclModifierListSyntax) {
        self = .internal
        // In `private(set)`, the modifier has a detail.
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(.private): self = .private
            case .keyword(.fileprivate): self = .fileprivate
            case .keyword(.package): self = .package
            case .keyword(.public), .keyword(.open): self = .public
            default: continue
            }
        }
    }

    /// The modifier of members that are as visible as the type, so that they fulfil requirements of protocols.
    var modifierOfMembers: String {
        switch self {
        case .public: "public "
        case .package: "package "
        case .internal, .fileprivate, .private: ""
        }
    }

    /// Whether a member with this level may fulfil a requirement of a protocol, in a type with another level.
    func isEnough(in type: AccessLevel) -> Bool {
        // A private type is seen by its file, or by another type. Its private members are seen by the type only.
        rawValue >= (type == .private ? .fileprivate : type).rawValue
    }
}

extension DeclGroupSyntax {
    /// The keyword of the declaration, such as `enum`.
    var introducer: TokenSyntax {
        if let type = self.as(EnumDeclSyntax.self) { return type.enumKeyword }
        if let type = self.as(ActorDeclSyntax.self) { return type.actorKeyword }
        if let type = self.as(ProtocolDeclSyntax.self) { return type.protocolKeyword }
        if let type = self.as(StructDeclSyntax.self) { return type.structKeyword }
        if let type = self.as(ClassDeclSyntax.self) { return type.classKeyword }
        return memberBlock.leftBrace
    }
}
#endif
