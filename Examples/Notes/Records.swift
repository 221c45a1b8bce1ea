import Amalgam

struct Folder: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    static let notes = hasMany(Note.self)

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

// guide: note
struct Note: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var folderId: Int64
    var text: String
    var isDone = false

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let isDone = Column(CodingKeys.isDone)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
// end

// guide: content
/// A folder with its notes: two statements fetch all of them.
struct FolderContent: Decodable, FetchableRecord {
    var folder: Folder
    var notes: [Note]

    static func all() -> QueryInterfaceRequest<FolderContent> {
        Folder
            .including(all: Folder.notes.order(\.id))
            .order(\.name)
            .asRequest(of: FolderContent.self)
    }
}
// end
