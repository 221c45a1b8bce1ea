import AmalgamCore
import CAmalgam

/// A tokenizer written in C, of SQLite or of an extension.
///
/// This object stores pointers to the C functions of the tokenizer. The object may outlive the connection. It uses the
/// connection only if the tokenizer fails: the error may be that of a Swift tokenizer that the C tokenizer wraps, as
/// `porter` may.
final class SQLiteTokenizer: LocaleTokenizer {
    private typealias Tokenize =
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, UnsafePointer<CChar>?, CInt,
            FTS5TokenCallback?
        ) -> CInt

    private let instance: OpaquePointer
    private let tokenizeFunction: Tokenize
    private let deleteFunction: @convention(c) (OpaquePointer?) -> Void
    private weak var database: Database?

    /// Creates a tokenizer.
    ///
    /// - Throws: The code of SQLite if the tokenizer rejects the arguments.
    init(
        _ functions: fts5_tokenizer_v2, userData: UnsafeMutableRawPointer?, arguments: [String], _ database: Database
    ) throws {
        guard let create = functions.xCreate else { throw DatabaseError(message: "nil fts5_tokenizer.xCreate") }
        guard let tokenize = functions.xTokenize, let delete = functions.xDelete else {
            throw DatabaseError(message: "nil tokenizer")
        }
        var instance: OpaquePointer?
        let code = withCStrings(arguments) { create(userData, $0.baseAddress, CInt(clamping: $0.count), &instance) }
        if code != SQLITE_OK { throw DatabaseError(code: code, message: "failed fts5_tokenizer.xCreate") }
        guard let instance else { throw DatabaseError(message: "nil tokenizer") }
        self.instance = instance
        self.database = database
        tokenizeFunction = tokenize
        deleteFunction = delete
    }

    deinit {
        deleteFunction(instance)
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let code = tokenizeFunction(
            instance, context, tokenization.rawValue, pText, nText, pLocale, nLocale, tokenCallback)
        if code != SQLITE_OK { reportFailure(code, TokenReceiver.behind(tokenCallback, context)) }
        return code
    }

    /// Retrieves the error of a Swift tokenizer that this one wraps, as `porter` may.
    private func reportFailure(_ code: CInt, _ receiver: TokenReceiver?) {
        guard let receiver, receiver.failure == nil, let failure = database?.hooks.pendingError,
            failure.code.rawValue == code
        else { return }
        _ = receiver.fail(DatabaseError(resultCode: failure.code, message: failure.message))
    }
}

/// Calls a closure with C strings. A NUL character ends a string.
func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let copies = strings.map { string in
        let bytes = string.utf8CString
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return copy
    }
    defer { copies.forEach { $0.deallocate() } }
    var pointers: [UnsafePointer<CChar>?] = copies.map { UnsafePointer($0.baseAddress) }
    return pointers.withUnsafeMutableBufferPointer { body($0) }
}
