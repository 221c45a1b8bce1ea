import Workload

/// The C sources of SQLite, with a tokenizer that finds identifiers by their parts.
struct FullTextIdentifiers: FullTextIndexing {
    static let name = "full-text-identifiers"
    static let source = FullTextCode.source
    static let tokenizer = FullTextTokenizer(descriptor: module.descriptor()) { db in db.add(tokenizer: module) }
    private static let module = FTS5TokenizerModule.identifiers()
    var index: FullTextIndex

    init(folder: Folder) throws { index = try Self.index(in: folder) }
}
