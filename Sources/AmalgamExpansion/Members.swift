#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that a macro writes, except those that the type has.
struct Members {
    private let declaration: Declaration
    private(set) var declarations: [String] = []

    init(_ declaration: Declaration) {
        self.declaration = declaration
    }

    private var access: String { declaration.access }

    private mutating func add(_ name: String, _ text: String) {
        if !declaration.members.contains(name) { declarations.append(text) }
    }

    /// An extension with the members.
    func `extension`(of type: some TypeSyntaxProtocol, _ conformances: [String]) -> ExtensionDeclSyntax {
        let list = conformances.isEmpty ? "" : ": " + conformances.joined(separator: ", ")
        return ExtensionDeclSyntax(
            modifiers: [DeclModifierSyntax(name: .keyword(.nonisolated, trailingTrivia: .space))],
            extensionKeyword: .keyword(.extension, trailingTrivia: .space),
            extendedType: IdentifierTypeSyntax(name: .identifier("\(type.trimmedDescription)\(list)")),
            memberBlock: MemberBlockSyntax(
                leftBrace: .leftBraceToken(leadingTrivia: .space, trailingTrivia: .newline),
                members: [MemberBlockItemSyntax(decl: code(declarations.joined(separator: "\n\n").indented))],
                rightBrace: .rightBraceToken()))
    }

    /// The protocols of a record, among those that it doesn't have.
    func conformances(_ protocols: [TypeSyntax]) -> [String] {
        let isMutable =
            !declaration.isClass && (declaration.autoincrementedKey != nil || declaration.hasMutatingCallback)
        // The compiler requires all protocols, although some inherit from others. If the macro didn't name `TableRecord`,
        // the compiler wouldn't expand it to find out whether `Player.fetchCount(_:)` exists.
        var wanted: Set = [
            "FetchableRecord", "EncodableRecord", "TableRecord", "MutablePersistableRecord", "_DeclaredRecord",
        ]
        // A type that is a `MutablePersistableRecord` already doesn't become a `PersistableRecord`: callbacks may change it.
        let names = Set(protocols.map(Self.name))
        if !isMutable, declaration.isClass || names.contains("MutablePersistableRecord") {
            wanted.insert("PersistableRecord")
        }
        if hasIdentity { wanted.insert("Identifiable") }
        return protocols.map(Self.name).filter(wanted.contains).map(Self.qualified)
    }

    /// The aliases of the protocols of a selection or an embedded type, among those that it doesn't have. The compiler ignores
    /// the module of a protocol in a list of conformances if the application has a protocol of this name.
    static func qualified(_ protocols: [TypeSyntax]) -> [String] { protocols.map { qualified(name($0)) } }

    private static func qualified(_ name: String) -> String {
        name.hasPrefix("_") ? name : "_\(name)"
    }

    /// The name of a protocol, without its module.
    private static func name(_ type: TypeSyntax) -> String {
        let description = type.trimmedDescription
        return description.split(separator: ".").last.map { String($0) } ?? description
    }

    /// Whether `id` is the only key. Methods such as `fetchOne(_:id:)` look for it in the key.
    private var hasIdentity: Bool {
        guard declaration.keys.count == 1, let key = declaration.keys.first else { return false }
        if key.isNamedID { return declaration.hasVisibleID }
        return !declaration.members.contains("id")
    }

    // MARK: Tables and columns

    mutating func addTableName(_ name: String) {
        let literal = StringLiteralExprSyntax(content: name).description
        add("databaseTableName", "\(access)static var databaseTableName: \(Name.swift("String")) { \(literal) }")
    }

    mutating func addColumns() {
        let columns = columns(isStatic: true)
        add("Columns", block("\(access)enum Columns", columns))
    }

