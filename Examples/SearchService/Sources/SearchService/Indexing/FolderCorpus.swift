import Amalgam
import Foundation
import Synchronization

/// The files of a folder. The files are only read.
final class FolderCorpus: Corpus {
    private let folder: URL

    /// The files of the last scan, including those that aren't indexed; nil before the first scan.
    private let seen = Mutex<[String: SourceStamp]?>(nil)

    /// - Throws: a `ServiceError` if there is no such folder.
    init(folder: URL) throws {
        guard (try? folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else {
            throw ServiceError("There is no folder \(folder.path(percentEncoded: false)).")
        }
        self.folder = folder
    }

    var name: String { folder.standardizedFileURL.path(percentEncoded: false) }

    func scan(into store: Store, status: IndexStatus) throws {
        let known = try seen.withLock { $0 } ?? Self.indexed(store)
        let files = FileList(folder: folder).files
        let changed = files.filter { known[$0.path] != $0.stamp }
        status.update { ($0.isIndexing, $0.done, $0.total) = (!changed.isEmpty, 0, changed.count) }
        for batch in Batches(changed, size: \.stamp.size) {
            try index(batch, store)
            status.update { $0.done += batch.count }
        }
        try delete(Set(known.keys).subtracting(files.map(\.path)), store)
        seen.withLock { $0 = Dictionary(files.map { ($0.path, $0.stamp) }) { first, _ in first } }
    }

    private static func indexed(_ store: Store) throws -> [String: SourceStamp] {
        try store.pool.read { db in
            let rows = try Row.fetchCursor(
                db, sql: "SELECT path, size, source.modified FROM source JOIN document ON id = documentID")
            var stamps: [String: SourceStamp] = [:]
            while let row = try rows.next() { stamps[row[0]] = SourceStamp(size: row[1], modified: row[2]) }
            return stamps
        }
    }

    private func index(_ files: ArraySlice<FileList.File>, _ store: Store) throws {
        let documents = files.map { ($0.path, TextFile.document($0)) }
        let unreadable = documents.filter { $0.1 == nil }.map(\.0)
        _ = try store.pool.write { db in try DocumentWriter(db).save(documents.compactMap(\.1)) }
        try delete(unreadable, store)
    }

    private func delete(_ paths: some Collection<String>, _ store: Store) throws {
        if paths.isEmpty { return }
        try store.pool.write { db in
            let ids = try Document.filter { paths.contains($0.path) }.select(\.id, as: Int64.self).fetchAll(db)
            try DocumentWriter(db).delete(ids)
        }
    }
}
