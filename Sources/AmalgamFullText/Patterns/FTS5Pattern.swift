public import AmalgamCore
import AmalgamQuery

/// What to search for in ``FTS5`` tables.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "qui fox")   // qui* fox*
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// // SELECT * FROM "document" WHERE "document" MATCH 'qui* fox*' ORDER BY "rank"
/// ```
///
/// Patterns made of what people type never throw, whatever they type: they are nil when there is nothing to search for,
/// as in "" or "*". Those that are no phrase have the first 4,095 words: FTS5 takes a time that grows with their square,
/// half a minute for a hundred thousand. See <https://www.sqlite.org/fts5.html#full_text_query_syntax>.
public struct FTS5Pattern: Sendable, Hashable {
    /// The pattern, as SQLite reads it.
    public let rawPattern: String

    private static let maximumWordCount = 4095

    /// A pattern written in SQLite's language.
    ///
    /// ```swift
    /// try FTS5Pattern(rawPattern: "NEAR(sqlite database, 5)")
    /// try FTS5Pattern(rawPattern: "title: sqlite", allowedColumns: ["title", "body"])
    /// try FTS5Pattern(rawPattern: "AND")   // fts5: syntax error near "AND"
    /// ```
    ///
    /// It is checked without a database of yours. ``AmalgamCore/Database/makeFTS5Pattern(rawPattern:forTable:)`` takes
    /// the columns of a table.
    ///
    /// - Parameter allowedColumns: the columns that the pattern may name.
    /// - throws: a ``DatabaseError`` when SQLite does not understand the pattern, or when the pattern names another
    ///   column: `no such column: author`.
    public init(rawPattern: String, allowedColumns: [String] = []) throws {
        try withScratchDatabase { db in try Self.check(rawPattern, columns: allowedColumns, in: db) }
        self.rawPattern = rawPattern
    }

    /// Matches documents with any of the words: `foo OR bar`.
    public init?(matchingAnyTokenIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " OR "))
    }

    /// Matches documents with all of the words, in any order: `foo bar`.
    public init?(matchingAllTokensIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " "))
    }

    /// Matches documents with words that begin like all of these: `foo* bar*`.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " ", suffix: "*"))
    }

    /// Matches documents with these words one after the other: `"foo bar"`.
    public init?(matchingPhrase string: String) {
        self.init(known: PlainTokens(string).phrase)
    }

    /// Matches documents that begin with these words: `^"foo bar"`.
    public init?(matchingPrefixPhrase string: String) {
        self.init(known: PlainTokens(string).phrase.map { "^\($0)" })
    }

    private init?(known rawPattern: String?) {
        guard let rawPattern else { return nil }
        self.rawPattern = rawPattern
    }

    /// A pattern that is known to be one.
    package init(known rawPattern: String) {
        self.rawPattern = rawPattern
    }
}

// MARK: - Checks

extension FTS5Pattern {
    /// Searches an empty table with these columns, which is then dropped.
    private static func check(
        _ rawPattern: String, columns: [String], in db: Database, table name: String = "pattern"
    ) throws {
        let names = Set(columns.map { $0.lowercased() })
        var table = name
        while names.contains(table) { table += "_" }
        // A table needs a column, and nobody asks for this one. It has no column twice.
        var seen: Set<String> = []
        let unique = columns.filter { seen.insert($0.lowercased()).inserted }
        let columns = columns.isEmpty ? ["amalgam_placeholder"] : unique
        try db.create(virtualTable: table, using: FTS5()) { t in columns.forEach { t.column($0) } }
        defer { try? db.drop(table: table) }
        try db.execute(sql: "SELECT * FROM \(table) WHERE \(table) MATCH ?", arguments: [rawPattern])
    }

    /// Whether FTS5 understands a pattern, in a table that has its columns. It does unless it says that it does not.
    private static func isPattern(_ rawPattern: String, in db: Database) -> Bool {
        var columns: [String] = []
        while columns.count <= 64 {
            do {
                // Each check makes a new table: the last one still exists if it couldn't be dropped.
                try check(rawPattern, columns: columns, in: db, table: "pattern\(columns.count)")
                return true
            } catch {
                guard let error = error as? DatabaseError, error.saysThatItIsNoPattern else { return true }
                // SQLite names the columns that it misses, one by one.
                guard let column = error.missingColumn, !columns.contains(column) else { return false }
                columns.append(column)
            }
        }
        return false
    }
}

extension Database {
    /// A pattern written in SQLite's language, for a table.
    ///
    /// ```swift
    /// try db.makeFTS5Pattern(rawPattern: "title: sqlite", forTable: "book")
    /// try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "book")   // no such column: missing
    /// ```
    ///
    /// - throws: a ``DatabaseError`` when SQLite does not understand the pattern, or when it names a column that the
    ///   table does not have.
    public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
        let columns = try self.columns(in: table).filter { !$0.isHidden }.map(\.name)
        return try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns)
    }
}

extension FTS5Pattern: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// The pattern of a text; nil for a text that is no pattern. It may name any columns, up to 64 of them.
    ///
    /// Where there is no memory to check it, the text is taken for a pattern: a search tells if it is none.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
        guard let rawPattern = String.fromDatabaseValue(dbValue) else { return nil }
        let isPattern = try? withScratchDatabase { db in Self.isPattern(rawPattern, in: db) }
        return isPattern ?? true ? FTS5Pattern(known: rawPattern) : nil
    }
}

extension DatabaseError {
    /// Whether the error of a search is about its pattern, and not about what the search needs, such as memory: without
    /// memory for its message, it has none of its own.
    var saysThatItIsNoPattern: Bool {
        extendedResultCode == .SQLITE_ERROR && message != DatabaseError(resultCode: .SQLITE_ERROR).message
    }

    fileprivate var missingColumn: String? {
        let words = "no such column: "
        guard let message, message.hasPrefix(words) else { return nil }
        return String(message.dropFirst(words.count))
    }
}
