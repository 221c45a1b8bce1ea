import CAmalgam

/// Who receives the tokens of a tokenizer, one by one: what the context of the token callback points to.
///
/// A tokenizer returns a code, and no message. So what was thrown on the way of a token is kept by its receiver, and
/// passed on from receiver to receiver, up to the one that SQLite's call has made.
class TokenReceiver {
    /// What was thrown, if something was.
    final private(set) var failure: (any Error)?

    /// The code that stopped the tokenizer, if one did. It is given to a tokenizer that does not stop, too.
    final fileprivate(set) var code = SQLITE_OK

    /// Takes a token.
    ///
    /// - Returns: a result code.
    func receive(
        _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt, _ start: CInt, _ end: CInt
    ) -> CInt { SQLITE_OK }

    /// What tokenizers are given as callback.
    static let callback: FTS5TokenCallback = { context, flags, token, count, start, end in
        guard let context else { return SQLITE_MISUSE }
        return Unmanaged<TokenReceiver>.fromOpaque(context)._withUnsafeGuaranteedRef { receiver in
            if receiver.code != SQLITE_OK { return receiver.code }
            receiver.code = receiver.receive(flags, token, count, start, end)
            return receiver.code
        }
    }

    /// What tokenizers are given as context. The receiver must be kept alive meanwhile.
    final var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Keeps an error, for who made the receiver.
    ///
    /// - Returns: the code of the error.
    @inline(never)
    final func fail(_ error: any Error) -> CInt {
        failure = error
        return CallbackFailure(error).code
    }

    /// The receiver behind a callback, if there is one: it may be a C function of somebody else.
    static func behind(_ callback: FTS5TokenCallback, _ context: UnsafeMutableRawPointer?) -> TokenReceiver? {
        guard let context, address(of: callback) == address(of: self.callback) else { return nil }
        return Unmanaged<TokenReceiver>.fromOpaque(context).takeUnretainedValue()
    }

    private static func address(of callback: FTS5TokenCallback) -> UnsafeRawPointer {
        unsafeBitCast(callback, to: UnsafeRawPointer.self)
    }
}

/// Passes tokens to SQLite, once it has looked at them: `highlight()` reads and copies texts from the places it is told.
final class CheckingReceiver: TokenReceiver {
    private let next: FTS5TokenCallback
    private let nextContext: UnsafeMutableRawPointer?
    private let textCount: CInt
    private let hasLocale: Bool
    private var last: (start: CInt, end: CInt) = (0, 0)

    init(_ next: FTS5TokenCallback, _ context: UnsafeMutableRawPointer?, textCount: CInt, hasLocale: Bool) {
        self.next = next
        nextContext = context
        self.textCount = textCount
        self.hasLocale = hasLocale
    }

    override func receive(
        _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt, _ start: CInt, _ end: CInt
    ) -> CInt {
        guard 0 <= start, start <= end, end <= textCount else { return failPlace(start, end) }
        guard let token, count > 0 else { return SQLITE_OK }
        guard hasLocale else { return next(nextContext, flags, token, count, start, end) }
        // Where places go back, `highlight()` copies up to a NUL character, which a text with a locale may not have.
        last = (max(last.start, start), max(last.end, end))
        return next(nextContext, flags, token, count, last.start, last.end)
    }

    @inline(never)
    private func failPlace(_ start: CInt, _ end: CInt) -> CInt {
        fail(DatabaseError.misplacedToken(Int(start), Int(end), textCount: Int(textCount)))
    }
}

extension DatabaseError {
    package static func misplacedToken(_ start: Int, _ end: Int, textCount: Int) -> DatabaseError {
        DatabaseError(
            message: "a tokenizer gave a token the place \(start)..<\(end), in bytes, in a text of \(textCount) bytes")
    }
}

/// Passes tokens to a closure.
final class ClosureReceiver: TokenReceiver {
    private let body: (RawToken) throws -> Void

    init(_ body: @escaping (RawToken) throws -> Void) {
        self.body = body
    }

