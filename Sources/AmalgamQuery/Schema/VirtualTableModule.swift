public import AmalgamCore

/// A module of virtual tables that are created with Swift methods, such as a full-text engine.
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
    /// What the closure that defines a table is given.
    associatedtype TableDefinition

    /// The name of the module in SQL.
    var moduleName: String { get }

    /// Makes what the closure that defines a table is given.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// The arguments of the module, in SQL.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Does what there is to do once the table exists. When it throws, there is no table.
    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// How a virtual table is created.
public struct VirtualTableConfiguration: Sendable {
    /// Whether a table that exists is left alone.
    package let ifNotExists: Bool

    /// Whether only the connection sees the table.
    package let temporary: Bool
}
