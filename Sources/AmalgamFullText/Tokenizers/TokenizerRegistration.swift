import AmalgamCore
import CAmalgam

/// A Swift tokenizer registered on a connection: the user data of the C function that creates tokenizers.
final class TokenizerRegistration {
    typealias Make = (Database, [String]) throws -> any FTS5Tokenizer

    // SQLite releases tokenizers when the connection is closed.
    unowned let database: Database
    private let make: Make

    /// The arguments of the tokenizers being created. There are several if a tokenizer wraps itself.
    private var arguments: [[String]] = []

    init(_ database: Database, _ make: @escaping Make) {
        self.database = database
        self.make = make
    }

    /// A schema may come from a hostile file, and each tokenizer takes its part of the stack.
    private static let maximumDepth = 8

    /// Creates a tokenizer with arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if the tokenizer wraps itself with the same arguments, or too often; the error of the
    ///   tokenizer.
    func makeTokenizer(_ arguments: [String]) throws -> any FTS5Tokenizer {
        if self.arguments.count == Self.maximumDepth {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a tokenizer wraps itself more than \(Self.maximumDepth) times: wrap it once")
        }
        if self.arguments.contains(arguments) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a tokenizer wraps itself: give it a name that no tokenizer it wraps has")
        }
        self.arguments.append(arguments)
        defer { self.arguments.removeLast() }
        return try make(database, arguments)
    }

    /// Registers the tokenizer with SQLite. SQLite retains this object until the connection is closed.
    ///
    /// - Returns: The result code: `SQLITE_MISUSE` if the module "fts5" of the connection isn't SQLite's FTS5.
    func register(on connection: SQLiteConnection, named name: String) -> CInt {
        guard let api: UnsafeMutablePointer<fts5_api> = amalgam_fts5_api(connection) else { return SQLITE_MISUSE }
        let registration = Unmanaged.passRetained(self).toOpaque()
        var functions = Self.functions
        let code = api.pointee.xCreateTokenizer_v2(api, name, registration, &functions) { registration in
            if let registration { Unmanaged<TokenizerRegistration>.fromOpaque(registration).release() }
        }
        if code != SQLITE_OK { Unmanaged<TokenizerRegistration>.fromOpaque(registration).release() }
        return code
    }

    /// The C functions of Swift tokenizers.
    static let functions = fts5_tokenizer_v2(
        iVersion: 2, xCreate: createTokenizer, xDelete: deleteTokenizer, xTokenize: tokenize)

    /// Whether a tokenizer has these C functions.
    static func made(_ functions: UnsafePointer<fts5_tokenizer_v2>) -> Bool {
        withUnsafePointer(to: Self.functions) { amalgam_fts5_is_same_tokenizer(functions, $0) != 0 }
    }
}

extension TokenizerRegistration {
    /// Registers a tokenizer on a connection. If SQLite rejects the tokenizer, the error is reported to
    /// ``Database/logError``. If memory is exhausted, the registration is retried when the connection is
    /// used next. Tables that are already connected continue to use their tokenizer.
    static func add(to db: Database, named name: String, _ make: @escaping Make) {
        db.register("tokenizer", named: name) { [unowned db] connection in
            TokenizerRegistration(db, make).register(on: connection, named: name)
        }
    }

    /// Creates an instance of a tokenizer that is registered on a connection.
    ///
    /// - Throws: `SQLITE_MISUSE` if the name is empty; `SQLITE_ERROR` if no tokenizer has the name, or if it rejects
    ///   its arguments; the error of a Swift tokenizer.
    static func makeTokenizer(
        on db: Database, named name: String, arguments: [String]
    ) throws -> any FTS5Tokenizer {
        let api = try FTS5.functions(inAccessTo: db)
        if name.isEmpty {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "FTS5TokenizerDescriptor requires at least one component")
        }
        var userData: UnsafeMutableRawPointer?
        var functions: UnsafeMutablePointer<fts5_tokenizer_v2>?
        let code = api.pointee.xFindTokenizer_v2(api, name, &userData, &functions)
        guard code == SQLITE_OK, let functions else {
            throw DatabaseError(message: "no such tokenizer: \(name)")
        }
        if let userData, made(functions) {
            let registration = Unmanaged<TokenizerRegistration>.fromOpaque(userData).takeUnretainedValue()
            return try registration.makeTokenizer(arguments)
        }
        return try SQLiteTokenizer(functions.pointee, userData: userData, arguments: arguments, db)
    }
}

