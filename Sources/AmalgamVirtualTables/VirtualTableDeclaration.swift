public import AmalgamCore

/// What a virtual table is told when it is connected.
///
/// ```swift
/// // CREATE VIRTUAL TABLE log USING csv('log.csv', header)
/// DatabaseModule("csv") { declaration in
///     declaration.arguments   // ["'log.csv'", "header"]
///     return try CSVTable(declaration)
/// }
/// ```
public struct VirtualTableDeclaration {
    /// The connection.
    public let database: Database

    /// The name of the module.
    public let moduleName: String

    /// The name of the schema: `main`, `temp`, or that of an attached database.
    public let schemaName: String

    /// The name of the table.
    public let tableName: String

    /// What stands between the parentheses of `CREATE VIRTUAL TABLE`, cut at its commas: the text as it was written,
    /// with its quotes.
    public let arguments: [String]

    init(_ database: Database, _ texts: [String]) {
        self.database = database
        moduleName = texts.first ?? ""
        schemaName = texts.dropFirst().first ?? "main"
        tableName = texts.dropFirst(2).first ?? ""
        arguments = Array(texts.dropFirst(3))
    }
}
