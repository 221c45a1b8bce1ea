import AmalgamCore

/// An implementation of virtual tables, which can be registered on connections: <https://sqlite.org/vtab.html>.
///
/// ```swift
/// let weekdays = DatabaseModule("weekdays") { _ in Weekdays() }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in try db.add(module: weekdays) }
/// ```
///
/// See ``VirtualTable`` for the tables, and ``DatabaseTableFunction`` for a shorter way to write read-only tables.
public struct DatabaseModule: Sendable {
    /// The name of the module in `CREATE VIRTUAL TABLE … USING name`, and of its eponymous table.
    public var name: String { definition.name }

    @usableFromInline
    let definition: ModuleDefinition

    @usableFromInline
    init(_ definition: ModuleDefinition) {
        self.definition = definition
    }

    /// Creates a module with an eponymous table: SQL can use the name of the module as a table.
    ///
    /// ```swift
    /// let weekdays = DatabaseModule("weekdays") { _ in Weekdays() }
    /// // SELECT * FROM weekdays
    /// // CREATE VIRTUAL TABLE temp.days USING weekdays
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the module and of its table.
    ///   - isEponymousOnly: true to forbid `CREATE VIRTUAL TABLE` with this module.
    ///   - connect: creates the table object, once per connection and table.
    @inlinable
    public init<Table: VirtualTable>(
        _ name: String, isEponymousOnly: Bool = false,
        connect: @escaping @Sendable (VirtualTableDeclaration) throws -> Table
    ) {
        definition = ModuleDefinition(
            name, Table.self, connect: { try TableState(connect($0), $0.database) },
            create: nil, isEponymousOnly: isEponymousOnly)
    }

    /// Creates a module whose tables need `CREATE VIRTUAL TABLE`, and may store their content in the database.
    ///
    /// ```swift
    /// let notes = DatabaseModule(
    ///     "notes",
    ///     create: { declaration in try NoteTable(creating: declaration) },
    ///     connect: { declaration in try NoteTable(declaration) })
    /// // CREATE VIRTUAL TABLE diary USING notes
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the module.
    ///   - create: creates the table object when `CREATE VIRTUAL TABLE` runs.
    ///   - connect: creates the table object when a connection uses an existing table.
    @inlinable
    public init<Table: VirtualTable>(
        _ name: String, create: @escaping @Sendable (VirtualTableDeclaration) throws -> Table,
        connect: @escaping @Sendable (VirtualTableDeclaration) throws -> Table
    ) {
        definition = ModuleDefinition(
            name, Table.self, connect: { try TableState(connect($0), $0.database) },
            create: { try TableState(create($0), $0.database) }, isEponymousOnly: false)
    }
}
