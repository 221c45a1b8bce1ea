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

    let parts: [Part]

    /// The names of members that the type declares itself.
    let members: Set<String>

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
        access = Self.access(group.modifiers)
        var reader = PropertyList(kind: kind, context: context)
        parts = reader.parts(group.memberBlock.members)
        members = Self.names(group.memberBlock.members)
        reader.checkColumns(parts)
        if parts.properties.isEmpty, !reader.hasFailed { context.report(.noColumns, at: group.introducer) }
        if reader.hasFailed || parts.properties.isEmpty { return nil }
    }

    /// Members are as visible as the type, so that they fulfil requirements of protocols.
    private static func access(_ modifiers: DeclModifierListSyntax) -> String {
        for modifier in modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.public), .keyword(.open): return "public "
            case .keyword(.package): return "package "
            default: continue
            }
        }
        return ""
    }

    /// The names of the members; those of functions with their labels.
    private static func names(_ members: MemberBlockItemListSyntax) -> Set<String> {
        var names: Set<String> = []
        for member in members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                for binding in variable.bindings { names.insert(binding.pattern.trimmedDescription) }
            } else if let function = member.decl.as(FunctionDeclSyntax.self) {
                names.insert(function.name.text + labels(function.signature))
            } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                names.insert("init" + labels(initializer.signature))
            } else if let type = member.decl.asProtocol((any NamedDeclSyntax).self) {
                names.insert(type.name.text)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                for clause in condition.clauses {
                    if case .decls(let members) = clause.elements { names.formUnion(Self.names(members)) }
                }
            }
        }
        return names
    }

    private static func labels(_ signature: FunctionSignatureSyntax) -> String {
        "(" + signature.parameterClause.parameters.map { "\($0.firstName.text):" }.joined() + ")"
    }

    /// The properties of the key, in order.
    var keys: [Property] { parts.properties.filter(\.isKey) }

    /// The key that SQLite assigns, if there is one.
    var autoincrementedKey: Property? { keys.count == 1 && keys[0].isAutoincremented ? keys[0] : nil }
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
