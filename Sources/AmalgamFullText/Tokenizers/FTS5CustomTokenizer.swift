public import AmalgamCore

/// A tokenizer written in Swift, with a name by which tables refer to it.
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
/// configuration.prepareDatabase { db in db.add(tokenizer: LetterTokenizer.self) }
/// try db.create(virtualTable: "word", using: FTS5()) { t in
///     t.tokenizer = LetterTokenizer.tokenizerDescriptor()
///     t.column("text")
/// }
/// // CREATE VIRTUAL TABLE "word" USING fts5(text, tokenize='''letters''')
/// ```
///
/// An error while a row is written is that of the statement. SQLite does not undo what the statement has done to the
/// index before: roll the transaction back, or write in a savepoint.
///
/// A tokenizer may read from the connection. While a text is indexed it cannot write, and `SQLITE_READONLY` is thrown: FTS5
/// is in the middle of a row.
///
/// SQLite makes a tokenizer for each table and connection. Programs that do not have the tokenizer can use neither the
/// table nor, if it is synchronized, write to its content table.
///
/// ``FTS5WrapperTokenizer`` changes what another tokenizer does. ``FTS5TokenizerModule`` makes tokenizers that come with
/// this package.
public protocol FTS5CustomTokenizer: FTS5Tokenizer, SendableMetatype {
    /// The name, as tables refer to it. `ascii`, `porter`, `unicode61` and `trigram` are those of SQLite.
    static var name: String { get }

    /// Makes a tokenizer.
    ///
    /// - Parameters:
    ///   - db: the connection, for tokenizers to be wrapped.
    ///   - arguments: what follows the name in the descriptor of a table.
    /// - throws: any error: it is that of the statement that needs the table.
    init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
    /// The descriptor of the tokenizer.
    ///
    /// ```swift
    /// t.tokenizer = MyTokenizer.tokenizerDescriptor(arguments: FTS5TokenizerDescriptor.ascii().components)
    /// // tokenize='''mine'' ''ascii'''
    /// ```
    ///
    /// - Parameter arguments: what the initializer is given.
    public static func tokenizerDescriptor(arguments: [String] = []) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: [name] + arguments)
    }
}
