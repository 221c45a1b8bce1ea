public import AmalgamCore

/// A tokenizer written in Swift, which tables refer to by its name.
///
/// ```swift
/// final class LetterTokenizer: FTS5CustomTokenizer {
///     static let name = "letters"
///     init(db: Database, arguments: [String]) {}
///
///     func tokenize(
///         context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
///         nText: CInt, tokenCallback: @escaping FTS5TokenCallback
///     ) -> CInt {
///         for offset in 0..<nText {
///             let code = tokenCallback(context, 0, pText! + Int(offset), 1, offset, offset + 1)
///             if code != 0 { return code }
///         }
///         return 0
///     }
/// }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in db.add(tokenizer: LetterTokenizer.self) }
/// try db.create(virtualTable: "word", using: FTS5()) { t in
///     t.tokenizer = LetterTokenizer.tokenizerDescriptor()
///     t.column("text")
/// }
/// // CREATE VIRTUAL TABLE "word" USING fts5(text, tokenize='''letters''')
/// ```
///
/// If a tokenizer fails while a row is written, the statement fails with the tokenizer's error. SQLite doesn't undo the
/// changes that the statement has already made to the index. Therefore, roll back the transaction, or write in a
/// savepoint.
///
/// A tokenizer may read from the connection. When SQLite calls a tokenizer, the tokenizer's writes on this connection
/// throw `SQLITE_READONLY`: they could corrupt the index that is being written, or disturb the query that is running.
///
/// SQLite creates a tokenizer for each table and connection. Applications without the tokenizer can't use the table. If
/// the table is synchronized with a content table, these applications can't write to the content table either.
///
/// ``FTS5WrapperTokenizer`` changes the tokens of a different tokenizer. ``FTS5TokenizerModule`` provides the
/// tokenizers of this package.
public protocol FTS5CustomTokenizer: FTS5Tokenizer, SendableMetatype {
    /// The name by which tables refer to the tokenizer. The names `ascii`, `porter`, `unicode61` and `trigram` belong
    /// to tokenizers of SQLite.
    static var name: String { get }

    /// Creates a tokenizer.
    ///
    /// - Parameters:
    ///   - db: The connection. To create a wrapped tokenizer, call ``Database/makeTokenizer(_:)``.
    ///   - arguments: The arguments that follow the name in the descriptor.
    /// - Throws: Any error. The statement that uses the table fails with this error.
    init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
    /// Returns the descriptor with which tables use the tokenizer.
    ///
    /// ```swift
    /// LetterTokenizer.tokenizerDescriptor(arguments: ["lowercase"]).components   // ["letters", "lowercase"]
    /// ```
    ///
    /// - Parameter arguments: The arguments of the initializer.
    public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }
}
