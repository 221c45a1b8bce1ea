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

    /// Whether the type may not have stored static properties: it, or a type that contains it, has generic parameters.
    let isGeneric: Bool

    /// Whether the type is a class that may inherit from another class.
    let mayHaveSuperclass: Bool

    /// How visible the type is.
    private let level: AccessLevel

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
            isClass = false
            mayHaveSuperclass = false
        } else if let type = group.as(ClassDeclSyntax.self) {
            if !type.modifiers.contains(where: { $0.name.tokenKind == .keyword(.final) }) {
                context.report(.needsFinalClass, at: type.name, fixes: [.makeFinal(type)])
                return nil
            }
            if let attribute = type.attributes.mainActor {
                context.report(.mainActorClass, at: attribute)
                return nil
            }
            name = type.name.text
            isClass = true
            mayHaveSuperclass = type.inheritanceClause != nil
        } else {
            context.report(.needsStruct, at: group.introducer)
            return nil
        }
        let groups = context.lexicalContext.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
        let level = AccessLevel(group.modifiers, in: groups.first)
        self.level = level
        isGeneric = ([group] + groups).contains(where: \.mayBeGeneric)
        let declarations = Self.declarations(group.memberBlock.members, in: context)
        var reader = PropertyList(kind: kind, types: DeclaredTypes(name, declarations), context: context)
        let parts = reader.parts(group.memberBlock.members)
        nestedParts = groups.isEmpty ? nil : parts
        self.parts = groups.isEmpty ? parts : parts.mapProperties { PropertyScope(property: $0).propertyOfExtension }
        members = Set(declarations.flatMap(Self.names))
        hasVisibleID = declarations.contains { declaration in
            guard let variable = declaration.as(VariableDeclSyntax.self) else { return false }
            // `Identifiable` doesn't accept `Int64!`.
            let isUnwrapped = variable.bindings.contains {
                $0.typeAnnotation?.type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true
            }
            return Self.names(declaration).contains("id") && !isUnwrapped
                && AccessLevel(variable.modifiers).isEnough(in: level)
        }
        hasMutatingCallback = declarations.contains { declaration in
            guard let function = declaration.as(FunctionDeclSyntax.self) else { return false }
            return function.modifiers.contains { $0.name.tokenKind == .keyword(.mutating) }
                && !["willInsert(_:)", "didInsert(_:)"].filter(Self.names(declaration).contains).isEmpty
        }
        if kind == .embeddable, let (name, node) = declarations.compactMap(Self.ownCoding).first {
            context.report(.embeddedCoding(name), at: node)
            return nil
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
            variable.bindings.map { $0.pattern.trimmedDescription.plainIdentifier }
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

    /// The function of a type that reads a row or writes columns, with its name.
    private static func ownCoding(_ declaration: DeclSyntax) -> (name: String, node: DeclSyntax)? {
        guard let name = names(declaration).first, ["init(row:)", "encode(to:)"].contains(name) else { return nil }
        // `encode(to:)` of `Encodable` has another parameter.
        let signature = declaration.as(FunctionDeclSyntax.self)?.signature.trimmedDescription ?? "PersistenceContainer"
        return signature.contains("PersistenceContainer") ? (name, declaration) : nil
    }

    private static func labels(_ signature: FunctionSignatureSyntax) -> String {
        "(" + signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined() + ")"
    }

    /// The modifier of the members: `public `, `package ` or nothing.
    var access: String { level.modifierOfMembers }

    /// The modifier of a member that has the type of a property: the lower level of the type and the property.
    func access(of property: Property) -> String {
        switch min(level, property.access) {
        case .private where property.access == .private && property.hasPrivateType: "private "
        case .private, .fileprivate: property.access > .fileprivate ? "" : "fileprivate "
        case let lower: lower.modifierOfMembers
        }
    }

    /// The properties of the key, in order.
    var keys: [Property] { parts.properties.filter(\.isKey) }

    /// The key that SQLite assigns, if there is one.
    var autoincrementedKey: Property? { keys.count == 1 && keys[0].isAutoincremented ? keys[0] : nil }
}

/// The types in the body of a declaration, and its own name.
struct DeclaredTypes {
    let name: String

    private(set) var all: Set<String> = []

    /// Those that only the body and extensions of the type in the same file see.
    private(set) var hidden: Set<String> = []

    init(_ name: String, _ declarations: [DeclSyntax]) {
        self.name = name
        for declaration in declarations {
            guard let type = declaration.asProtocol((any NamedDeclSyntax).self),
                !declaration.is(FunctionDeclSyntax.self),
                let modifiers = declaration.asProtocol((any WithModifiersSyntax).self)?.modifiers
            else { continue }
            all.insert(type.name.text)
            if AccessLevel(modifiers) == .private { hidden.insert(type.name.text) }
        }
    }
}

/// How visible a declaration is.
enum AccessLevel: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`

    static func < (lhs: AccessLevel, rhs: AccessLevel) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The level of a type in another type or in an extension, whose modifier is that of its members by default.
    init(_ modifiers: DeclModifierListSyntax, in group: (any DeclGroupSyntax)?) {
        let level = AccessLevel(of: modifiers)
        let isExtension = group?.is(ExtensionDeclSyntax.self) ?? false
        self = level ?? (isExtension ? group.flatMap { AccessLevel(of: $0.modifiers) } : nil) ?? .internal
    }

    init(_ modifiers: DeclModifierListSyntax) {
        self = AccessLevel(of: modifiers) ?? .internal
    }

    private init?(of modifiers: DeclModifierListSyntax) {
        var level: AccessLevel?
        // In `private(set)`, the modifier has a detail.
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name.tokenKind {
            case .keyword(.private): level = .private
            case .keyword(.fileprivate): level = .fileprivate
            case .keyword(.internal): level = .internal
            case .keyword(.package): level = .package
            case .keyword(.public), .keyword(.open): level = .public
            default: continue
            }
        }
        guard let level else { return nil }
        self = level
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

extension AttributeListSyntax {
    fileprivate var mainActor: AttributeSyntax? {
        let names = ["MainActor", "Swift.MainActor", "_Concurrency.MainActor"]
        return lazy.compactMap { $0.as(AttributeSyntax.self) }
            .first { names.contains($0.attributeName.trimmedDescription) }
    }
}

extension DeclGroupSyntax {
    /// Whether the type has generic parameters. An extension doesn't tell.
    fileprivate var mayBeGeneric: Bool {
        self.is(ExtensionDeclSyntax.self)
            || asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }

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
