import Amalgam

/// The documents of a folder, in a database.
struct Library {
    let pool: DatabasePool

    /// Opens a database, or creates it if it doesn't exist. Tests pass a configuration with a disk that fails.
    init(path: String, configuration: Configuration = Configuration()) throws {
        var configuration = configuration
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try Schema.checkIdentity(db)
            try db.execute(sql: "PRAGMA cache_size = -64000")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write(Schema.create)
    }

    /// Returns the document with the shortest text, as a default choice.
    func anyDocumentID() throws -> Int64? {
        try pool.read { db in try Int64.fetchOne(db, sql: "SELECT id FROM document ORDER BY length(body), id LIMIT 1") }
    }
}
