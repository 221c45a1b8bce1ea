import Workload

/// The 20 best documents for each of 30 patterns, in an index of the corpus.
protocol FullTextSearching: Case {
    static var documentCount: Int { get }
    var search: FullTextSearch { get }
    init(search: FullTextSearch)
}

struct FullTextSearch {
    let queue: DatabaseQueue
    let patterns: [FTS5Pattern]

    init(folder: Folder, documentCount: Int) throws {
        queue = try DatabaseQueue(path: folder.documents(documentCount))
        patterns = try CORPUS_PATTERNS.split(separator: "|").map { pattern in
            try FTS5Pattern(rawPattern: String(pattern), allowedColumns: ["title", "body"])
        }
    }

    func run() throws -> Int {
        try queue.read { db in
            try patterns.reduce(0) { sum, pattern in
                try FoundDocument.matching(pattern).order(Column.rank).limit(20).fetchAll(db)
                    .reduce(sum) { $0 &+ Int($1.id) &+ $1.title.utf8.count }
            }
        }
    }
}

struct FoundDocument: TableRecord, FetchableRecord {
    static let databaseTableName = "document"
    static var databaseSelection: [any SQLSelectable] { [Column.rowID, Column("title")] }

    var id: Int64
    var title: String

    init(row: Row) {
        id = row[0]
        title = row[1]
    }
}

extension FullTextSearching {
    init(folder: Folder) throws {
        self.init(search: try FullTextSearch(folder: folder, documentCount: Self.documentCount))
    }

    func run() throws -> Int { try search.run() }
}

struct FullTextSearched: FullTextSearching {
    static let name = "full-text-search"
    static let documentCount = Int(CORPUS_INDEXED_COUNT)
    let search: FullTextSearch
}

struct FullTextSearched10000: FullTextSearching {
    static let name = "full-text-search-10000"
    static let documentCount = 10_000
    let search: FullTextSearch
}

struct FullTextSearched30000: FullTextSearching {
    static let name = "full-text-search-30000"
    static let documentCount = 30_000
    let search: FullTextSearch
}

struct FullTextSearched100000: FullTextSearching {
    static let name = "full-text-search-100000"
    static let documentCount = 100_000
    let search: FullTextSearch
}

struct FullTextSearched300000: FullTextSearching {
    static let name = "full-text-search-300000"
    static let documentCount = 300_000
    let search: FullTextSearch
}

struct FullTextSearched1000000: FullTextSearching {
    static let name = "full-text-search-1000000"
    static let documentCount = 1_000_000
    let search: FullTextSearch
}
