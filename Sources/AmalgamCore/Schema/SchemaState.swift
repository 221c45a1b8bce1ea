import CAmalgam

/// The state of the schemas of one connection. Used from one thread at a time, like the connection.
///
/// SQLite caches the tables and indexes of each schema in memory, and frees them when the schema changes. Pointers to
/// tables and indexes, and all cached data about statements and tables, are valid until the state changes. ``update()``
/// detects changes of the schemas in memory. ``compareWithFiles(of:)`` discards schemas in memory that other
/// connections have changed in the files. ``isCurrent(_:)`` detects outdated compiled statements.
package final class SchemaState {
    /// Two numbers that identify a state of the schemas. If a connection has the same stamp at two moments, its schemas
    /// haven't changed between these moments.
    package struct Stamp: Equatable {
        /// Changes with the schemas.
        fileprivate(set) var schemas: UInt64 = 0

        /// Changes with the schemas, and with the settings on which compiled statements depend.
        fileprivate(set) var programs: UInt64 = 0

        /// Creates a stamp without schemas.
        package init() {}
    }

    private let hooks: OpaquePointer

    /// The state at the last call of ``update()``.
    private(set) var stamp = Stamp()

    init(_ hooks: OpaquePointer) { self.hooks = hooks }

    /// Updates the stamp from the schemas in memory, without access to files.
    ///
    /// - Returns: the previous stamp.
    @discardableResult
    func update() -> Stamp {
        let previous = stamp
        let now = amalgam_schema_now(hooks)
        (stamp.schemas, stamp.programs) = (now.schemas, now.programs)
        return previous
    }

    /// The number of the current state of the schemas in memory. Unlike ``update()``, this leaves the stamp unchanged.
    var current: UInt64 { amalgam_schema_now(hooks).schemas }

    /// Returns whether the schemas are in the given state. SQLite first compares the given schema, and those before it,
    /// with the database files.
    func isCurrent(_ state: UInt64, upTo schema: CInt) -> Bool {
        amalgam_schema_is_unchanged(hooks, schema, state) != 0
    }

    /// Makes SQLite compare the in-memory schemas that a statement uses with the database files. If another connection
    /// has changed a schema, SQLite discards this schema, and reads it again on the next use.
    func compareWithFiles(of statement: SQLiteStatement) { amalgam_schema_compare(statement) }

    /// Returns whether the pointers to tables and indexes in a statement's program are valid.
    func isCurrent(_ statement: SQLiteStatement) -> Bool { amalgam_program_is_current(statement) != 0 }
}
