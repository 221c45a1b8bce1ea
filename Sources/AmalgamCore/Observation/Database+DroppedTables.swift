import CAmalgam

extension Database {
    /// Runs a closure that steps a statement which drops a table. The deletions of the table's own rows, which SQLite makes
    /// to run foreign key actions, aren't reported.
    func reportingNoRows<T>(of table: SchemaTable, _ body: () -> T) -> T {
        guard let hooks = hooks.pointer else { return body() }
        return table.schema.withCString { schema in
            table.name.withCString { name in
                amalgam_hooks_drop(hooks, schema, name)
                defer { amalgam_hooks_drop(hooks, nil, nil) }
                return body()
            }
        }
    }
}
