import Amalgam

@Record("folder")
struct Folder {
    @Key var id: Int64?
    var name: String

    static let notes = hasMany(Note.self)
}

@Record("note")
struct Note {
    @Key var id: Int64?
    var folderId: Int64
    var text: String
    var isDone: Bool = false
}

/// A folder with its notes: two statements fetch all of them.
@Selection
struct FolderContent {
    var folder: Folder
    var notes: [Note]

    static func all() -> QueryInterfaceRequest<FolderContent> {
        Folder
            .including(all: Folder.notes.order(\.id))
            .order(\.name)
            .asRequest(of: FolderContent.self)
    }
}
