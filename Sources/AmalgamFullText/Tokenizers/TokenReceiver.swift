import AmalgamCore
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
        guard let context, amalgam_fts5_is_same_callback(callback, self.callback) != 0 else { return nil }
        return Unmanaged<TokenReceiver>.fromOpaque(context).takeUnretainedValue()
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
