public import AmalgamCore

/// A row whose foreign key refers to a row that is not there.
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
    /// The table of the row.
    public var originTable: String

    /// The rowid of the row. Nil in a WITHOUT ROWID table.
    public var originRowID: Int64?

    /// The table that the foreign key refers to.
    public var destinationTable: String

    /// Which foreign key of the origin table is meant: see ``ForeignKeyInfo/id``.
    public var foreignKeyId: Int

    /// The database of both tables, as far as it is known.
    var schemaName: String?

    /// The violation that a row of `PRAGMA foreign_key_check` describes.
    ///
    /// A column `schema` names the database, so that tables of one name in several databases are told apart.
    public init(row: Row) {
        originTable = row["table"]
        originRowID = row["rowid"]
        destinationTable = row["parent"]
        foreignKeyId = row["fkid"]
        schemaName = row["schema"]
    }

    /// A description with the columns of the foreign key, and the values of the row: they may be sensitive.
    ///
    /// `FOREIGN KEY constraint violation - from player(teamId) to team(id), in [id:1 teamId:2 name:"O'Brien"]`
    ///
    /// - throws: `no such table: x` when the table has gone meanwhile.
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

    /// The columns of the primary key, when the foreign key means them, and the table is there.
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

    /// The violation as an error: `SQLITE_CONSTRAINT_FOREIGNKEY`, with the text of ``failureDescription(_:)``.
    public func databaseError(_ db: Database) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
            message: (try? failureDescription(db)) ?? description)
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// `FOREIGN KEY constraint violation - from player to team, in rowid 1`
    public var description: String {
        let row = originRowID.map { ", in rowid \($0)" } ?? ""
        return "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(row)"
    }
}
