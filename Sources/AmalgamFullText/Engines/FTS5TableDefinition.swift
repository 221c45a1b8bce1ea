import AmalgamCore
import AmalgamQuery

/// The definition of an ``FTS5`` table.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS5()) { t in
///     t.tokenizer = .porter()
///     t.prefixes = [2, 4]
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "note" USING fts5(body, tokenize='''porter''', prefix='2 4')
/// ```
public final class FTS5TableDefinition {
    /// The tokenizer of the table. If nil, SQLite uses
    /// ``FTS5TokenizerDescriptor/unicode61(diacritics:categories:separators:tokenCharacters:)``.
    public var tokenizer: FTS5TokenizerDescriptor?

    /// The lengths, in characters, of the prefixes that the table indexes separately: `prefix='2 4'`.
    public var prefixes: Set<Int>?

    /// The option `columnsize`: with 1, the default, the table stores the number of tokens of each value.
    /// `columnsize=0` saves this space, but makes `bm25()` slow.
    public var columnSize: Int?

    /// What the index stores for each occurrence of a token:
    /// - `full`, the default: its row, column and offset;
    /// - `column`: its row and column;
    /// - `none`: its row.
    ///
    /// `detail=column` and `detail=none` save space, but don't support phrase queries.
    public var detail: String?

    /// Whether rows of a contentless table (`content = ""`) can be deleted and replaced: `contentless_delete=1`. See
    /// <https://www.sqlite.org/fts5.html#contentless_delete_tables>.
    public var contentlessDelete: Bool?

    /// Whether a contentless table stores its unindexed columns: `contentless_unindexed=1`. See
    /// <https://www.sqlite.org/fts5.html#the_contentless_unindexed_option>.
    public var contentlessUnindexed: Bool?

    /// Whether values can have a locale, which is passed to the tokenizer: `locale=1`. See
    /// ``FTS5/localized(_:locale:)`` and <https://www.sqlite.org/fts5.html#the_locale_option>.
    public var locale: Bool?

    /// The settings to apply after the table is created.
    ///
    /// ```swift
    /// try db.create(virtualTable: "note", using: FTS5()) { t in
    ///     t.settings = [.secureDelete(true), .automerge(8)]
    ///     t.column("body")
    /// }
    /// ```
    public var settings: [FTS5Index.Setting] = []

    let configuration: VirtualTableConfiguration

    private(set) var contentMode = FullTextContent.own

    /// The column of the content table with the locales of the rows.
    private(set) var localeColumn: String?

    private var rawContentRowID: String?

    private(set) var columns: [FTS5ColumnDefinition] = []

    init(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
    }

    /// The external content table: `content='book'`. If nil, the full-text table stores the content itself. If the
    /// string is empty, the full-text table is contentless: it has an index, but doesn't store content. See
    /// <https://www.sqlite.org/fts5.html#external_content_and_contentless_tables>.
    ///
    /// Setting this property reverts an earlier call of ``synchronize(withTable:)``: no triggers are created.
    public var content: String? {
        get { contentMode.table }
        set {
            contentMode = newValue.map { .raw($0) } ?? .own
            localeColumn = nil
        }
    }

    /// The rowid column of the content table: `content_rowid='id'`.
    ///
    /// Setting this property reverts an earlier call of ``synchronize(withTable:)``: no triggers are created.
    public var contentRowID: String? {
        get { rawContentRowID }
        set {
            rawContentRowID = newValue
            if case .synchronized(let table) = contentMode { contentMode = .raw(table) }
        }
    }

