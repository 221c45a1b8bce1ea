import AmalgamCore
import CAmalgam

/// Receives the tokens of a tokenizer. The C callback finds the receiver by its context pointer.
///
/// A tokenizer returns a result code without a message. If receiving a token fails, the receiver therefore stores the
/// error. With a wrapped tokenizer, there may be two receivers: one receives the tokens of the wrapped tokenizer, the
/// other those of the wrapper. The wrapper copies an error from the first receiver to the second.
class TokenReceiver {
    /// The error that was thrown, if any.
    final private(set) var failure: (any Error)?

    /// The code that stopped the tokenizer, if any. It is returned again if the tokenizer doesn't stop.
    final fileprivate(set) var code = SQLITE_OK

    /// The number of tokens since the last look at the time limit.
    final private var tokenCount = 0

    /// Between two looks at the time limit, this number of tokens is received.
    private static let tokensPerCheck = 256

    /// Whether the tokenizer must stop because of a time limit.
    final fileprivate var mustStop: Bool {
        tokenCount += 1
        guard tokenCount >= Self.tokensPerCheck else { return false }
        tokenCount = 0
        return amalgam_fts5_must_stop(nil) != 0
    }

    /// Receives a token.
    ///
    /// - Returns: A result code.
    func receive(
        _ flags: CInt, _ token: UnsafePointer<CChar>?, _ count: CInt, _ start: CInt, _ end: CInt
    ) -> CInt { SQLITE_OK }

    /// The callback for tokenizers.
    static let callback: FTS5TokenCallback = { context, flags, token, count, start, end in
        guard let context else { return SQLITE_MISUSE }
        return Unmanaged<TokenReceiver>.fromOpaque(context)._withUnsafeGuaranteedRef { receiver in
            if receiver.code != SQLITE_OK { return receiver.code }
            receiver.code =
                receiver.mustStop ? SQLITE_INTERRUPT : receiver.receive(flags, token, count, start, end)
            return receiver.code
        }
    }

    /// The context for tokenizers. The caller must keep the receiver alive during the call.
    final var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Stores an error in `failure`, which the creator of this receiver reads.
    ///
    /// - Returns: The code of the error.
    @inline(never)
    final func fail(_ error: any Error) -> CInt {
        failure = error
        return CallbackFailure(error).code
    }

    /// The receiver behind a callback and its context; nil if the callback is a different C function.
    static func behind(_ callback: FTS5TokenCallback, _ context: UnsafeMutableRawPointer?) -> TokenReceiver? {
        guard let context, amalgam_fts5_is_same_callback(callback, self.callback) != 0 else { return nil }
        return Unmanaged<TokenReceiver>.fromOpaque(context).takeUnretainedValue()
    }
}

/// A receiver that calls a closure with each token.
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
