import AmalgamCore
import AmalgamQuery

/// The definition of an ``FTS4`` table.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS4()) { t in
///     t.prefixes = [2, 4]
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "note" USING fts4(body, prefix="2,4")
/// ```
public final class FTS4TableDefinition {
    /// The tokenizer of the table. If nil, SQLite uses ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The SQL function that compresses stored content: `compress="zip"`. Set ``uncompress``, too.
    public var compress: String?

    /// The SQL function that decompresses stored content: `uncompress="unzip"`.
    public var uncompress: String?

    /// The option `matchinfo`. With `matchinfo="fts3"`, the table doesn't store the number of tokens of each value.
    /// This saves space, but the SQL function `matchinfo()` doesn't support the format character "l".
    public var matchinfo: String?

    /// The lengths, in characters, of the prefixes that the table indexes separately: `prefix="2,4"`.
    public var prefixes: Set<Int>?

    let configuration: VirtualTableConfiguration

    fileprivate(set) var contentMode = FullTextContent.own

    private var columns: [FTS4ColumnDefinition] = []

    init(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
    }

    /// The external content table: `content="book"`. If nil, the full-text table stores the content itself. If the
    /// string is empty, the full-text table is contentless: it has an index, but doesn't store content. See
    /// <https://www.sqlite.org/fts3.html#the_content_option_>.
    ///
    /// Setting this property reverts an earlier call of ``synchronize(withTable:)``: no triggers are created.
    public var content: String? {
        get { contentMode.table }
        set { contentMode = newValue.map { .raw($0) } ?? .own }
    }

    /// Adds a column, which stores TEXT values.
    ///
    /// ```swift
    /// try db.create(virtualTable: "note", using: FTS4()) { t in
    ///     t.column("body")
    ///     t.column("uuid").notIndexed()
    /// }
    /// // CREATE VIRTUAL TABLE "note" USING fts4(body, uuid, notindexed=uuid)
    /// ```
    @discardableResult
    public func column(_ name: String) -> FTS4ColumnDefinition {
        let column = FTS4ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes another table the external content table, and creates triggers that update the full-text index after each
    /// change of that table.
    ///
    /// ```swift
    /// try db.create(virtualTable: "bookSearch", using: FTS4()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    /// // CREATE VIRTUAL TABLE "bookSearch" USING fts4(title, content="book")
    /// // CREATE TRIGGER "__bookSearch_bu" BEFORE UPDATE ON "book" BEGIN … END  -- and three more
    /// // INSERT INTO "bookSearch"("bookSearch") VALUES('rebuild')
    /// ```
    ///
    /// The content table must have the columns of the full-text table. If you drop the full-text table, drop its
    /// triggers as well: see ``Database/dropFTS4SynchronizationTriggers(forTable:)``.
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
    /// ``FTS4Index/rebuild(_:)`` after each `VACUUM`. `VACUUM INTO` and `export(to:passphrase:)` keep the rowids.
    public func synchronize(withTable tableName: String) {
        contentMode = .synchronized(tableName)
    }
}

extension FTS4TableDefinition {
    /// The columns without the language id column.
    var textColumns: [FTS4ColumnDefinition] { columns.filter { !$0.isLanguageID } }

    /// The arguments of the module, in the order that existing database files use.
    var arguments: [String] {
        var arguments = [tokenizer?.argument].compactMap(\.self)
        for column in textColumns {
            arguments.append(column.name.fullTextName)
            if !column.isIndexed { arguments.append("notindexed=\(column.name.fullTextName)") }
        }
        for column in columns where column.isLanguageID { arguments.append("languageid", column.name) }
        arguments.append("content", contentMode.table)
        arguments.append("compress", compress)
        arguments.append("uncompress", uncompress)
        arguments.append("matchinfo", matchinfo)
        arguments.append("prefix", prefixes?.sorted().map(String.init).joined(separator: ","))
        return arguments
    }
}

extension [String] {
    /// Adds an FTS4 option if its value isn't nil.
    fileprivate mutating func append(_ option: String, _ value: String?) {
        if let value { append("\(option)=\(value.quotedDatabaseIdentifier)") }
    }
}

/// A column of an ``FTS4`` table.
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS4()) { t in
///     t.column("body")
///     let uuid = t.column("uuid")
///     uuid.notIndexed()
/// }
/// ```
public final class FTS4ColumnDefinition {
    let name: String
    fileprivate(set) var isIndexed = true
    fileprivate(set) var isLanguageID = false

    init(name: String) {
        self.name = name
    }

    /// Excludes the column from the index, but stores its values: `notindexed=uuid`.
    ///
    /// ```swift
    /// try db.create(virtualTable: "note", using: FTS4()) { t in
    ///     t.column("body")
    ///     t.column("uuid").notIndexed()
    /// }
    /// // CREATE VIRTUAL TABLE "note" USING fts4(body, uuid, notindexed=uuid)
    /// ```
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    /// Makes the column a hidden INTEGER column with the language id of each row: `languageid="lid"`. A search only
    /// finds rows with the language id 0, unless the query has a condition on the column, such as `lid = 2`.
    ///
    /// ```swift
    /// try db.create(virtualTable: "note", using: FTS4()) { t in
    ///     t.column("body")
    ///     t.column("lid").asLanguageId()
    /// }
    /// // CREATE VIRTUAL TABLE "note" USING fts4(body, languageid="lid")
    /// ```
    @discardableResult
    public func asLanguageId() -> Self {
        isLanguageID = true
        return self
    }
}