    /// Adds a column, which stores TEXT values.
    ///
    /// ```swift
    /// try db.create(virtualTable: "note", using: FTS5()) { t in
    ///     t.column("body")
    ///     t.column("uuid").notIndexed()
    /// }
    /// // CREATE VIRTUAL TABLE "note" USING fts5(body, uuid UNINDEXED)
    /// ```
    @discardableResult
    public func column(_ name: String) -> FTS5ColumnDefinition {
        let column = FTS5ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes another table the external content table, and creates triggers that update the full-text index after each
    /// change of that table.
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
    /// The content table must have the columns of the full-text table. If you drop the full-text table, drop its
    /// triggers as well: see ``Database/dropFTS5SynchronizationTriggers(forTable:)``.
    ///
    /// `INSERT OR REPLACE` doesn't run the delete triggers for a replaced row, unless `PRAGMA recursive_triggers = ON`:
    /// see <https://www.sqlite.org/lang_conflict.html>. Without this setting, the index keeps the terms of the replaced
    /// row.
    ///
    /// Each UPDATE of a row of the content table deletes the row from the index and inserts it again, even if no
    /// indexed column changes. Store columns that change often, such as counters, in a different table.
    ///
    /// The content table should have an `INTEGER PRIMARY KEY`. Without one, `VACUUM` may change the rowids of its rows
    /// (<https://sqlite.org/lang_vacuum.html>), and the index then finds other rows, or throws `SQLITE_CORRUPT`: call
    /// ``FTS5Index/rebuild(_:)`` after each `VACUUM`. `VACUUM INTO` and `export(to:passphrase:)` keep the rowids.
    public func synchronize(withTable tableName: String) {
        contentMode = .synchronized(tableName)
        rawContentRowID = nil
        localeColumn = nil
    }

    /// Makes another table the external content table, as ``synchronize(withTable:)`` does. A column of this table tells
    /// the locale of each row, such as `fr` or `de_AT`, for tokenizers that know several languages.
    ///
    /// ```swift
    /// try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
    ///     t.tokenizer = .snowball(languages: [.english, .french])
    ///     t.synchronize(withTable: "book", localeColumn: "language")
    ///     t.column("title")
    /// }
    /// // CREATE VIRTUAL TABLE "bookSearch" USING fts5(title, tokenize=…, content='__bookSearch_localized',
    /// //     content_rowid='id', locale=1)
    /// // CREATE VIEW "__bookSearch_localized" AS SELECT "id", fts5_locale("language", "title") AS "title" FROM "book"
    /// // CREATE TRIGGER "__bookSearch_ai" AFTER INSERT ON "book" BEGIN … END  -- and two more
    /// // INSERT INTO "bookSearch"("bookSearch") VALUES('rebuild')
    /// ```
    ///
    /// Rows whose locale is NULL have no locale. A column of the full-text table may have its own locale: see
    /// ``FTS5ColumnDefinition/locale(_:)``. FTS5 reads the content through a view, which
    /// ``Database/dropFTS5SynchronizationTriggers(forTable:)`` drops together with the triggers.
    ///
    /// See <https://www.sqlite.org/fts5.html#the_locale_option>.
    public func synchronize(withTable tableName: String, localeColumn: String) {
        synchronize(withTable: tableName)
        self.localeColumn = localeColumn
    }

    /// The locales of the columns that have one.
    var locales: [String: ContentLocale] {
        var locales: [String: ContentLocale] = [:]
        for column in columns {
            locales[column.name] = column.locale.map { .fixed($0) } ?? localeColumn.map { .column($0) }
        }
        return locales
    }

    private var isLocalized: Bool { !locales.isEmpty }
}

extension FTS5TableDefinition {
    /// Returns the arguments of `CREATE VIRTUAL TABLE … USING fts5(…)`: the columns, then the options.
    ///
    /// - Throws: `SQLITE_MISUSE` for a table without columns, for a `detail` with characters other than ASCII letters, or
    ///   for a column with a locale in a table that isn't synchronized; `SQLITE_ERROR` for wrong arguments of stemmers.
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
        if let tokenizer {
            arguments.append(try tokenizer.argument())
            try tokenizer.checkStemmers(on: db)
        }
        arguments.append(text: "content", try contentTable())
        arguments.append(text: "content_rowid", try contentRowIDColumn(db))
        arguments.append(text: "prefix", prefixes?.sorted().map(String.init).joined(separator: " "))
        arguments.append("columnSize", columnSize.map(String.init))
        arguments.append("detail", detail)
        arguments.append("contentless_delete", contentlessDelete.map { $0 ? "1" : "0" })
        arguments.append("contentless_unindexed", contentlessUnindexed.map { $0 ? "1" : "0" })
        arguments.append("locale", (isLocalized ? true : locale).map { $0 ? "1" : "0" })
        return arguments
    }

    /// The value of the option `content`: a view if the table is synchronized and has locales.
    private func contentTable() throws -> String? {
        guard isLocalized else { return contentMode.table }
        guard case .synchronized = contentMode else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "only columns of a synchronized table have a locale: insert FTS5.localized(_:locale:)")
        }
        return FullTextSynchronization.localizedView(ofFullTextTable: configuration.tableName)
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
    /// Adds an FTS5 option whose value is a string literal, if it isn't nil.
    fileprivate mutating func append(text option: String, _ value: String?) {
        append(option, value?.quotedText)
    }

    /// Adds an FTS5 option if its value isn't nil.
    fileprivate mutating func append(_ option: String, _ value: String?) {
        if let value { append("\(option)=\(value)") }
    }
}

/// A column of an ``FTS5`` table.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS5()) { t in
///     let uuid = t.column("uuid")
///     uuid.notIndexed()
///     t.column("body")
/// }
/// ```
public final class FTS5ColumnDefinition {
    let name: String
    private var isIndexed = true

    private(set) var locale: String?

    init(name: String) {
        self.name = name
    }

    /// Excludes the column from the index, but stores its values: `uuid UNINDEXED`.
    ///
    /// ```swift
    /// try db.create(virtualTable: "note", using: FTS5()) { t in
    ///     t.column("uuid").notIndexed()
    ///     t.column("body")
    /// }
    /// // CREATE VIRTUAL TABLE "note" USING fts5(uuid UNINDEXED, body)
    /// ```
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    /// Makes a locale, such as `fr`, the one of all values of the column. The table must be synchronized with a content
    /// table.
    ///
    /// ```swift
    /// try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
    ///     t.tokenizer = .snowball(languages: [.english, .french])
    ///     t.synchronize(withTable: "book")
    ///     t.column("title").locale("en")
    ///     t.column("titre").locale("fr")
    /// }
    /// ```
    ///
    /// If the table isn't synchronized, creating it throws `SQLITE_MISUSE`. Insert ``FTS5/localized(_:locale:)`` into
    /// such a table.
    @discardableResult
    public func locale(_ locale: String) -> Self {
        self.locale = locale
        return self
    }

    var argument: String { isIndexed ? name.fullTextName : "\(name.fullTextName) UNINDEXED" }
}
