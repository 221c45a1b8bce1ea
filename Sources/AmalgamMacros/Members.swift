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
    func `extension`(of type: some TypeSyntaxProtocol, _ conformances: [String]) throws -> ExtensionDeclSyntax {
        let list = conformances.isEmpty ? "" : ": " + conformances.joined(separator: ", ")
        return try ExtensionDeclSyntax(
            "nonisolated extension \(raw: type.trimmedDescription)\(raw: list) {\n\(raw: declarations.joined(separator: "\n\n"))\n}"
        )
    }

    /// The protocols of a record, among those that it doesn't have.
    func conformances(_ protocols: [TypeSyntax]) -> [String] {
        let isMutable = declaration.autoincrementedKey != nil && !declaration.isClass
        // The compiler requires both protocols, although one inherits from the other.
        var wanted: Set = ["FetchableRecord", "MutablePersistableRecord", "_DeclaredRecord"]
        if !isMutable { wanted.insert("PersistableRecord") }
        if hasIdentity { wanted.insert("Identifiable") }
        return protocols.map(\.trimmedDescription).filter { name in
            wanted.contains(name.split(separator: ".").last.map { String($0) } ?? name)
        }
    }

    private var hasIdentity: Bool {
        declaration.members.contains("id") || (declaration.keys.count == 1 && !isClassIdentity)
    }

    private var isClassIdentity: Bool { declaration.isClass && declaration.keys.isEmpty }

    // MARK: Tables and columns

    mutating func addTableName(_ name: String) {
        let literal = StringLiteralExprSyntax(content: name).description
        add("databaseTableName", "\(access)static var databaseTableName: String { \(literal) }")
    }

    mutating func addColumns() {
        let columns = declaration.parts.lines { number, property in
            let arguments = ["_recordColumns.columnName(\(number))", property.representation.map { "as: \($0)" }]
                .compactMap(\.self)
            return """
                \(access)static var \(property.columnName): TypedColumn<\(property.type)> {
                TypedColumn(\(arguments.joined(separator: ", ")))
                }
                """
        }
        add("Columns", "\(access)enum Columns {\n\(columns.joined(separator: "\n"))\n}")
    }

    mutating func addSelection() {
        let columns = declaration.parts.lines { _, property in "columns.append(Columns.\(property.columnName))" }
        add(
            "databaseSelection",
            """
            \(access)static var databaseSelection: [any SQLSelectable] {
            var columns: [any SQLSelectable] = []
            \(columns.joined(separator: "\n"))
            return columns
            }
            """)
    }

    /// - Parameter type: The name of the type. A class can't refer to itself as `Self` there.
    mutating func addRecordColumns(of type: String) {
        let properties = declaration.parts.lines { number, property in
            let facts = [
                property.isKey ? "isKey: true" : nil, property.isGenerated ? "isGenerated: true" : nil,
                property.representation == nil ? nil : "hasRepresentation: true",
                property.literalDefault.map { "defaultValue: \($0)" },
            ]
            let arguments = ["\(number)", property.key.literal, "\(property.type).self"] + facts.compactMap(\.self)
            return "list.add(\(arguments.joined(separator: ", ")))"
        }
        let body = """
            (\(declaration.isClass ? type : "Self").self, count: \(declaration.parts.properties.count)) { list in
            \(properties.joined(separator: "\n"))
            }
            """
        declarations.append(
            declaration.isGeneric
                ? "\(access)static var _recordColumns: _RecordColumns {\n_RecordColumns.of\(body)\n}"
                : "\(access)static let _recordColumns = _RecordColumns\(body)")
    }

    // MARK: Reading and writing

    mutating func addInitializer() {
        let assignments = declaration.parts.lines { number, property in
            guard property.isAssignable else { return nil }
            return "self.\(property.name) = try \(reading(property, number))"
        }
        add(
            "init(row:)",
            """
            \(access)init(row: Row) throws {
            let reader = _RecordReader(row, Self._recordColumns)
            \(assignments.joined(separator: "\n"))
            }
            """)
    }

    /// The expression that reads a property.
    private func reading(_ property: Property, _ number: Int) -> String {
        let representation = property.representation.map { ", as: \($0)" } ?? ""
        guard let wrapped = property.wrappedType else {
            let value = property.defaultValue.map { ", default: \($0)" } ?? ""
            return "reader.value(\(number), \(property.type).self\(representation)\(value))"
        }
        let reading = "reader.value(\(number), ifPresent: \(wrapped).self\(representation))"
        guard let value = property.defaultValue, value != "nil" else { return reading }
        return "reader.value(\(number), default: \(value), ifPresent: { try \(reading) })"
    }

    mutating func addEncoding() {
        let statements = declaration.parts.lines { number, property in
            if property.isGenerated { return nil }
            var arguments = ["writer", "\(number)", "self.\(property.name)"]
            if let representation = property.representation { arguments.append("as: \(representation)") }
            return "try container._set(\(arguments.joined(separator: ", ")))"
        }
        add(
            "encode(to:)",
            """
            \(access)func encode(to container: inout PersistenceContainer) throws {
            let writer = container._writer(Self._recordColumns)
            \(statements.joined(separator: "\n"))
            }
            """)
    }

    /// SQLite assigns the key of a new row.
    mutating func addInsertion() {
        guard let key = declaration.autoincrementedKey else { return }
        let value =
            key.wrappedType?.hasSuffix("Int64") == true
            ? "inserted._rowID(of: Self.self)" : "Int(inserted._rowID(of: Self.self))"
        add(
            "didInsert(_:)",
            """
            \(access)\(declaration.isClass ? "" : "mutating ")func didInsert(_ inserted: InsertionSuccess) {
            self.\(key.name) = \(value)
            }
            """)
    }

    /// `Identifiable` requires a property with the name `id`.
    mutating func addIdentity() {
        guard declaration.keys.count == 1, let key = declaration.keys.first, key.name != "id" else { return }
        add("id", "\(access)var id: \(key.type) { self.\(key.name) }")
    }
}

extension String {
    fileprivate var literal: String { StringLiteralExprSyntax(content: self).description }
}
#endif
