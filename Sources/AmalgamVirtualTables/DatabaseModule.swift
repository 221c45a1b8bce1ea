public import AmalgamCore
import CAmalgam

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

extension Database {
    /// Makes virtual tables of a module available on this connection, in the place of those of a former module with
    /// the same name. Tables in use keep the module that they were connected with.
    ///
    /// - throws: `SQLITE_MISUSE` when the name is empty or contains a NUL character.
    public func add(module: DatabaseModule) throws {
        try checkAccess()
        try check(moduleName: module.name)
        let registration = ModuleRegistration(module.definition, self)
        try register(module.name, module.definition.module, Unmanaged.passRetained(registration).toOpaque())
    }

    /// Removes a module from this connection. Tables in use keep it; others cannot be connected any more: `no such
    /// module`.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access, and for a name that is none.
    public func remove(module: DatabaseModule) throws {
        try checkAccess()
        try check(moduleName: module.name)
        try register(module.name, nil, nil)
    }

    private func check(moduleName name: String) throws {
        guard name.isEmpty || name.utf8.contains(0) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "a module needs a name without NUL characters")
    }

    /// - Parameter registration: retained for SQLite, which releases it, also when it fails.
    private func register(
        _ name: String, _ module: UnsafeMutableRawPointer?, _ registration: UnsafeMutableRawPointer?
    ) throws {
        let functions = module?.assumingMemoryBound(to: sqlite3_module.self)
        let code = sqlite3_create_module_v2(sqliteConnection, name, functions, registration) { registration in
            if let registration { Unmanaged<ModuleRegistration>.fromOpaque(registration).release() }
        }
        if code != SQLITE_OK { throw error(code) }
        // Statements compiled before hold on to the table of the former module.
        expireStatements()
    }
}
