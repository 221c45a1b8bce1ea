import AmalgamCore
import CAmalgam

/// Stops a tokenizer after the C callback has returned an error code.
private struct StoppedTokenization: Error {
    let code: CInt
}

extension FTS5Tokenizer {
    /// Calls a closure with each token of the text.
    ///
    /// - Throws: The error of the closure or of the tokenizer; `SQLITE_INTERRUPT` with ``DatabaseError/exceededLimit`` if
    ///   the time limit stops the tokenizer.
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
            // An error that has passed through a tokenizer in C has lost the limit.
            if code == SQLITE_INTERRUPT, receiver.failure.map({ $0 is DatabaseError }) ?? true,
                let error = Database.limitErrorOfThread
            {
                throw error
            }
            if let failure = receiver.failure { throw failure }
            if code != SQLITE_OK { throw DatabaseError(code: code, message: "token callback failed") }
        }
    }

    /// Passes the tokens that a closure produces to a C callback.
    ///
    /// - Parameter body: The closure. Its argument is a function that the closure calls with each token. The function
    ///   throws when the C callback has returned an error code.
    /// - Returns: The code of the C callback, or the code of the error that the closure threw.
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
