public import AmalgamCore
public import CAmalgam

/// The full-text engine FTS5: tables with words that are searched for, ranked.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .porter()
///     t.column("title")
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "document" USING fts5(title, body, tokenize='''porter''')
///
/// let pattern = FTS5Pattern(matchingAllTokensIn: "quick foxes")
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
///
/// See <https://www.sqlite.org/fts5.html>.
public struct FTS5: Sendable {
    /// The engine.
    public init() {}

    /// The C functions of FTS5 on a connection: <https://www.sqlite.org/fts5.html#extending_fts5>.
    ///
    /// Swift has its own ways to them: tokenizers, and ``FTS5Function``.
    ///
    /// The program stops when the connection is closed, or when another module of virtual tables took the name "fts5".
    public static func api(_ db: Database) -> UnsafePointer<fts5_api> {
        guard let api = functions(db) else { fatalError("FTS5 is not available") }
        return UnsafePointer(api)
    }

    /// The C functions of FTS5 on a connection; nil when it is closed, or when another module took the name.
    private static func functions(_ db: Database) -> UnsafeMutablePointer<fts5_api>? {
        db.sqliteConnection.flatMap { amalgam_fts5_api($0) }
    }

    /// The C functions of FTS5 on a connection, for an access.
    ///
    /// - throws: `SQLITE_MISUSE` outside of an access, or when another module took the name.
    static func functions(inAccessTo db: Database) throws -> UnsafeMutablePointer<fts5_api> {
        try db.checkAccess()
        guard let functions = functions(db) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a module named fts5 has taken the place of FTS5")
        }
        return functions
    }
}
