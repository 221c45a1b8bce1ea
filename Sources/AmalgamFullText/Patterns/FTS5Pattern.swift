public import AmalgamCore
import AmalgamQuery

/// A full-text pattern for ``FTS5`` tables.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "qui fox")   // qui* fox*
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// // SELECT * FROM "document" WHERE "document" MATCH 'qui* fox*' ORDER BY "rank"
/// ```
///
/// The failable initializers accept any user input, and never throw. They return nil if the input contains no token, as
/// in "" or "*". They use only the first 4,095 tokens, because the time of a search grows with the square of the number
/// of tokens: half a minute for 100,000 tokens. For phrases, there is no such limit. See
/// <https://www.sqlite.org/fts5.html#full_text_query_syntax>.
public struct FTS5Pattern: Sendable, Hashable {
    /// The pattern in the FTS5 query syntax.
    public let rawPattern: String

    private static let maximumWordCount = 4095

    /// Creates a pattern from the FTS5 query syntax.
    ///
    /// ```swift
    /// try FTS5Pattern(rawPattern: "NEAR(sqlite database, 5)")
    /// try FTS5Pattern(rawPattern: "title: sqlite", allowedColumns: ["title", "body"])
    /// try FTS5Pattern(rawPattern: "AND")   // fts5: syntax error near "AND"
    /// ```
    ///
    /// The pattern is validated in a temporary in-memory database. To validate it against the columns of a table, call
    /// ``Database/makeFTS5Pattern(rawPattern:forTable:)``.
    ///
    /// - Parameter allowedColumns: The columns that the pattern may name.
    /// - Throws: A ``DatabaseError`` if the pattern is malformed, or names a column that isn't in `allowedColumns`.
    public init(rawPattern: String, allowedColumns: [String] = []) throws {
        try withScratchDatabase { db in try Self.check(rawPattern, columns: allowedColumns, in: db) }
        self.rawPattern = rawPattern
    }

    /// Creates a pattern for documents with at least one of the tokens: `foo OR bar`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "foo bar")   // foo OR bar
    /// ```
    public init?(matchingAnyTokenIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " OR "))
    }

    /// Creates a pattern for documents with all tokens, in any order: `foo bar`.
    ///
    /// Returns nil if the string contains no token.
    public init?(matchingAllTokensIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " "))
    }

    /// Creates a pattern for documents with a token for each of the prefixes: `foo* bar*`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS5Pattern(matchingAllPrefixesIn: "foo bar")   // foo* bar*
    /// ```
    public init?(matchingAllPrefixesIn string: String) {
        self.init(known: PlainTokens(string).prefix(Self.maximumWordCount).joined(separator: " ", suffix: "*"))
    }

    /// Creates a pattern for documents with the phrase: `"foo bar"`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS5Pattern(matchingPhrase: "foo bar")   // "foo bar"
    /// ```
    public init?(matchingPhrase string: String) {
        self.init(known: PlainTokens(string).phrase)
    }

    /// Creates a pattern for documents with a column that begins with the phrase: `^"foo bar"`.
    ///
    /// Returns nil if the string contains no token.
    ///
    /// ```swift
    /// let pattern = FTS5Pattern(matchingPrefixPhrase: "foo bar")   // ^"foo bar"
    /// ```
    public init?(matchingPrefixPhrase string: String) {
        self.init(known: PlainTokens(string).phrase.map { "^\($0)" })
    }

    private init?(known rawPattern: String?) {
        guard let rawPattern else { return nil }
        self.rawPattern = rawPattern
    }

    /// Creates a pattern without validation.
    package init(known rawPattern: String) {
        self.rawPattern = rawPattern
    }
}

// MARK: - Checks

extension FTS5Pattern {
    /// Validates a pattern by a search in an empty table with these columns, which is then dropped.
    private static func check(
        _ rawPattern: String, columns: [String], in db: Database, table name: String = "pattern"
    ) throws {
        let names = Set(columns.map(TableName.init))
        var table = name
        while names.contains(TableName(table)) { table += "_" }
        // A table needs at least one column. The placeholder is in no pattern. Duplicate columns are removed.
        var seen: Set<TableName> = []
        let unique = columns.filter { seen.insert(TableName($0)).inserted }
        let columns = columns.isEmpty ? ["amalgam_placeholder"] : unique
        try db.create(virtualTable: table, using: FTS5()) { t in columns.forEach { t.column($0) } }
        defer { try? db.drop(table: table) }
        try db.execute(sql: "SELECT * FROM \(table) WHERE \(table) MATCH ?", arguments: [rawPattern])
    }

    /// Returns whether a pattern is valid in a table that has all columns that the pattern names. Also returns true if
    /// the check fails for a reason other than the pattern, such as exhausted memory.
    private static func isPattern(_ rawPattern: String, in db: Database) -> Bool {
        var columns: [String] = []
        while columns.count <= 64 {
            do {
                // Each check creates a new table, because the previous one still exists if it couldn't be dropped.
                try check(rawPattern, columns: columns, in: db, table: "pattern\(columns.count)")
                return true
            } catch {
                guard let error = error as? DatabaseError, error.saysThatItIsNoPattern else { return true }
                // SQLite reports missing columns one by one.
                guard let column = error.missingColumn, !columns.contains(column) else { return false }
                columns.append(column)
            }
        }
        return false
    }
}

extension Database {
    /// Creates a pattern for a table from the FTS5 query syntax.
    ///
    /// ```swift
    /// try db.makeFTS5Pattern(rawPattern: "title: sqlite", forTable: "book")
    /// try db.makeFTS5Pattern(rawPattern: "missing: sqlite", forTable: "book")   // no such column: missing
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the pattern is malformed, or names a column that the table doesn't have.
    public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
        let columns = try self.columns(in: table).filter { !$0.isHidden }.map(\.name)
        return try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns)
    }
}

extension FTS5Pattern: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Decodes a pattern from a TEXT value. Returns nil if the pattern is malformed, or names more than 64 columns.
    /// This method doesn't check whether a table has these columns.
    ///
    /// If memory is exhausted during the validation, this method returns the pattern without validation. Searches with
    /// a malformed pattern then throw an error.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
        guard let rawPattern = String.fromDatabaseValue(dbValue) else { return nil }
        let isPattern = try? withScratchDatabase { db in Self.isPattern(rawPattern, in: db) }
        return isPattern ?? true ? FTS5Pattern(known: rawPattern) : nil
    }
}

extension DatabaseError {
    /// Whether a search failed because of its pattern. Other failures, such as exhausted memory, may also have the code
    /// `SQLITE_ERROR`, but only with the generic message of this code.
    var saysThatItIsNoPattern: Bool {
        extendedResultCode == .SQLITE_ERROR && message != DatabaseError(resultCode: .SQLITE_ERROR).message
    }

    fileprivate var missingColumn: String? {
        let words = "no such column: "
        guard let message, message.hasPrefix(words) else { return nil }
        return String(message.dropFirst(words.count))
    }
}
