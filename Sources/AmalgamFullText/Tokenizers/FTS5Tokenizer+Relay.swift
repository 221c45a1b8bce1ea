import AmalgamCore
import CAmalgam

/// Thrown by who passes tokens to a C function that wants no more of them.
private struct StoppedTokenization: Error {
    let code: CInt
}

extension FTS5Tokenizer {
    /// Passes the tokens of a text to a closure.
    ///
    /// - throws: the error of the closure or of the tokenizer.
    func forEachToken(in text: TokenizedText, _ body: (RawToken) throws -> Void) throws {
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
    func relayTokens(
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
