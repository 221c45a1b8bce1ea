public import AmalgamCore

/// The names and arguments of a virtual table that is created or connected.
///
/// ```swift
/// // CREATE VIRTUAL TABLE log USING csv('log.csv', header)
/// let csv = DatabaseModule("csv") { declaration in
///     print(declaration.arguments)   // ["'log.csv'", "header"]
///     return try CSVTable(declaration)
/// }
/// ```
public struct VirtualTableDeclaration {
    /// The connection that uses the table.
    public let database: Database

    /// The name of the module.
    public let moduleName: String

    /// The name of the schema: `main`, `temp`, or the name of an attached database.
    public let schemaName: String

    /// The name of the table.
    public let tableName: String

    /// The arguments of `CREATE VIRTUAL TABLE`: the text between the parentheses, split at commas, including quotes.
    public let arguments: [String]

    init(_ database: Database, _ texts: [String]) {
        self.database = database
        moduleName = texts.first ?? ""
        schemaName = texts.dropFirst().first ?? "main"
        tableName = texts.dropFirst(2).first ?? ""
        arguments = Array(texts.dropFirst(3))
    }
}
