public import AmalgamCore
import AmalgamQuery

/// Where the content of a full-text table is stored.
enum FullTextContent {
    /// In the shadow tables of the full-text table.
    case own

    /// In an external content table. The application updates the index. If the name is empty, no content is stored.
    case raw(String)

    /// In an external content table, whose triggers update the index.
    case synchronized(String)

    /// The name of the external content table.
    var table: String? {
        switch self {
        case .own: nil
        case .raw(let table), .synchronized(let table): table
        }
    }
}

/// The locale of the values of a column.
enum ContentLocale {
    /// The same for all rows, such as `fr`.
    case fixed(String)

    /// The value of a column of the content table.
    case column(String)

    func sql(in row: String) -> String {
        switch self {
        case .fixed(let locale): locale.quotedText
        case .column(let name): "\(row).\(name.quotedDatabaseIdentifier)"
        }
    }
}

/// The triggers that update a full-text index when its content table changes, and the view through which FTS5 reads the
/// content if it has locales.
///
/// The names and the SQL of the triggers must not change. They are stored in database files: other versions of an
/// application drop the triggers by name, and compare the SQL to detect schema changes.
struct FullTextSynchronization {
    /// The full-text table.
    private let table: String

    /// The content table.
    private let contentTable: String

    /// The column of the content table that is the rowid.
    private let rowID: String

    /// The columns of both tables.
    private let columns: [String]

    /// The locales of the columns that have one.
    private let locales: [String: ContentLocale]

    /// `IF NOT EXISTS ` if the full-text table is created with it.
    private let condition: String

    /// - Throws: `SQLITE_MISUSE` for a temporary table: its triggers would exist for other connections, too;
    ///   `SQLITE_ERROR` if the content table, or one of its columns, doesn't exist.
    init(
        of table: String, with contentTable: String, columns: [String], locales: [String: ContentLocale] = [:],
        _ configuration: VirtualTableConfiguration, in db: Database
    ) throws {
        if configuration.temporary {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a temporary full-text table cannot be synchronized: create \(table) without .temporary")
        }
        try Self.checkColumns(columns, of: contentTable, in: db)
        self.table = table
        self.contentTable = contentTable
        self.columns = columns
        self.locales = locales
        rowID = try Self.rowIDColumn(ofContentTable: contentTable, in: db)
        condition = configuration.ifNotExists ? "IF NOT EXISTS " : ""
    }

    /// Throws if the content table, or one of its columns, doesn't exist. FTS5 itself notices this when it reads a row.
    private static func checkColumns(_ columns: [String], of contentTable: String, in db: Database) throws {
        let table = contentTable.quotedDatabaseIdentifier
        let names = columns.map { "\(table).\($0.quotedDatabaseIdentifier)" }.joined(separator: ", ")
        _ = try db.makeStatement(sql: "SELECT \(names) FROM \(table)")
    }

    /// The column of the content table that the full-text table uses as rowid.
    static func rowIDColumn(ofContentTable table: String, in db: Database) throws -> String {
        try db.primaryKey(table).rowIDColumn ?? db.rowIDName(ofTable: table) ?? "rowid"
    }

    fileprivate static func triggerName(_ suffix: String, ofFullTextTable table: String) -> String {
        "__\(table)_\(suffix)"
    }

    /// The name of the view through which FTS5 reads content with locales.
    static func localizedView(ofFullTextTable table: String) -> String { "__\(table)_localized" }

    func installFTS4(in db: Database) throws {
        let delete =
            #"DELETE FROM \#(table.quotedDatabaseIdentifier) WHERE docid=old.\#(rowID.quotedDatabaseIdentifier);"#
        let insert = "INSERT INTO \(target(rowID: "docid")) VALUES(\(values(of: "new")));"
        try create("bu", "BEFORE UPDATE", [delete], in: db)
        try create("bd", "BEFORE DELETE", [delete], in: db)
        try create("au", "AFTER UPDATE", [insert], in: db)
        try create("ai", "AFTER INSERT", [insert], in: db)
        try fill(db)
    }

    func installFTS5(in db: Database) throws {
        let insert = "INSERT INTO \(target(rowID: "rowid")) VALUES (\(values(of: "new")));"
        let command = target(rowID: "rowid", command: table)
        let delete = "INSERT INTO \(command) VALUES('delete', \(values(of: "old")));"
        try create("ai", "AFTER INSERT", [insert], in: db)
        try create("ad", "AFTER DELETE", [delete], in: db)
        try create("au", "AFTER UPDATE", [delete, insert], in: db)
        if !locales.isEmpty { try createView(in: db) }
        try fill(db)
    }

