import AmalgamCore
import AmalgamQuery

/// What the closure that defines an ``FTS5`` table is given.
public final class FTS5TableDefinition {
    /// How text becomes tokens. SQLite's default, when nil, is
    /// ``FTS5TokenizerDescriptor/unicode61(diacritics:categories:separators:tokenCharacters:)``.
    public var tokenizer: FTS5TokenizerDescriptor?

    /// The lengths of prefixes that get an index of their own, in characters: `prefix='2 4'`.
    public var prefixes: Set<Int>?

    /// Whether the sizes of texts are stored: `columnSize=0` saves space, and makes `bm25()` slow.
    public var columnSize: Int?

    /// What the index knows of a token: `detail=full`, its place; `detail=column`, its column; `detail=none`, its row.
    /// Less detail makes smaller indexes, which know no phrases.
    public var detail: String?

    /// Whether rows of a contentless table (`content = ""`) can be deleted and replaced: `contentless_delete=1`. See
    /// <https://www.sqlite.org/fts5.html#contentless_delete_tables>.
    public var contentlessDelete: Bool?

    /// Whether a contentless table stores the columns that are not indexed: `contentless_unindexed=1`. See
    /// <https://www.sqlite.org/fts5.html#the_contentless_unindexed_option>.
    public var contentlessUnindexed: Bool?

    /// Whether texts come with their locale, which tokenizers are told of: `locale=1`. See
    /// ``FTS5/localized(_:locale:)`` and <https://www.sqlite.org/fts5.html#the_locale_option>.
    public var locale: Bool?

    /// Settings that are applied once the table exists.
    ///
    /// ```swift
    /// t.settings = [.secureDelete(true), .automerge(8)]
    /// ```
    public var settings: [FTS5Index.Setting] = []

    let configuration: VirtualTableConfiguration

    private(set) var contentMode = FullTextContent.own

    private var rawContentRowID: String?

    private(set) var columns: [FTS5ColumnDefinition] = []

    init(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
    }

    /// The table that holds the texts: `content='book'`. An empty name makes a contentless table, which has an index
    /// and no texts. See <https://www.sqlite.org/fts5.html#external_content_and_contentless_tables>.
    ///
    /// Setting it undoes ``synchronize(withTable:)``.
    public var content: String? {
        get { contentMode.table }
        set { contentMode = newValue.map { .raw($0) } ?? .own }
    }

    /// The column of the content table that is its rowid: `content_rowid='id'`.
    ///
    /// Setting it undoes ``synchronize(withTable:)``.
    public var contentRowID: String? {
        get { rawContentRowID }
        set {
            rawContentRowID = newValue
            if case .synchronized(let table) = contentMode { contentMode = .raw(table) }
        }
    }

    /// Adds a column. All columns hold text.
    @discardableResult
    public func column(_ name: String) -> FTS5ColumnDefinition {
        let column = FTS5ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes the full-text table an index of another table: it has that table's texts, now and after each change.
    ///
    /// ```swift
    /// try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    /// // CREATE VIRTUAL TABLE "bookSearch" USING fts5(title, content='book', content_rowid='id')
    /// // CREATE TRIGGER "__bookSearch_ai" AFTER INSERT ON "book" BEGIN … END  -- and two more
    /// // INSERT INTO "bookSearch"("bookSearch") VALUES('rebuild')
    /// ```
    ///
    /// The columns must exist in the other table. `INSERT OR REPLACE` calls no trigger for the row that it removes, unless
    /// `PRAGMA recursive_triggers = ON`: see <https://www.sqlite.org/lang_conflict.html>. Before you drop the full-text
    /// table for good, see ``AmalgamCore/Database/dropFTS5SynchronizationTriggers(forTable:)``.
    ///
    /// Each UPDATE of a row of the other table, of whatever column, removes the row's texts from the index and indexes them
    /// again. Keep columns that change often, such as counters, in another table.
    public func synchronize(withTable tableName: String) {
        contentMode = .synchronized(tableName)
        rawContentRowID = nil
    }
}

extension FTS5TableDefinition {
    /// - throws: `SQLITE_MISUSE` for a table without columns, and for a detail that is no word.
    func arguments(_ db: Database) throws -> [String] {
        if columns.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "FTS5 virtual table requires at least one column.")
        }
        if let detail, !detail.utf8.allSatisfy(\.isASCIILetter) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the detail of an FTS5 table is full, column or none: \(detail)")
        }
        var arguments = columns.map(\.argument)
        if let tokenizer { arguments.append(try tokenizer.argument()) }
        arguments.append(text: "content", contentMode.table)
        arguments.append(text: "content_rowid", try contentRowIDColumn(db))
        arguments.append(text: "prefix", prefixes?.sorted().map(String.init).joined(separator: " "))
        arguments.append("columnSize", columnSize.map(String.init))
        arguments.append("detail", detail)
        arguments.append("contentless_delete", contentlessDelete.map { $0 ? "1" : "0" })
        arguments.append("contentless_unindexed", contentlessUnindexed.map { $0 ? "1" : "0" })
        arguments.append("locale", locale.map { $0 ? "1" : "0" })
        return arguments
    }

    private func contentRowIDColumn(_ db: Database) throws -> String? {
        guard case .synchronized(let table) = contentMode else { return rawContentRowID }
        return try FullTextSynchronization.rowIDColumn(ofContentTable: table, in: db)
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

extension [String] {
    /// Adds an option of FTS5 whose value is a text, if it has one.
    fileprivate mutating func append(text option: String, _ value: String?) {
        append(option, value?.quotedText)
    }

    /// Adds an option of FTS5, if it has a value.
    fileprivate mutating func append(_ option: String, _ value: String?) {
        if let value { append("\(option)=\(value)") }
    }
}

/// A column of an ``FTS5`` table.
public final class FTS5ColumnDefinition {
    let name: String
    private var isIndexed = true

    init(name: String) {
        self.name = name
    }

    /// Stores the texts of the column without indexing them: `uuid UNINDEXED`.
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    var argument: String { isIndexed ? name.fullTextName : "\(name.fullTextName) UNINDEXED" }
}
