import Foundation
import Workload

/// A corpus of real text, created by `scripts/corpus`.
struct Corpus {
    let path: String

    init() throws {
        guard let path = ProcessInfo.processInfo.environment[CORPUS_VARIABLE],
            FileManager.default.isReadableFile(atPath: path)
        else { throw MissingCorpus() }
        self.path = path
    }

    struct Document {
        var title: String
        var body: String
    }

    func documents(_ sql: String, count: Int32) throws -> [Document] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        return try queue.read { db in
            try Row.fetchAll(db, sql: sql, arguments: [count]).map { Document(title: $0[0], body: $0[1]) }
        }
    }
}

struct MissingCorpus: Error, CustomStringConvertible {
    let description = "there is no corpus at \(CORPUS_VARIABLE): scripts/corpus makes it"
}

extension Folder {
    /// Returns the path of an index with a number of documents of the corpus.
    func documents(_ count: Int) throws -> String {
        let attach = "ATTACH '\(try Corpus().path.replacing("'", with: "''"))' AS corpus"
        return try fixture(
            CORPUS_FILE.replacing("%lld", with: "\(count)"),
            script: [
                CORPUS_DOCUMENTS_TABLE + CORPUS_END, attach, CORPUS_INDEX.replacing("%lld", with: "\(count)"),
            ])
    }
}
