import AmalgamCore
import AmalgamQuery

/// Writes the rows and the schema of one database to a stream, in one format.
struct Dump<Format: DumpFormat> {
    private let db: Database
    private var format: Format
    private var stream: DumpStream

    init(_ db: Database, _ format: Format, _ stream: (any TextOutputStream)?) {
        self.db = db
        self.format = format
        self.stream = DumpStream(stream)
    }

    mutating func write(header: String) {
        stream.write(header + "\n")
    }

    mutating func write(_ sql: SQL) throws {
        let statements = try db.allStatements(literal: sql)
        while let statement = try statements.next() {
            if statement.columnCount == 0 {
                try statement.execute()
            } else {
                try write(statement)
            }
        }
    }

    private mutating func write(_ statement: Statement) throws {
        let cursor = try statement.makeCursor()
        while try cursor.next() != nil { try format.writeRow(db, statement: statement, to: &stream) }
        format.finalize(db, statement: statement, to: &stream)
    }

    /// - Parameter path: the names of the associations that lead to the rows.
    mutating func write(_ request: some FetchRequest, path: [String]) throws {
        if !path.isEmpty { write(header: path.joined(separator: ".")) }
        try write(request.makePreparedRequest(db, forSingleResult: false).statement)
        stream.margin()
        for (key, associated) in try request.associatedRequests(db) { try write(associated, path: path + [key]) }
    }

    mutating func write(table name: String, header: Bool, stableOrder: Bool) throws {
        if header { write(header: name) }
        var request = Table(name).all()
        if try db.tableExists(name) {
            request = request.orderByPrimaryKey()
        } else if stableOrder {
            request = request.withStableOrder()
        }
        try write(request, path: [])
    }

    /// Writes a table with its header. If SQLite can't read the table, writes the error in place of the rows that are
    /// missing: the module, collation or tokenizer of the table may belong to another program, or its pages are damaged.
    ///
    /// - Throws: other errors, such as an interruption.
    mutating func writeIfReadable(table name: String) throws {
        let start = format
        do {
            try write(table: name, header: true, stableOrder: true)
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_CORRUPT].contains(error.resultCode) {
            format = start
            stream.write("-- \(error.message ?? "\(error.resultCode)")\n")
            stream.margin()
        }
    }

    mutating func writeSchema() throws {
        for statement in try schema() { stream.write(statement + ";\n") }
        stream.margin()
    }

    /// The SQL of the schema, without shadow tables, internal tables, and the indexes and triggers of internal tables.
    private func schema() throws -> [String] {
        let shadows = Set(try db.tables(in: "main").filter { $0.kind == .shadow }.map(\.name))
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY
                tbl_name COLLATE NOCASE,
                CASE type WHEN 'table' THEN 'a' WHEN 'index' THEN 'aa' ELSE type END,
                name COLLATE NOCASE, sql
                """)
        return rows.compactMap { row in
            let name: String = row["name"]
            let isHidden = isInternal(name) || isInternal(row["tbl_name"]) || shadows.contains(name)
            return isHidden ? nil : row["sql"]
        }
    }

    /// The names of the tables, without views, shadow tables, and internal tables such as `grdb_migrations`.
    func tables() throws -> [String] {
        try db.tables(in: "main")
            .filter { ($0.kind == .table || $0.kind == .virtual) && !isInternal($0.name) }
            .map(\.name)
            .sorted { $0.lowercased() < $1.lowercased() }
    }

    private func isInternal(_ name: String) -> Bool {
        Database.isSQLiteInternalTable(name) || Database.isGRDBInternalTable(name)
    }
}
