/// What the current authorizer says about a table that C code reads, or whose definition is looked up: the authorizer is
/// asked as if a statement read the table.
extension Database {
    /// Throws if the current authorizer denies reading rows of a table or view. Does nothing if there is no such table.
    ///
    /// - Throws: `SQLITE_AUTH` with the denied action; the error that the authorizer throws.
    package func checkPermission(toReadRowsOf tableName: String) throws {
        guard access.authorizerScope != nil, let id = try ifTable(tableName, in: nil, { $0.id }) else { return }
        if try decision(aboutReading: "", of: id) == .deny { throw refusal(ofReading: "", of: id) }
    }

    /// Throws if the current authorizer denies reading a column of a table, hidden columns included, or would replace its
    /// values by NULL. Does nothing if there is no such table.
    ///
    /// The rows of a full-text index have words of all columns. In a sandbox, a hidden column of a virtual table stands for
    /// all columns of the table, and of the table or view whose content the virtual table shows.
    ///
    /// - Throws: `SQLITE_AUTH` with the denied action; the error that the authorizer throws.
    package func checkPermission(toReadAllColumnsOf tableName: String) throws {
        guard access.authorizerScope != nil else { return }
        try checkPermission(toReadRowsOf: tableName)
        let table = try ifTable(tableName, in: nil) { (id: $0.id, columns: try columns(of: $0).map(\.name)) }
        guard let table else { return }
        for column in table.columns where try decision(aboutReading: column, of: table.id) != .allow {
            throw refusal(ofReading: column, of: table.id)
        }
    }

    /// Whether the current authorizer lets statements read rows of a table or view. True without an authorizer.
    func mayReadRows(of id: DatabaseObjectID) -> Bool {
        access.authorizerScope == nil || (try? decision(aboutReading: "", of: id)) ?? .deny != .deny
    }

    /// - Parameter column: The column; empty for the presence of rows.
    /// - Throws: The error that the authorizer throws.
    private func decision(aboutReading column: String, of id: DatabaseObjectID) throws -> AuthorizerDecision {
        guard let scope = access.authorizerScope else { return .allow }
        let decision = decide(reading(column, of: id))
        _ = scope.takeDenial()
        if let failure = scope.takeFailure() { throw failure }
        return decision
    }

    private func reading(_ column: String, of id: DatabaseObjectID) -> AuthorizerAction {
        AuthorizerAction(kind: .read, first: id.name, second: column, schemaName: id.schemaID.name)
    }

    private func refusal(ofReading column: String, of id: DatabaseObjectID) -> DatabaseError {
        let name = column.isEmpty ? id.name : "\(id.name).\(column)"
        return DatabaseError(resultCode: .SQLITE_AUTH, message: "access to \(name) is prohibited")
            .denying(reading(column, of: id))
    }
}
