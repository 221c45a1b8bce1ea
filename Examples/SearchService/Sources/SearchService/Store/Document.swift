import Amalgam
import Foundation

/// A document: what is searched, shown and edited.
struct Document: Codable, Equatable, Sendable, FetchableRecord, TableRecord {
    var id: Int64
    /// The path of the file in the folder, or the key of the line in a JSON Lines file.
    var path: String
    /// The language of the text, such as `de`: it decides about stems and stop words.
    var language: String?
    var modified: Date
    var title: String
    /// A JSON object.
    var metadata: String
    var body: String

    enum Columns {
        static let id = Column("id")
        static let path = Column("path")
        static let language = Column("language")
        static let modified = Column("modified")
        static let title = Column("title")
        static let metadata = JSONColumn("metadata")
        static let body = Column("body")
    }

    /// The entry of the document in the full-text index.
    static let text = hasOne(DocumentText.self, using: ForeignKey(["rowid"], to: ["id"]))
}

/// The full-text index of documents.
struct DocumentText: TableRecord {
    enum Columns {
        static let title = Column("title")
        static let body = Column("body")
    }
}

/// The version of a document, which grows with each change. An editor who has read an older version can't save.
///
/// The version isn't a column of the document: undoing an edit restores all columns of the document, and the version has
/// to grow nevertheless.
struct Revision: Codable, FetchableRecord, TableRecord {
    var documentID: Int64
    var version: Int

    static func version(_ db: Database, of documentID: Int64) throws -> Int? {
        try Revision.filter(Column("documentID") == documentID).select(Column("version"), as: Int.self).fetchOne(db)
    }
}
