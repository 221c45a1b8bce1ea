public import AmalgamCore

/// A module of virtual tables, such as a full-text engine. `create(virtualTable:options:using:_:)` creates a table of
/// the module.
///
/// ```swift
/// struct Spellfix: VirtualTableModule {
///     let moduleName = "spellfix1"
///     func makeTableDefinition(configuration: VirtualTableConfiguration) {}
///     func moduleArguments(for definition: Void, in db: Database) -> [String] { [] }
///     func database(_ db: Database, didCreate tableName: String, using definition: Void) {}
/// }
/// try db.create(virtualTable: "word", using: Spellfix())
/// // CREATE VIRTUAL TABLE "word" USING spellfix1
/// ```
///
/// See <https://sqlite.org/vtab.html>.
public protocol VirtualTableModule {
    /// The type of the value passed to the closure that defines a table.
    associatedtype TableDefinition

    /// The name of the module in SQL.
    var moduleName: String { get }

    /// Returns the value passed to the closure that defines a table.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// Returns the arguments of the module, in SQL.
    ///
    /// - Throws: an error, if the definition is invalid. In this case, no table is created.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Completes the table after `CREATE VIRTUAL TABLE` has run.
    ///
    /// - Throws: an error. In this case, `create(virtualTable:…)` rolls back the creation of the table, and throws the
    ///   error to its caller.
    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// The options of a `CREATE VIRTUAL TABLE` statement, passed to the module of the table.
public struct VirtualTableConfiguration: Sendable {
    /// The name of the table.
    package let tableName: String

    /// Whether an existing table is left unchanged.
    package let ifNotExists: Bool

    /// Whether the table is visible to this connection only.
    package let temporary: Bool
}
