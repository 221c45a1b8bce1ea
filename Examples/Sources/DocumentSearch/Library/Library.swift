import Amalgam

/// The documents of a folder, in a database.
struct Library {
    let pool: DatabasePool

    /// Opens a database, which is created when it is missing.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try Schema.checkIdentity(db)
            try db.execute(sql: "PRAGMA cache_size = -64000")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write(Schema.create)
    }

    /// The document with the shortest text, for want of a better choice.
    func anyDocumentID() throws -> Int64? {
        try pool.read { db in try Int64.fetchOne(db, sql: "SELECT id FROM document ORDER BY length(body), id LIMIT 1") }
    }
}
