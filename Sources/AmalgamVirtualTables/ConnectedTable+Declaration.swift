import AmalgamCore
import CAmalgam

extension ConnectedTable {
    /// Declares the columns, options and functions of the table to SQLite.
    func declare() throws {
        guard let connection = database.sqliteConnection else { throw Database.connectionIsClosed }
        let code = sqlite3_declare_vtab(connection, schema)
        if code != SQLITE_OK { throw database.error(code) }
        configure(connection)
        functions = VirtualTableFunction.numbered(overloads).map { OverloadedFunction($0, database) }
        for function in functions.map(\.function) { try declare(function, connection) }
    }

    /// Registers the name of a function. SQLite calls `xFindFunction` only for function names that it knows.
    private func declare(_ function: VirtualTableFunction, _ connection: SQLiteConnection) throws {
        let count = CInt(clamping: function.argumentCount ?? -1)
        // For SQLite, a negative number means any number of arguments.
        let isLegal = (function.argumentCount ?? 0) >= 0
        let code = isLegal ? sqlite3_overload_function(connection, function.name, count) : SQLITE_MISUSE
        switch code {
        case SQLITE_OK: break
        case SQLITE_MISUSE: throw function.illegalDeclaration
        default: throw database.error(code)
        }
    }

    private func configure(_ connection: SQLiteConnection) {
        let options = options
        if options.contains(.innocuous) { amalgam_vtab_config(connection, SQLITE_VTAB_INNOCUOUS, 0) }
        if options.contains(.directOnly) { amalgam_vtab_config(connection, SQLITE_VTAB_DIRECTONLY, 0) }
        if options.contains(.supportsConstraints) {
            amalgam_vtab_config(connection, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1)
        }
        if options.contains(.usesAllSchemas) { amalgam_vtab_config(connection, SQLITE_VTAB_USES_ALL_SCHEMAS, 0) }
    }
}
