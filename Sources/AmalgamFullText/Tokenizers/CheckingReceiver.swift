import AmalgamCore
import CAmalgam

/// Passes tokens to SQLite, once it has looked at them: `highlight()` reads and copies texts from the places it is told.
final class CheckingReceiver: TokenReceiver {
    private let next: FTS5TokenCallback
    private let nextContext: UnsafeMutableRawPointer?
    private let textCount: CInt
    private let hasLocale: Bool

    /// The transaction that a row is written in: what is written after its end makes the index wrong.
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
        // The index gives the first token of a text a position in any case; `highlight()` counts only tokens that aren't
        // synonyms.
        let flags = hasPassedToken ? flags : flags & ~FTS5_TOKEN_COLOCATED
        hasPassedToken = true
        guard hasLocale else { return next(nextContext, flags, token, count, start, end) }
        // Where places go back, `highlight()` copies up to a NUL character, which a text with a locale may not have.
        let place = (start: max(last.start, start), end: max(last.end, end))
        // `highlight()` does not look at synonyms, which may be longer than the token that they belong to.
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
