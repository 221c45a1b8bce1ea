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

extension Database {
    /// Creates a virtual table without arguments: `CREATE VIRTUAL TABLE "word" USING spellfix1`.
    public func create(virtualTable name: String, options: VirtualTableOptions = [], using module: String) throws {
        try execute(sql: virtualTableSQL(name, options, module, []))
    }

    /// Creates a virtual table without arguments. The form with `options:` says more.
    @_disfavoredOverload
    public func create(virtualTable name: String, ifNotExists: Bool = false, using module: String) throws {
        try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
    }

    /// Creates a virtual table.
    ///
    /// - Parameter body: defines the table.
    /// - throws: the error of the closure, of the module, or a ``DatabaseError``. Then there is no table.
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, options: VirtualTableOptions = [], using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        let configuration = VirtualTableConfiguration(
            ifNotExists: options.contains(.ifNotExists), temporary: options.contains(.temporary))
        let definition = module.makeTableDefinition(configuration: configuration)
        try body?(definition)
        let arguments = try module.moduleArguments(for: definition, in: self)
        try inSavepoint {
            try execute(sql: virtualTableSQL(tableName, options, module.moduleName, arguments))
            try module.database(self, didCreate: tableName, using: definition)
            return .commit
        }
    }

    /// Creates a virtual table. The form with `options:` says more.
    @_disfavoredOverload
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String, ifNotExists: Bool = false, using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try create(virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module, body)
    }

    private func virtualTableSQL(
        _ name: String, _ options: VirtualTableOptions, _ module: String, _ arguments: [String]
    ) -> String {
        var sql = "CREATE VIRTUAL TABLE "
        if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
        if options.contains(.temporary) { sql += "temp." }
        sql += name.quotedDatabaseIdentifier + " USING " + module
        if !arguments.isEmpty { sql += "(" + arguments.joined(separator: ", ") + ")" }
        return sql
    }
}
