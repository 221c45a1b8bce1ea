internal import AmalgamCore
import CAmalgam

/// A table of the main schema, with what is needed to find and to write the rows of images.
struct ImagedTable: Sendable, Equatable {
    let name: String
    /// The names of the stored columns: those that aren't generated.
    let columns: [String]
    /// The names of the generated columns.
    let generatedColumns: Set<TableName>
    /// The position of each stored column in the table.
    let positions: [Int]
    let isPrimaryKey: [Bool]
    let hasRowID: Bool
    /// The name by which SQL finds the rowid; nil if columns have all its names.
    let rowIDName: String?
    /// Whether a column is the rowid.
    let storesRowID: Bool
    /// The columns of the primary key of a WITHOUT ROWID table, and their collations.
    let key: [KeyColumn]
    /// The encoding of TEXT values in images: `SQLITE_UTF8` and the like.
    let encoding: CInt

    struct KeyColumn: Sendable, Equatable {
        let name: String
        let collation: String

        static func == (lhs: KeyColumn, rhs: KeyColumn) -> Bool {
            lhs.name.equalsExactly(rhs.name) && lhs.collation.equalsIgnoringCase(rhs.collation)
        }
    }

    /// Reads the schema.
    ///
    /// - Returns: nil if the main schema has no such table.
    init?(_ db: Database, _ name: String) throws {
        guard try db.tableExists(name, in: "main"), let connection = db.sqliteConnection else { return nil }
        var facts = amalgam_image_table()
        guard amalgam_image_table_facts(connection, name, &facts) != 0 else { return nil }
        self.name = name
        let all = (0..<facts.column_count).map { amalgam_image_table_column(connection, name, $0) }
        positions = all.indices.filter { all[$0].is_stored != 0 }
        columns = positions.map { String(cString: all[$0].name) }
        generatedColumns = Set(all.filter { $0.is_stored == 0 }.map { TableName(String(cString: $0.name)) })
        isPrimaryKey = positions.map { all[$0].is_primary_key != 0 }
        hasRowID = facts.has_rowid != 0
        rowIDName = facts.rowid_name.map { String(cString: $0) }
        storesRowID = facts.rowid_column >= 0
        encoding = facts.encoding
        key = (0..<facts.key_count).map { index in
            var collation: UnsafePointer<CChar>?
            let name = amalgam_image_table_key(connection, name, index, &collation)
            return KeyColumn(name: String(cString: name!), collation: String(cString: collation!))
        }
    }

    /// - Throws: `SQLITE_MISUSE` if columns have all names of the rowid.
    func checkRowIDName() throws {
        if !hasRowID || rowIDName != nil { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                The changes of the table \(name) can't be undone: columns are named rowid, _rowid_ and oid, so that SQL \
                can't find its rows. Rename one of them, or exclude the table from the history.
                """)
    }

    /// Whether images of an earlier state of the table fit: columns may only have been added at the end.
    func fits(_ earlier: ImagedTable) -> Bool {
        hasRowID == earlier.hasRowID && storesRowID == earlier.storesRowID && key == earlier.key
            && columns.starts(with: earlier.columns) { $0.equalsExactly($1) }
    }

    /// The value of a column in the rows that are older than the column.
    ///
    /// - Throws: `SQLITE_NOMEM`.
    func defaultValue(_ db: Database, ofColumn index: Int) throws -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 64)
        while true {
            let size = amalgam_image_defaults(
                db.sqliteConnection, name, CInt(positions[index]), &bytes, Int64(bytes.count))
            if size < 0 { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
            if size <= bytes.count { return bytes.prefix(Int(size)) }
            bytes = [UInt8](repeating: 0, count: Int(size))
        }
    }

    // MARK: SQL

    private var quotedName: String { "main.\(name.quotedDatabaseIdentifier)" }

    /// A condition with the parameters ?1, ?2, …, which selects the row of a place.
    private func condition(first: Int) -> String {
        if hasRowID { return "\(rowIDName!.quotedDatabaseIdentifier) = ?\(first)" }
        return key.enumerated().map { index, column in
            let collation = column.collation.quotedDatabaseIdentifier
            return "\(column.name.quotedDatabaseIdentifier) COLLATE \(collation) = ?\(first + index)"
        }.joined(separator: " AND ")
    }

    private var columnList: String { columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ") }

    var selection: String { "SELECT \(columnList) FROM \(quotedName) WHERE \(condition(first: 1))" }

    var scan: String { "SELECT \(columnList) FROM \(quotedName)" }

    var deletion: String { "DELETE FROM \(quotedName) WHERE \(condition(first: 1))" }

    /// `OR ABORT` overrides the `ON CONFLICT` clauses of the table, which could delete rows of other code.
    func update(_ changed: [Int]) -> String {
        let values = changed.enumerated().map { "\(columns[$1].quotedDatabaseIdentifier) = ?\($0 + 1)" }
        return """
            UPDATE OR ABORT \(quotedName) SET \(values.joined(separator: ", ")) \
            WHERE \(condition(first: changed.count + 1))
            """
    }

    /// The parameters are the rowid, unless a column is the rowid, and the values of the columns.
    var insertion: String {
        let names = (insertsRowID ? [rowIDName!] : []) + columns
        return """
            INSERT OR ABORT INTO \(quotedName) (\(names.map(\.quotedDatabaseIdentifier).joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """
    }

    var insertsRowID: Bool { hasRowID && !storesRowID }
}

/// The place of a row in a table: its rowid, or the image of the primary key in a WITHOUT ROWID table.
struct RowPlace: Hashable, Sendable {
    /// Nil for a new row to which SQLite assigns a rowid.
    var rowID: Int64?
    var key: [UInt8] = []

    /// Binds the place to parameters of a statement.
    func bind(to statement: SQLiteStatement, first: Int) -> CInt {
        if let rowID, key.isEmpty { return rowID.bind(to: statement, at: CInt(first)) }
        return RowImage(bytes: key).values.bind(to: statement, first: first)
    }
}

extension Sequence where Element == ArraySlice<UInt8> {
    /// Binds encoded values to parameters of a statement.
    func bind(to statement: SQLiteStatement, first: Int) -> CInt {
        for (index, value) in enumerated() {
            let code = value.withUnsafeBufferPointer {
                amalgam_image_bind(statement, CInt(first + index), $0.baseAddress)
            }
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }
}