    /// The properties for columns, which are static, or those of the columns of an embedded type.
    private func columns(isStatic: Bool) -> [String] {
        let columns = isStatic ? "_recordColumns" : Self.embeddedColumns
        return declaration.parts.lines { number, property in
            let head = "\(declaration.access(of: property))\(isStatic ? "static " : "")var \(property.columnName)"
            if property.prefix != nil {
                let type = "\(property.wrappedType ?? property.type).Columns"
                let embedded = "\(type)(_columns: \(columns)._embedded(\(number)))"
                return property.isOptional
                    ? block(
                        "\(head): \(Name.optionalColumns)<\(type)>", ["\(Name.optionalColumns)(_columns: \(embedded))"])
                    : block("\(head): \(type)", [embedded])
            }
            let arguments = ["\(columns).columnName(\(number))", property.representation.map { "as: \($0)" }]
                .compactMap(\.self)
            return block(
                "\(head): \(Name.typedColumn)<\(property.columnType)>",
                ["\(Name.typedColumn)(\(arguments.joined(separator: ", ")))"])
        }
    }

    /// The columns of an embedded type depend on the property that embeds it.
    mutating func addEmbeddedColumns() {
        let columns = columns(isStatic: false)
        let name = Self.embeddedColumns
        let initializer = block("\(access)init(_columns: \(Name.recordColumns))", ["self.\(name) = _columns"])
        add(
            "Columns",
            block(
                "\(access)struct Columns: _EmbeddedColumns",
                ["private let \(name): \(Name.recordColumns)", "", initializer, ""] + columns))
    }

    /// A property that has no column's name.
    private static let embeddedColumns = "_embeddedColumns"

    mutating func addSelection() {
        add(
            "databaseSelection",
            block("\(access)static var databaseSelection: [any \(Name.selectable)]", ["_recordColumns._selection"]))
    }

    /// - Parameter type: The name of the type. A class can't refer to itself as `Self` there.
    mutating func addRecordColumns(of type: String) {
        let properties = declaration.parts.lines { number, property in
            if let prefix = property.prefix {
                let type = property.wrappedType ?? property.type
                let optional = property.isOptional ? ", isOptional: true" : ""
                return "list.embed(\(number), \(type).self, prefix: \(prefix.literal)\(optional))"
            }
            let facts = [
                property.isKey ? "isKey: true" : nil, property.isConstantKey ? "isConstant: true" : nil,
                property.isGenerated ? "isGenerated: true" : nil,
                property.representation.map { "representation: \($0)" },
                property.literalDefault.map { "defaultValue: \($0)" },
                property.defaultValue != nil && property.literalDefault == nil ? "hasDefault: true" : nil,
            ]
            let arguments = ["\(number)", property.key.literal, "\(property.type).self"] + facts.compactMap(\.self)
            return "list.add(\(arguments.joined(separator: ", ")))"
        }
        let arguments = "(\(declaration.isClass ? type : "Self").self, count: \(declaration.parts.properties.count))"
        declarations.append(
            declaration.isGeneric
                ? block(
                    "\(access)static var _recordColumns: \(Name.recordColumns)",
                    [block("\(Name.recordColumns).of\(arguments)", parameters: "list in", properties)])
                : block(
                    "\(access)static let _recordColumns = \(Name.recordColumns)\(arguments)", parameters: "list in",
                    properties))
    }

    /// What the body of a type in another type declares for the extension.
    mutating func addScope() {
        let lines = declaration.nestedParts?.lines { _, property in
            PropertyScope(property: property).declarations(declaration.access(of: property))
        }
        guard let lines, !lines.isEmpty else { return }
        declarations.append(block("\(access)nonisolated enum \(PropertyScope.name)", lines))
    }

    // MARK: Reading and writing

    /// The statements that read all properties.
    private var assignments: [String] {
        declaration.parts.lines { number, property in
            guard property.isAssignable else { return nil }
            return "self.\(property.name) = try \(reading(property, number))"
        }
    }

    mutating func addInitializer() {
        add(
            "init(row:)",
            block(
                "\(access)init(row _row: \(Name.row)) throws",
                using("_reader", "\(Name.reader)(_row, Self._recordColumns)", in: assignments)))
    }

    mutating func addEmbeddedInitializers() {
        declarations.append(block("\(access)init(_reader: \(Name.reader)) throws", assignments))
        add(
            "init(row:)",
            block(
                "\(access)init(row _row: \(Name.row)) throws",
                ["try self.init(_reader: \(Name.reader)(_row, Self._recordColumns))"]))
    }

