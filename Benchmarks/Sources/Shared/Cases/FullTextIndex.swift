import Workload

/// Inserts documents of the corpus through one statement, in one transaction, into a full-text table in a new file.
protocol FullTextIndexing: Case {
    static var source: (sql: String, count: Int32) { get }

    /// The tokenizer of the table, and the closure that adds it to a connection.
    static var tokenizer: FullTextTokenizer { get }

    var index: FullTextIndex { get set }
}

struct FullTextTokenizer {
    /// Nil for SQLite's default tokenizer.
    var descriptor: FTS5TokenizerDescriptor?
    var prepare: @Sendable (Database) -> Void = { _ in }
}

/// The documents, in memory, and the file that they are written to.
struct FullTextIndex {
    let folder: Folder
    let documents: [Corpus.Document]
    let tokenizer: FullTextTokenizer
    var queue: DatabaseQueue

    mutating func reset() throws {
        try queue.close()
        var configuration = Configuration.unsynchronized
        configuration.prepareDatabase { [tokenizer] db in tokenizer.prepare(db) }
        queue = try DatabaseQueue(path: folder.fresh("full-text.sqlite"), configuration: configuration)
        try queue.write { db in
            let tokenize = tokenizer.descriptor.map { ", tokenize = '\($0.components.joined(separator: " "))'" } ?? ""
            try db.execute(sql: CORPUS_DOCUMENTS_TABLE + tokenize + CORPUS_END)
        }
    }

    func fill() throws -> Int {
        try queue.write { db in
            let statement = try db.makeStatement(sql: CORPUS_INSERT)
            for document in documents { try statement.execute(arguments: [document.title, document.body]) }
            return 0
        }
    }

    func checksum() throws -> Int {
        try queue.read { db in try Int.fetchOne(db, sql: CORPUS_CHECKSUM)! }
    }
}

extension FullTextIndexing {
    static func index(in folder: Folder) throws -> FullTextIndex {
        FullTextIndex(
            folder: folder, documents: try Corpus().documents(source.sql, count: source.count), tokenizer: tokenizer,
            queue: try DatabaseQueue())
    }

    static var tokenizer: FullTextTokenizer { FullTextTokenizer() }

    mutating func reset() throws { try index.reset() }
    func run() throws -> Int { try index.fill() }
    func checksum(of result: Int) throws -> Int { try index.checksum() }
}

/// 100,000 documents.
struct FullTextIndexed: FullTextIndexing {
    static let name = "full-text-index"
    static let source = (sql: CORPUS_SELECT_DOCUMENTS, count: CORPUS_INDEXED_COUNT)
    var index: FullTextIndex

    init(folder: Folder) throws { index = try Self.index(in: folder) }
}

/// 20,000 documents, with SQLite's tokenizer.
struct FullTextUnicode61: FullTextIndexing {
    static let name = "full-text-unicode61"
    static let source = (sql: CORPUS_SELECT_DOCUMENTS, count: CORPUS_TOKENIZED_COUNT)
    var index: FullTextIndex

    init(folder: Folder) throws { index = try Self.index(in: folder) }
}

/// The same, without stop words: by the stop-word tokenizer of the library, if it has one.
struct FullTextStopWords: FullTextIndexing {
    static let name = "full-text-stop-words"
    static let source = FullTextUnicode61.source
    static let tokenizer = stopWordTokenizer
    var index: FullTextIndex

    init(folder: Folder) throws { index = try Self.index(in: folder) }
}

/// The same, without stop words: by a tokenizer of the application.
struct FullTextWrapper: FullTextIndexing {
    static let name = "full-text-wrapper"
    static let source = FullTextUnicode61.source
    static let tokenizer = StopWordWrapper.tokenizer
    var index: FullTextIndex

    init(folder: Folder) throws { index = try Self.index(in: folder) }
}

/// The C sources of SQLite, with SQLite's tokenizer.
struct FullTextCode: FullTextIndexing {
    static let name = "full-text-code"
    static let source = (sql: CORPUS_SELECT_CODE, count: CORPUS_CODE_COUNT)
    var index: FullTextIndex

    init(folder: Folder) throws { index = try Self.index(in: folder) }
}

/// Omits stop words.
final class StopWordWrapper: FTS5WrapperTokenizer {
    static let name = "stop_word_wrapper"
    static let words: Set<String> = [
        "a", "and", "for", "in", "is", "of", "that", "the", "this", "to", "with", "di", "e", "il", "la", "per", "de",
        "et", "les", "des", "der", "die", "und",
    ]
    static let tokenizer = FullTextTokenizer(descriptor: StopWordWrapper.tokenizerDescriptor()) { db in
        db.add(tokenizer: StopWordWrapper.self)
    }

    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if !Self.words.contains(token) { try tokenCallback(token, flags) }
    }
}
