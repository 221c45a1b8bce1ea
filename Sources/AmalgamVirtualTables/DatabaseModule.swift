import AmalgamCore

/// An implementation of virtual tables, ready to be added to connections: <https://sqlite.org/vtab.html>.
///
/// ```swift
/// let weekdays = DatabaseModule("weekdays") { _ in Weekdays() }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in try db.add(module: weekdays) }
/// ```
///
/// See ``VirtualTable`` for the tables, and ``DatabaseTableFunction`` for a short way to read-only ones.
public struct DatabaseModule: Sendable {
    /// The name of the module, in `CREATE VIRTUAL TABLE … USING name`; and of its table, if it is there without being
    /// created.
    public var name: String { definition.name }

    @usableFromInline
    let definition: ModuleDefinition

    @usableFromInline
    init(_ definition: ModuleDefinition) {
        self.definition = definition
    }

    /// A module whose table is there without being created: an eponymous virtual table.
    ///
    /// ```swift
    /// // SELECT * FROM weekdays
    /// // CREATE VIRTUAL TABLE temp.days USING weekdays
    /// ```
    ///
    /// - Parameters:
    ///   - isEponymousOnly: whether further tables cannot be created.
    ///   - connect: makes the table, once per connection and table.
    @inlinable
    public init<Table: VirtualTable>(
        _ name: String, isEponymousOnly: Bool = false,
        connect: @escaping @Sendable (VirtualTableDeclaration) throws -> Table
    ) {
        definition = ModuleDefinition(
            name, Table.self, connect: { try TableState(connect($0), $0.database) },
            create: nil, isEponymousOnly: isEponymousOnly)
    }

    /// A module whose tables are created, and may keep content in the database.
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
    ///   - create: makes the table when `CREATE VIRTUAL TABLE` runs.
    ///   - connect: makes the table when a connection needs it that did not create it.
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
