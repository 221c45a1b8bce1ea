import Amalgam

// guide: store
/// What the commands do. Each method is one transaction.
struct Store {
    let writer: any DatabaseWriter

    init(_ writer: any DatabaseWriter) throws {
        self.writer = writer
        try migrator.migrate(writer)
    }

    /// Adds a note to a folder, which is made if there is none of this name.
    func add(_ text: String, to folderName: String) async throws {
        try await writer.write { db in
            var folder = try Folder.filter { $0.name == folderName }.fetchOne(db) ?? Folder(name: folderName)
            if folder.id == nil { try folder.insert(db) }
            var note = Note(folderId: folder.id!, text: text)
            try note.insert(db)
        }
    }
}
// end

// guide: finish
extension Store {
    /// Returns whether there was such a note that wasn't done.
    func finish(_ id: Int64) async throws -> Bool {
        try await writer.write { db in
            try Note.filter { $0.id == id && !$0.isDone }.updateAll(db) { $0.isDone.set(to: true) } > 0
        }
    }
}
// end

// guide: list
extension Store {
    func content() async throws -> [FolderContent] {
        try await writer.read { db in try FolderContent.all().fetchAll(db) }
    }
}
// end

// guide: watch
extension Store {
    /// The content now, and after each transaction that changes it.
    func contents() -> AsyncValueObservation<[FolderContent]> {
        ValueObservation.tracking { db in try FolderContent.all().fetchAll(db) }
            .includingExternalChanges()
            .values(in: writer)
    }
}
// end
