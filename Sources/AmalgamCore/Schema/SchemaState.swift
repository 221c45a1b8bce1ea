import CAmalgam

/// The state of the schemas of one connection. Used from one thread at a time, like the connection.
///
/// SQLite caches the tables and indexes of each schema in memory, and frees them when the schema changes. Facts about
/// statements and tables, and pointers into SQLite's structures, are valid for one state. Only this object compares
/// schema cookies and generations. It notices changes by this connection (``update()``) and by other connections
/// (``compareWithFiles(of:)``), and outdated programs of statements (``isCurrent(_:)``).
package final class SchemaState {
    /// The identity of one state. If two stamps of a connection are equal, nothing has changed in between.
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

    /// Reads the state of the schemas in memory, without access to files.
    ///
    /// - Returns: the previous state.
    @discardableResult
    func update() -> Stamp {
        let previous = stamp
        let now = amalgam_schema_now(hooks)
        (stamp.schemas, stamp.programs) = (now.schemas, now.programs)
        return previous
    }

    /// Compares the schemas that a statement uses with the files. SQLite reads a schema again if another connection has
    /// changed it.
    func compareWithFiles(of statement: SQLiteStatement) { amalgam_schema_compare(statement) }

    /// Returns whether the pointers to tables and indexes in a statement's program are valid.
    func isCurrent(_ statement: SQLiteStatement) -> Bool { amalgam_program_is_current(statement) != 0 }
}