    private func createView(in db: Database) throws {
        let view = Self.localizedView(ofFullTextTable: table).quotedDatabaseIdentifier
        let content = contentTable.quotedDatabaseIdentifier
        let values = columns.map { "\(value(of: $0, in: content)) AS \($0.quotedDatabaseIdentifier)" }
        let selection = (["\(content).\(rowID.quotedDatabaseIdentifier)"] + values).joined(separator: ", ")
        try db.execute(sql: "CREATE VIEW \(condition)\(view) AS SELECT \(selection) FROM \(content)")
    }

    private func create(_ suffix: String, _ event: String, _ statements: [String], in db: Database) throws {
        let name = Self.triggerName(suffix, ofFullTextTable: table).quotedDatabaseIdentifier
        let body = statements.map { "    \($0)\n" }.joined()
        try db.execute(
            sql:
                "CREATE TRIGGER \(condition)\(name) \(event) ON \(contentTable.quotedDatabaseIdentifier) BEGIN\n\(body)END"
        )
    }

    /// Indexes the existing rows.
    private func fill(_ db: Database) throws {
        let name = table.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(name)(\(name)) VALUES('rebuild')")
    }

    /// The table and columns of an INSERT, such as `"bookSearch"("rowid", "title")`.
    private func target(rowID: String, command: String? = nil) -> String {
        let names = [command, rowID].compactMap(\.self) + columns
        return "\(table.quotedDatabaseIdentifier)(\(names.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))"
    }

    /// The values of the old or new row in a trigger, such as `new."id", new."title"`.
    private func values(of row: String) -> String {
        (["\(row).\(rowID.quotedDatabaseIdentifier)"] + columns.map { value(of: $0, in: row) }).joined(separator: ", ")
    }

    /// The value of a column, with its locale.
    private func value(of column: String, in row: String) -> String {
        let value = "\(row).\(column.quotedDatabaseIdentifier)"
        guard let locale = locales[column] else { return value }
        return "fts5_locale(\(locale.sql(in: row)), \(value))"
    }
}

extension Database {
    /// Drops the triggers that ``FTS4TableDefinition/synchronize(withTable:)`` created for an ``FTS4`` table.
    ///
    /// ```swift
    /// try db.drop(table: "bookSearch")
    /// try db.dropFTS4SynchronizationTriggers(forTable: "bookSearch")
    /// // DROP TRIGGER IF EXISTS "__bookSearch_bu" …
    /// ```
    ///
    /// If the triggers remain after the full-text table is dropped, each write to the content table fails with
    /// `no such table`. Triggers that don't exist are ignored.
    ///
    /// - Parameter tableName: The name of the full-text table.
    /// - Throws: A ``DatabaseError`` if a statement fails.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try dropTriggers(["bu", "bd", "au", "ai"], ofFullTextTable: tableName)
    }

    /// Drops the triggers that ``FTS5TableDefinition/synchronize(withTable:)`` created for an ``FTS5`` table.
    ///
    /// ```swift
    /// try db.drop(table: "bookSearch")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
    /// // DROP TRIGGER IF EXISTS "__bookSearch_ai" …
    /// ```
    ///
    /// If the triggers remain after the full-text table is dropped, each write to the content table fails with
    /// `no such table`. Triggers that don't exist are ignored. This method also drops the view of a table with locales:
    /// see ``FTS5TableDefinition/synchronize(withTable:localeColumn:)``.
    ///
    /// - Parameter tableName: The name of the full-text table.
    /// - Throws: A ``DatabaseError`` if a statement fails.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try dropTriggers(["ai", "ad", "au"], ofFullTextTable: tableName)
        let view = FullTextSynchronization.localizedView(ofFullTextTable: tableName)
        if try viewExists(view) { try execute(sql: "DROP VIEW \(view.quotedDatabaseIdentifier)") }
    }

    private func dropTriggers(_ suffixes: [String], ofFullTextTable table: String) throws {
        for suffix in suffixes {
            let name = FullTextSynchronization.triggerName(suffix, ofFullTextTable: table).quotedDatabaseIdentifier
            try execute(sql: "DROP TRIGGER IF EXISTS \(name)")
        }
    }
}

extension String {
    /// The column name in the arguments of a full-text table. It is quoted only if necessary.
    var fullTextName: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isPlain && !isEmpty ? self : quotedDatabaseIdentifier
    }

    /// The SQL string literal of the string.
    var quotedText: String { quoted(with: "'") }
}
