import Amalgam

/// A file in the database.
struct Document: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let path = Column("path")
        static let title = Column("title")
        static let metadata = JSONColumn("metadata")
        static let body = Column("body")
    }

    /// The entry of the document in the full-text index.
    static let text = hasOne(DocumentText.self, using: ForeignKey(["rowid"], to: ["id"]))

    /// Returns the documents that match, with an alias for their entries in the index.
    ///
    /// - Throws: a `DatabaseError` if the FTS5 syntax of the query is invalid.
    static func matching(
        _ query: Query, _ db: Database, _ index: TableAlias<DocumentText> = TableAlias()
    ) throws -> QueryInterfaceRequest<Document> {
        try joining(required: query.matches(of: text, db).aliased(index))
    }
}

/// The full-text index of documents.
struct DocumentText: TableRecord {
    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }
}