/// The Swift tokenizer of a table, as SQLite stores it.
private final class TableTokenizer {
    let tokenizer: any FTS5Tokenizer

    /// Nil after the connection was closed: a tokenizer of SQLite that wraps this one may outlive it.
    private(set) weak var database: Database?

    init(_ tokenizer: any FTS5Tokenizer, _ database: Database) {
        self.tokenizer = tokenizer
        self.database = database
    }
}

private let createTokenizer:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, CInt,
        UnsafeMutablePointer<OpaquePointer?>?
    ) -> CInt = { userData, arguments, count, result in
        guard let userData, let result else { return SQLITE_MISUSE }
        let registration = Unmanaged<TokenizerRegistration>.fromOpaque(userData).takeUnretainedValue()
        let strings = (0..<Int(count)).map { arguments?[$0].map { String(cString: $0) } ?? "" }
        do {
            let tokenizer = TableTokenizer(try registration.makeTokenizer(strings), registration.database)
            result.pointee = OpaquePointer(Unmanaged.passRetained(tokenizer).toOpaque())
            return SQLITE_OK
        } catch {
            let failure = CallbackFailure(error)
            registration.database.hooks.pendingError = PendingCallbackError(makingTokenizer: failure)
            return failure.code
        }
    }

private let deleteTokenizer: @convention(c) (OpaquePointer?) -> Void = { tokenizer in
    if let tokenizer { Unmanaged<TableTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).release() }
}

private let tokenize:
    @convention(c) (
        OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, UnsafePointer<CChar>?, CInt,
        FTS5TokenCallback?
    ) -> CInt = { tokenizer, context, flags, text, count, locale, localeCount, callback in
        guard let tokenizer, let callback else { return SQLITE_MISUSE }
        let table = Unmanaged<TableTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).takeUnretainedValue()
        let tokenization = FTS5Tokenization(rawValue: flags)
        let database = table.database
        let receiver = CheckingReceiver(
            callback, context, textCount: count, hasLocale: localeCount > 0,
            writingOn: tokenization.contains(.document) ? database : nil)
        let code = withExtendedLifetime(receiver) {
            withoutWrites(on: database) {
                table.tokenizer.tokenize(
                    context: receiver.context, tokenization: tokenization, pText: text, nText: count,
                    pLocale: localeCount > 0 ? locale : nil, nLocale: localeCount,
                    tokenCallback: TokenReceiver.callback)
            }
        }
        if receiver.failure == nil, receiver.hasLostTransaction { _ = receiver.failTransaction() }
        guard let error = receiver.failure else { return receiver.code == SQLITE_OK ? code : receiver.code }
        let failure = CallbackFailure(error)
        table.database?.hooks.pendingError = PendingCallbackError(withoutMessage: failure)
        return failure.code
    }

/// Calls a tokenizer while writes on the connection are disabled. A write by the tokenizer could corrupt the index that
/// is being written, or invalidate the state of a running query.
private func withoutWrites(on database: Database?, _ tokenize: () -> CInt) -> CInt {
    guard let database else { return tokenize() }
    return database.refusingWrites(tokenize)
}

extension PendingCallbackError {
    /// Replaces FTS5's generic message for errors of the function that creates tokenizers.
    init(makingTokenizer failure: CallbackFailure) {
        self.init(failure, reportedMessage: "error in tokenizer constructor")
    }
}