    override func receive(
        _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt, _ start: CInt, _ end: CInt
    ) -> CInt {
        do {
            try body(
                RawToken(
                    bytes: UnsafeRawBufferPointer(start: token, count: token == nil ? 0 : Int(max(0, count))),
                    flags: FTS5TokenFlags(rawValue: flags), start: Int(start), end: Int(end)))
            return SQLITE_OK
        } catch {
            return fail(error)
        }
    }
}

/// Thrown by who passes tokens to a C function that wants no more of them.
private struct StoppedTokenization: Error {
    let code: CInt
}

extension FTS5Tokenizer {
    /// Passes the tokens of a text to a closure.
    ///
    /// - throws: the error of the closure or of the tokenizer.
    package func forEachToken(in text: TokenizedText, _ body: (RawToken) throws -> Void) throws {
        try withoutActuallyEscaping(body) { body in
            let receiver = ClosureReceiver(body)
            let code = withExtendedLifetime(receiver) {
                tokenize(
                    context: receiver.context, tokenization: text.tokenization, pText: text.bytes.cText,
                    nText: CInt(clamping: text.bytes.count),
                    pLocale: text.locale.isEmpty ? nil : text.locale.cText,
                    nLocale: CInt(clamping: text.locale.count), tokenCallback: TokenReceiver.callback)
            }
            if let failure = receiver.failure { throw failure }
            if code != SQLITE_OK { throw DatabaseError(code: code, message: "token callback failed") }
        }
    }

    /// Passes tokens that a closure makes to a C function.
    ///
    /// - Parameter body: is given what takes a token. It throws once the C function wants no more tokens.
    /// - Returns: what the C function returned, or the code of what the closure threw.
    package func relayTokens(
        to context: UnsafeMutableRawPointer?, _ callback: FTS5TokenCallback,
        _ body: ((RawToken) throws -> Void) throws -> Void
    ) -> CInt {
        var stop = SQLITE_OK
        do {
            try body { token in
                if stop == SQLITE_OK {
                    stop = callback(
                        context, token.flags.rawValue, token.bytes.cText, CInt(clamping: token.bytes.count),
                        CInt(clamping: token.start), CInt(clamping: token.end))
                }
                if stop != SQLITE_OK { throw StoppedTokenization(code: stop) }
            }
            return stop
        } catch let stopped as StoppedTokenization {
            return stopped.code
        } catch {
            return TokenReceiver.behind(callback, context)?.fail(error) ?? CallbackFailure(error).code
        }
    }
}

/// A tokenizer in Swift that works on bytes, throws, and has no other callers than Swift: what wraps it needs no C call.
package protocol ByteTokenizer: FTS5Tokenizer {
    /// Passes the tokens of a text to a closure. Errors of the closure go through.
    func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws
}

extension ByteTokenizer {
    package func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        tokenize(
            context: context, tokenization: tokenization, pText: pText, nText: nText, pLocale: nil, nLocale: 0,
            tokenCallback: tokenCallback)
    }

    package func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        relayTokens(to: context, tokenCallback) { body in
            try passTokens(of: TokenizedText(pText, nText, tokenization, locale: pLocale, nLocale), to: body)
        }
    }
}

/// A tokenizer that another one wraps: it is asked in the shortest way.
package struct WrappedTokenizer {
    private enum Kind {
        case bytes(any ByteTokenizer)
        case other(any FTS5Tokenizer)
    }

    private let kind: Kind

    package init(_ tokenizer: any FTS5Tokenizer) {
        kind = (tokenizer as? any ByteTokenizer).map { .bytes($0) } ?? .other(tokenizer)
    }

    /// Passes the tokens of a text to a closure.
    package func passTokens(of text: TokenizedText, to body: (RawToken) throws -> Void) throws {
        switch kind {
        case .bytes(let tokenizer): try tokenizer.passTokens(of: text, to: body)
        case .other(let tokenizer): try tokenizer.forEachToken(in: text, body)
        }
    }
}
