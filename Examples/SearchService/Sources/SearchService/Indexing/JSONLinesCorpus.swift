import Amalgam
import Foundation

/// A file in which each line is a JSON object: `{"id": "7", "title": "…", "body": "…", "language": "en", "year": 2024}`.
///
/// `body` or `text` is the text of the document. Members without a meaning for the service are its metadata.
final class JSONLinesCorpus: Corpus {
    private let file: URL

    /// - Throws: a `ServiceError` if the file can't be read.
    init(file: URL) throws {
        guard FileManager.default.isReadableFile(atPath: file.path(percentEncoded: false)) else {
            throw ServiceError("There is no file \(file.path(percentEncoded: false)).")
        }
        self.file = file
    }

    var name: String { file.standardizedFileURL.path(percentEncoded: false) }

    func scan(into store: Store, status: IndexStatus) throws {
        let stamp = try stamp()
        let mark = "\(stamp.size) \(stamp.modified)"
        if try store.pool.read({ db in try Setting.value(db, of: .corpusStamp) }) == mark { return }
        status.update { ($0.isIndexing, $0.done, $0.total, $0.problem) = (true, 0, 0, nil) }
        let found = try indexLines(stamp, store, status)
        try store.pool.write { db in
            let all = try Document.all().select(\.id, as: Int64.self).fetchSet(db)
            try DocumentWriter(db).delete(all.subtracting(found))
            try Setting.set(db, .corpusStamp, to: mark)
        }
    }

    private func stamp() throws -> SourceStamp {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        let modified = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return SourceStamp(size: attributes[.size] as? Int ?? 0, modified: Int64(modified * 1e9))
    }

    /// - Returns: the identifiers of the documents of the file.
    private func indexLines(_ stamp: SourceStamp, _ store: Store, _ status: IndexStatus) throws -> Set<Int64> {
        var found = Set<Int64>()
        var lines = try LineReader(file)
        var number = 0
        while true {
            let batch = try lines.next(1_000)
            if batch.isEmpty { return found }
            let documents = batch.compactMap { line in
                number += 1
                return JSONDocument.document(line, number: number, stamp)
            }
            found.formUnion(try store.pool.write { db in try DocumentWriter(db).save(documents) })
            status.update {
                $0.done = number
                $0.total = number
                if documents.count < batch.count { $0.problem = "Some lines aren't JSON objects with a text." }
            }
        }
    }
}
