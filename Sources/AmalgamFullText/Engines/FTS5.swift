public import AmalgamCore
public import CAmalgam

/// The full-text engine FTS5, which ranks matches.
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
    /// Creates the FTS5 engine.
    public init() {}

    /// Returns the C functions of FTS5 on a connection: <https://www.sqlite.org/fts5.html#extending_fts5>.
    ///
    /// For tokenizers and auxiliary functions in Swift, use ``FTS5Tokenizer`` and ``FTS5Function``.
    ///
    /// The program traps if the connection is closed, or if another virtual table module is registered with the name
    /// "fts5".
    public static func api(_ db: Database) -> UnsafePointer<fts5_api> {
        guard let api = functions(db) else { fatalError("FTS5 is not available") }
        return UnsafePointer(api)
    }

    /// The C functions of FTS5; nil if the connection is closed, or if another module has the name "fts5".
    private static func functions(_ db: Database) -> UnsafeMutablePointer<fts5_api>? {
        db.sqliteConnection.flatMap { amalgam_fts5_api($0) }
    }

    /// Returns the C functions of FTS5 on a connection. Call this function in a database access, such as the closure of
    /// `read` or `write`.
    ///
    /// - Throws: `SQLITE_MISUSE` outside of a database access, or if another module has the name "fts5".
    static func functions(inAccessTo db: Database) throws -> UnsafeMutablePointer<fts5_api> {
        try db.checkAccess()
        guard let functions = functions(db) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a module named fts5 has taken the place of FTS5")
        }
        return functions
    }
}
