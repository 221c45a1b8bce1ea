import Amalgam

/// The database of the service.
struct Store: Sendable {
    let pool: DatabasePool

    /// Opens a database, or creates it if it doesn't exist.
    ///
    /// - Throws: a `ServiceError` if the database belongs to another program, or has other languages.
    init(path: String, wording: Wording) throws {
        pool = try DatabasePool(path: path, configuration: Self.configuration(wording))
        try pool.write { db in try Self.checkIdentity(db) }
        try Schema(tokenizer: wording.tokenizer).migrator.migrate(pool)
        try pool.write { db in try Self.checkLanguages(db, wording.languages) }
        try pool.audit(Self.auditedDocuments)
    }

    /// All columns of documents are audited, so that a deleted document can be shown.
    static let auditedDocuments: AuditLog.Table = "document"

    /// An edit is acknowledged when it is on the disk: `synchronous = FULL`.
    private static func configuration(_ wording: Wording) -> Configuration {
        var configuration = Configuration()
        configuration.label = "SearchService"
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.walPolicy = WALPolicy()
        let synonyms = wording.synonymTokenizer
        configuration.prepareDatabase { db in
            db.add(tokenizer: synonyms)
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -32000")
        }
        return configuration
    }

    /// Checks that a database is empty, or made by this program.
    static func checkIdentity(_ db: Database) throws {
        if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 { return }
        if try Int.fetchOne(db, sql: "PRAGMA application_id") != Schema.applicationID {
            throw ServiceError("The database belongs to another program: choose another file for --db.")
        }
    }

    /// The index depends on the languages, so they can't be changed later.
    private static func checkLanguages(_ db: Database, _ languages: [String]) throws {
        let new = languages.joined(separator: ",")
        guard let old = try Setting.value(db, of: .languages) else { return try Setting.set(db, .languages, to: new) }
        if old != new {
            throw ServiceError(
                "The database was made for the languages \(old), not \(new): choose another file for --db.")
        }
    }
}

extension Store {
    /// Remembers the corpus of the database. The documents of another corpus would be deleted.
    ///
    /// - Throws: a `ServiceError` if the database has the documents of another corpus.
    func claim(for corpus: any Corpus) throws {
        try pool.write { db in
            if let old = try Setting.value(db, of: .corpus), old != corpus.name {
                throw ServiceError("The database has the documents of \(old): choose another file for --db.")
            }
            try Setting.set(db, .corpus, to: corpus.name)
        }
    }
}
