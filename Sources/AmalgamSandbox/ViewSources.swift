import AmalgamCore
import CAmalgam

/// What a view reads: its tables, and the names on which one of its columns depends.
struct ViewSources {
    private(set) var isView = false
    /// The tables and views in the SELECT of the view.
    private(set) var tables: [SchemaTable] = []
    /// The names of columns on which the column depends; nil if it may depend on all columns of the tables.
    private(set) var names: [String]?

    /// Creates the sources of a column; without sources if the table isn't a view.
    ///
    /// - Parameter column: The name of the column; empty for the presence of rows.
    init(_ connection: SQLiteConnection, _ table: SchemaTable, column: String = "") {
        var told = Told()
        let answer = withUnsafeMutablePointer(to: &told) { told in
            amalgam_view_sources(connection, table.schema, table.name, column, told) { told, schema, name in
                told!.assumingMemoryBound(to: Told.self).pointee.append(
                    schema.map { String(cString: $0) }, String(cString: name!))
            }
        }
        guard answer != CInt(AMALGAM_ISNT_VIEW) else { return }
        isView = true
        tables = told.tables
        names = answer == CInt(AMALGAM_VIEW_SHOWS_NAMES) ? told.names : nil
    }

    private struct Told {
        var tables: [SchemaTable] = []
        var names: [String] = []

        mutating func append(_ schema: String?, _ name: String) {
            guard let schema else { return names.append(name) }
            tables.append(SchemaTable(schema: schema, name: name))
        }
    }
}
