import Amalgam

/// A query on the metadata, and its rows.
struct MetadataTable {
    let sql: String
    let rows: [Row]

    struct Row: Decodable, FetchableRecord {
        var name: String
        var documents: Int
        var lines: Int
    }
}

extension Library {
    /// The languages of the documents. The expressions are those of an index, which has all that is needed.
    func languages() throws -> MetadataTable {
        try table(
            """
            SELECT metadata ->> '$.language' AS name,
                   count(*) AS documents, sum(metadata ->> '$.lines') AS lines
            FROM document
            GROUP BY name ORDER BY documents DESC, name LIMIT 6
            """)
    }

    /// The folders with the most documents, at any depth: one row of `json_each` for each folder of a document.
    func folders() throws -> MetadataTable {
        try table(
            """
            SELECT folder.value AS name,
                   count(*) AS documents, sum(metadata ->> '$.lines') AS lines
            FROM document, json_each(metadata, '$.folders') AS folder
            GROUP BY name ORDER BY documents DESC, name LIMIT 6
            """)
    }

    private func table(_ sql: String) throws -> MetadataTable {
        MetadataTable(sql: sql, rows: try pool.read { db in try MetadataTable.Row.fetchAll(db, sql: sql) })
    }
}
