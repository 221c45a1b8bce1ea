#if Macros
import SwiftParser
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// A macro that indents its code itself. Formatting by SwiftSyntax takes twice as long as all the rest of an expansion.
package protocol IndentingMacro: Macro {}

extension IndentingMacro {
    package static var formatMode: FormatMode { .disabled }
}

/// `@Record`: the members and conformances of a record.
package protocol RecordExpansion: IndentingMacro, ExtensionMacro, MemberMacro {}

extension RecordExpansion {
    package static func expansion(
        of node: AttributeSyntax, attachedTo group: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = Declaration(group, .record, in: context) else { return [] }
        var members = Members(declaration)
        switch tableName(node) {
        case .none: break
        case .name(let name): members.addTableName(name)
        case .invalid(let expression):
            context.report(.tableName, at: expression)
            return []
        }
        members.addColumns()
        members.addSelection()
        members.addRecordColumns(of: type.trimmedDescription)
        if !declaration.isClass { members.addInitializer() }
        members.addEncoding()
        members.addInsertion()
        members.addIdentity()
        return [members.extension(of: type, members.conformances(protocols))]
    }

    package static func expansion(
        of node: AttributeSyntax, providingMembersOf group: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        membersOfBody(group, .record, in: context)
    }
}

private enum TableName {
    case none
    case name(String)
    case invalid(ExprSyntax)
}

private func tableName(_ node: AttributeSyntax) -> TableName {
    guard case .argumentList(let arguments) = node.arguments, let argument = arguments.first else { return .none }
    guard let literal = argument.expression.as(StringLiteralExprSyntax.self),
        let name = literal.representedLiteralValue
    else { return .invalid(argument.expression) }
    return .name(name)
}

/// `@Selection`: the members of a type that is read from rows, and not written.
package protocol SelectionExpansion: IndentingMacro, ExtensionMacro, MemberMacro {}

extension SelectionExpansion {
    package static func expansion(
        of node: AttributeSyntax, attachedTo group: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = Declaration(group, .selection, in: context) else { return [] }
        var members = Members(declaration)
        members.addRecordColumns(of: type.trimmedDescription)
        if !declaration.isClass { members.addInitializer() }
        return [members.extension(of: type, Members.qualified(protocols))]
    }

    package static func expansion(
        of node: AttributeSyntax, providingMembersOf group: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        membersOfBody(group, .selection, in: context)
    }
}

/// `@Embeddable`: the members of a type that records embed.
package protocol EmbeddableExpansion: IndentingMacro, ExtensionMacro, MemberMacro {}

extension EmbeddableExpansion {
    package static func expansion(
        of node: AttributeSyntax, attachedTo group: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = Declaration(group, .embeddable, in: context) else { return [] }
        var members = Members(declaration)
        members.addEmbeddedColumns()
        members.addRecordColumns(of: type.trimmedDescription)
        members.addEmbeddedInitializers()
        members.addEmbeddedEncoding()
        return [members.extension(of: type, Members.qualified(protocols))]
    }

    package static func expansion(
        of node: AttributeSyntax, providingMembersOf group: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        membersOfBody(group, .embeddable, in: context)
    }
}

/// The members in the body of a type: the initializer of a class, and what an extension of a nested type can't see.
private func membersOfBody(
    _ group: some DeclGroupSyntax, _ kind: Declaration.Kind, in context: some MacroExpansionContext
) -> [DeclSyntax] {
    // The other role of the macro reports the problems of the declaration.
    guard group.is(ClassDeclSyntax.self) || !context.lexicalContext.isEmpty,
        let declaration = Declaration(group, kind, in: Quiet(context))
    else { return [] }
    var members = Members(declaration)
    members.addScope()
    if declaration.isClass { members.addInitializer() }
    return members.declarations.map(code)
}

/// `@Key`, `@Column`, `@Embedded` and `@Ignored`: `@Record` reads them. They add nothing themselves.
package protocol PropertyExpansion: PeerMacro {}

extension PropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
#endif