    /// Statements that may use a constant.
    private func using(_ name: String, _ value: String, in statements: [String]) -> [String] {
        if statements.isEmpty { return [] }
        // The compiler warns of a constant that isn't used, because all statements are in inactive `#if` clauses.
        let use = statements[0].hasPrefix("#") ? ["_ = \(name)"] : []
        return ["let \(name) = try \(value)"] + use + statements
    }

    /// The expression that reads a property.
    private func reading(_ property: Property, _ number: Int) -> String {
        if property.prefix != nil {
            let value = property.defaultValue.flatMap { $0 == "nil" ? nil : ", default: \($0)" } ?? ""
            let label = property.isOptional ? "ifPresent: " : ""
            return "_reader.embedded(\(number), \(label)\(property.wrappedType ?? property.type).self\(value))"
        }
        let representation = property.representation.map { ", as: \($0)" } ?? ""
        guard let wrapped = property.wrappedType else {
            let value = property.defaultValue.map { ", default: \($0)" } ?? ""
            return "_reader.value(\(number), \(property.type).self\(representation)\(value))"
        }
        let reading = "_reader.value(\(number), ifPresent: \(wrapped).self\(representation))"
        guard let value = property.defaultValue, value != "nil" else { return reading }
        return "_reader.value(\(number), default: \(value), ifPresent: { try \(reading) })"
    }

    /// A class may inherit stored properties, which the macro doesn't see.
    private var writerArguments: String {
        "Self._recordColumns\(declaration.mayHaveSuperclass ? ", of: self" : "")"
    }

    /// The statements that write all properties.
    private var encodings: [String] {
        declaration.parts.lines { number, property in
            if property.isGenerated { return nil }
            if property.prefix != nil { return "try _container._embed(_writer, \(number), self.\(property.name))" }
            var arguments = ["_writer", "\(number)", "self.\(property.name)"]
            if let representation = property.representation { arguments.append("as: \(representation)") }
            return "try _container._set(\(arguments.joined(separator: ", ")))"
        }
    }

    mutating func addEncoding() {
        add(
            "encode(to:)",
            block(
                "\(access)func encode(to _container: inout \(Name.container)) throws",
                using("_writer", "_container._writer(\(writerArguments))", in: encodings)))
    }

    mutating func addEmbeddedEncoding() {
        declarations.append(
            block(
                "\(access)func _encode(to _container: inout \(Name.container), _ _writer: \(Name.writer)) throws",
                encodings))
        add(
            "encode(to:)",
            block(
                "\(access)func encode(to _container: inout \(Name.container)) throws",
                ["try _encode(to: &_container, _container._writer(Self._recordColumns))"]))
    }

    /// SQLite assigns the key of a new row.
    mutating func addInsertion() {
        guard let key = declaration.autoincrementedKey else { return }
        let value = key.assignedType == .int64 ? "_rowID" : "\(Name.swift("Int"))(_rowID)"
        add(
            "didInsert(_:)",
            block(
                "\(access)\(declaration.isClass ? "" : "mutating ")func didInsert(_ inserted: \(Name.inserted))",
                ["if let _rowID = inserted._rowID(of: Self.self) { self.\(key.name) = \(value) }"]))
    }

    /// `Identifiable` requires a property with the name `id`.
    mutating func addIdentity() {
        guard declaration.keys.count == 1, let key = declaration.keys.first, key.plainName != "id" else { return }
        add("id", "\(access)var id: \(key.type) { self.\(key.name) }")
    }
}

/// Code that isn't parsed here, because the compiler parses the text of an expansion anyway. SwiftSyntax would take two thirds
/// of the time of an expansion for it, in a debug build.
func code(_ text: String) -> DeclSyntax { DeclSyntax(MissingDeclSyntax(placeholder: .identifier(text))) }

/// Lines of code in braces.
///
/// - Parameter parameters: the parameters of a closure, with `in`.
private func block(_ head: String, parameters: String? = nil, _ lines: [String]) -> String {
    "\(head) {\(parameters.map { " \($0)" } ?? "")\n\(lines.joined(separator: "\n").indented)}"
}

extension String {
    /// The lines with an indentation.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "\n" : "    \($0)\n" }
            .joined()
    }
}

extension String {
    fileprivate var literal: String { StringLiteralExprSyntax(content: self).description }
}
#endif
