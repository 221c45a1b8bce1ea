import CAmalgam

/// The state of the schemas of one connection.
///
/// SQLite keeps the tables and indexes of each schema in memory, and frees them when the schema changes. Facts about
/// statements and tables, and pointers into SQLite's structures, are valid for one state. This object answers the
/// questions about it; schema cookies and generations are compared nowhere else:
///
/// - Has the schema changed, on this connection, since a stamp was taken? ``update()``, and the equality of stamps.
/// - Has another connection changed it? ``compareWithFiles(of:)``.
/// - Does the program of a statement stand for the schemas in memory? ``isCurrent(_:)``.
///
/// Used, as the connection, from one thread at a time.
package final class SchemaState {
    /// One state. Equal stamps of a connection mean that nothing has changed in between.
    package struct Stamp: Equatable {
        /// Changes with the schemas.
        fileprivate(set) var schemas: UInt64 = 0

        /// Changes with the schemas, and with the settings that statements are compiled for.
        fileprivate(set) var programs: UInt64 = 0

        /// The state of no schemas.
        package init() {}
    }

    private let hooks: OpaquePointer

    /// The state when ``update()`` was last called.
    private(set) var stamp = Stamp()

    init(_ hooks: OpaquePointer) { self.hooks = hooks }

    /// Looks at the schemas in memory. No file is read.
    ///
    /// - Returns: the state before.
    @discardableResult
    func update() -> Stamp {
        let previous = stamp
        let now = amalgam_schema_now(hooks)
        (stamp.schemas, stamp.programs) = (now.schemas, now.programs)
        return previous
    }

    /// Compares the schemas that a statement uses with the files. SQLite reads those that another connection has changed
    /// again.
    func compareWithFiles(of statement: SQLiteStatement) { amalgam_schema_compare(statement) }

    /// Whether pointers of a statement's program to tables and indexes are valid.
    func isCurrent(_ statement: SQLiteStatement) -> Bool { amalgam_program_is_current(statement) != 0 }
}
