import AmalgamCore
import AmalgamQuery

/// What the closure that defines an ``FTS4`` table is given.
public final class FTS4TableDefinition {
    /// How text becomes tokens. SQLite's default, when nil, is ``FTS3TokenizerDescriptor/simple``.
    public var tokenizer: FTS3TokenizerDescriptor?

    /// The SQL function that compresses texts before they are stored: `compress="zip"`. ``uncompress`` must be set, too.
    public var compress: String?

    /// The SQL function that undoes ``compress``: `uncompress="unzip"`.
    public var uncompress: String?

    /// What is stored for `matchinfo()`: `matchinfo="fts3"` leaves out the sizes of texts, which saves space.
    public var matchinfo: String?

    /// The lengths of prefixes that get an index of their own, in characters: `prefix="2,4"`.
    public var prefixes: Set<Int>?

    let configuration: VirtualTableConfiguration

    fileprivate(set) var contentMode = FullTextContent.own

    private var columns: [FTS4ColumnDefinition] = []

    init(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
    }

    /// The table that holds the texts: `content="book"`. An empty name makes a contentless table, which has an index
    /// and no texts. See <https://www.sqlite.org/fts3.html#the_content_option_>.
    ///
    /// Setting it undoes ``synchronize(withTable:)``.
    public var content: String? {
        get { contentMode.table }
        set { contentMode = newValue.map { .raw($0) } ?? .own }
    }

    /// Adds a column. All columns hold text.
    @discardableResult
    public func column(_ name: String) -> FTS4ColumnDefinition {
        let column = FTS4ColumnDefinition(name: name)
        columns.append(column)
        return column
    }

    /// Makes the full-text table an index of another table: it has that table's texts, now and after each change.
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
    /// The columns must exist in the other table. `INSERT OR REPLACE` calls no trigger for the row that it removes, unless
    /// `PRAGMA recursive_triggers = ON`: see <https://www.sqlite.org/lang_conflict.html>. Before you drop the full-text
    /// table for good, see ``AmalgamCore/Database/dropFTS4SynchronizationTriggers(forTable:)``.
    ///
    /// Each UPDATE of a row of the other table, of whatever column, removes the row's texts from the index and indexes them
    /// again. Keep columns that change often, such as counters, in another table.
    public func synchronize(withTable tableName: String) {
        contentMode = .synchronized(tableName)
    }
}

extension FTS4TableDefinition {
    /// The columns that are columns, and not the language of a row.
    var textColumns: [FTS4ColumnDefinition] { columns.filter { !$0.isLanguageID } }

    /// The arguments of the module, in the order in which database files have them.
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
    /// Adds an option of FTS4, if it has a value.
    fileprivate mutating func append(_ option: String, _ value: String?) {
        if let value { append("\(option)=\(value.quotedDatabaseIdentifier)") }
    }
}

/// A column of an ``FTS4`` table.
public final class FTS4ColumnDefinition {
    let name: String
    fileprivate(set) var isIndexed = true
    fileprivate(set) var isLanguageID = false

    init(name: String) {
        self.name = name
    }

    /// Stores the texts of the column without indexing them: `notindexed=uuid`.
    @discardableResult
    public func notIndexed() -> Self {
        isIndexed = false
        return self
    }

    /// Makes the column the language of rows: `languageid="lid"`. It is a hidden column of integers, which tokenizers
    /// are told of; searches find rows of one language only.
    @discardableResult
    public func asLanguageId() -> Self {
        isLanguageID = true
        return self
    }
}
