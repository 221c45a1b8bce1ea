public import AmalgamCore

/// A foreign key violation: a row whose foreign key refers to a missing row.
///
/// ```swift
/// let violations = try db.foreignKeyViolations()
/// while let violation = try violations.next() {
///     print(try violation.failureDescription(db))
///     // FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:1 teamId:2 name:"O'Brien"]
/// }
/// ```
///
/// See <https://sqlite.org/pragma.html#pragma_foreign_key_check>.
public struct ForeignKeyViolation: Sendable {
    /// The name of the table that contains the row.
    public var originTable: String

    /// The rowid of the row; nil for a `WITHOUT ROWID` table.
    public var originRowID: Int64?

    /// The name of the table that the foreign key refers to.
    public var destinationTable: String

    /// The id of the foreign key in the origin table: see ``ForeignKeyInfo/id``.
    public var foreignKeyId: Int

    /// The schema of both tables, if it is known.
    var schemaName: String?

    /// Creates a violation from a row of `PRAGMA foreign_key_check`.
    ///
    /// ```swift
    /// let rows = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
    /// let violations = rows.map { ForeignKeyViolation(row: $0) }
    /// ```
    ///
    /// The row may have an additional column `schema` with the schema of the table. Without this column,
    /// ``failureDescription(_:)`` searches for the table in all schemas, and may find a table of a different schema.
    public init(row: Row) {
        originTable = row["table"]
        originRowID = row["rowid"]
        destinationTable = row["parent"]
        foreignKeyId = row["fkid"]
        schemaName = row["schema"]
    }

    /// Returns a description with the columns of the foreign key, and the values of the row, which may be sensitive.
    ///
    /// `FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:1 teamId:2 name:"O'Brien"]`
    ///
    /// - Throws: `no such table: x` if the table has been dropped.
    public func failureDescription(_ db: Database) throws -> String {
        let declaration = try db.withTable(originTable, in: schemaName) { table in
            try db.foreignKeyDeclarations(of: table).first { $0.id == foreignKeyId }
        }
        let destinationColumns = declaration.flatMap { self.destinationColumns($0, db) } ?? []
        let origin = Self.text(originTable, declaration?.originColumns ?? [])
        let destination = Self.text(destinationTable, destinationColumns)
        let row = try originRow(db).map { ", in \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(origin) to \(destination)\(row)"
    }

    /// Returns the columns that a foreign key refers to: those in its declaration, or otherwise the primary key of the
    /// referenced table. Returns nil if the referenced table doesn't exist.
    private func destinationColumns(_ declaration: ForeignKeyDeclaration, _ db: Database) -> [String]? {
        if !declaration.destinationColumns.isEmpty { return declaration.destinationColumns }
        return try? db.primaryKey(destinationTable, in: schemaName).columns
    }

    private static func text(_ table: String, _ columns: [String]) -> String {
        columns.isEmpty ? table : "\(table)(\(columns.joined(separator: ", ")))"
    }

    private func originRow(_ db: Database) throws -> Row? {
        guard let originRowID else { return nil }
        return try db.withTable(originTable, in: schemaName) { table in
            guard let rowIDName = try db.rowIDName(of: table) else { return nil }
            return try Row.fetchOne(
                db.makeStatement(
                    sql: "SELECT * FROM \(table.id.sql) WHERE \(rowIDName.quotedDatabaseIdentifier) = ?"),
                arguments: [originRowID])
        }
    }

    /// Returns the violation as an error: `SQLITE_CONSTRAINT_FOREIGNKEY`, with the message of
    /// ``failureDescription(_:)``.
    ///
    /// ```swift
    /// if let violation = try db.foreignKeyViolations().next() { throw violation.databaseError(db) }
    /// ```
    public func databaseError(_ db: Database) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
            message: (try? failureDescription(db)) ?? description)
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// A description without the values of the row: `FOREIGN KEY constraint violation - from player to team, in rowid
    /// 1`.
    public var description: String {
        let row = originRowID.map { ", in rowid \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(row)"
    }
}
