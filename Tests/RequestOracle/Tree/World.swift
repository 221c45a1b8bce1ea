/// The tables of one seed, and their rows.
struct World: Sendable {
    var tables: [TableShape] = []

    func table(_ name: String) -> TableShape { tables.first { $0.name == name }! }
}

struct TableShape: Sendable {
    let name: String
    /// The first column is the primary key.
    var columns: [ColumnShape]
    var isWithoutRowID = false
    /// The values of the INSERT statements.
    var rows: [[Cell]] = []

    var key: ColumnShape { columns[0] }

    /// Returns the rows as the table stores them.
    func storedRows() throws -> [[Cell]] {
        try rows.map { row in try zip(row, columns).map { try $0.stored(as: $1.affinity) } }
    }

    /// The statements that create and fill the table.
    var sql: [String] {
        let definitions = columns.map(\.definition).joined(separator: ", ")
        let create = "CREATE TABLE \(name) (\(definitions))" + (isWithoutRowID ? " WITHOUT ROWID" : "")
        let indexes = columns.filter(\.isIndexed).map { "CREATE INDEX \(name)_\($0.name) ON \(name)(\($0.name))" }
        let insertions = rows.map { row in
            "INSERT INTO \(name) VALUES (\(row.map(\.description).joined(separator: ", ")))"
        }
        return [create] + indexes + insertions
    }
}

struct ColumnShape: Sendable {
    let name: String
    let affinity: Affinity
    var collation = Collation.binary
    var isKey = false
    var isIndexed = false
    /// The table whose key the column refers to.
    var reference: String?

    fileprivate var definition: String {
        var sql = name
        if affinity != .blob || isKey { sql += " \(affinity.rawValue)" }
        if collation != .binary { sql += " COLLATE \(collation.rawValue)" }
        if isKey { sql += affinity == .integer ? " PRIMARY KEY" : " NOT NULL PRIMARY KEY" }
        if let reference { sql += " REFERENCES \(reference)" }
        return sql
    }
}
