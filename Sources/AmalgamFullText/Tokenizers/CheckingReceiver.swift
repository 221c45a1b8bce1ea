import AmalgamCore
import CAmalgam

/// Validates tokens, and passes them to SQLite: `highlight()` copies text from the token offsets without checking them.
final class CheckingReceiver: TokenReceiver {
    private let next: FTS5TokenCallback
    private let nextContext: UnsafeMutableRawPointer?
    private let textCount: CInt
    private let hasLocale: Bool

    /// The transaction in which a row is indexed. Entries written after its end would corrupt the index.
    private let transaction: (database: Database, wasOpen: Bool)?

    private var last: (start: CInt, end: CInt) = (0, 0)

    /// Whether a token has been passed.
    private var hasPassedToken = false

    init(
        _ next: FTS5TokenCallback, _ context: UnsafeMutableRawPointer?, textCount: CInt, hasLocale: Bool,
        writingOn database: Database?
    ) {
        self.next = next
        nextContext = context
        self.textCount = textCount
        self.hasLocale = hasLocale
        transaction = database.map { ($0, $0.isInsideTransaction) }
    }

    override func receive(
        _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt, _ start: CInt, _ end: CInt
    ) -> CInt {
        guard 0 <= start, start <= end, end <= textCount else { return failPlace(start, end) }
        if hasLostTransaction { return failTransaction() }
        guard let token, count > 0 else { return SQLITE_OK }
        // The first token gets a new position in the index even if it has the colocated flag, but `highlight()` doesn't
        // count a position whose token has this flag. Therefore, the flag is removed from the first token.
        let flags = hasPassedToken ? flags : flags & ~FTS5_TOKEN_COLOCATED
        hasPassedToken = true
        guard hasLocale else { return next(nextContext, flags, token, count, start, end) }
        // If offsets decreased, `highlight()` would read up to a NUL character, which text with a locale may not have.
        let place = (start: max(last.start, start), end: max(last.end, end))
        // `highlight()` ignores synonyms, which may be longer than the token at their position.
        if flags & FTS5_TOKEN_COLOCATED == 0 { last = place }
        return next(nextContext, flags, token, count, place.start, place.end)
    }

    /// Whether the tokenizer has ended the transaction in which it was called.
    var hasLostTransaction: Bool {
        guard let transaction else { return false }
        return transaction.database.isInsideTransaction != transaction.wasOpen
    }

    @inline(never)
    func failTransaction() -> CInt {
        fail(
            DatabaseError(
                resultCode: .SQLITE_ABORT, message: "a tokenizer has ended the transaction that it was called in"))
    }

    @inline(never)
    private func failPlace(_ start: CInt, _ end: CInt) -> CInt {
        fail(DatabaseError.misplacedToken(Int(start), Int(end), textCount: Int(textCount)))
    }
}

extension DatabaseError {
    static func misplacedToken(_ start: Int, _ end: Int, textCount: Int) -> DatabaseError {
        DatabaseError(
            message: "a tokenizer gave a token the place \(start)..<\(end), in bytes, in a text of \(textCount) bytes")
    }
}
