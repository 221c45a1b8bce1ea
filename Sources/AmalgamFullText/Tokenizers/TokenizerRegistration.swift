import AmalgamCore
import CAmalgam

/// A tokenizer in Swift on one connection: what SQLite passes to the function that makes tokenizers.
final class TokenizerRegistration {
    typealias Make = (Database, [String]) throws -> any FTS5Tokenizer

    // SQLite forgets tokenizers when the connection is closed.
    unowned let database: Database
    private let make: Make

    /// The arguments of tokenizers that are being made: they are several when the tokenizer wraps itself.
    private var arguments: [[String]] = []

    init(_ database: Database, _ make: @escaping Make) {
        self.database = database
        self.make = make
    }

    /// - throws: `SQLITE_MISUSE` for a tokenizer that needs itself, with the same arguments; the error of the tokenizer.
    func makeTokenizer(_ arguments: [String]) throws -> any FTS5Tokenizer {
        if self.arguments.contains(arguments) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a tokenizer wraps itself: give it a name that no tokenizer it wraps has")
        }
        self.arguments.append(arguments)
        defer { self.arguments.removeLast() }
        return try make(database, arguments)
    }

    /// Makes SQLite know the tokenizer, which it then keeps until the connection is closed.
    ///
    /// - Returns: SQLite's code: `SQLITE_MISUSE` when another module took the name of FTS5.
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

    /// The functions that SQLite calls for tokenizers in Swift.
    static let functions = fts5_tokenizer_v2(
        iVersion: 2, xCreate: createTokenizer, xDelete: deleteTokenizer, xTokenize: tokenize)

    /// Whether SQLite calls these functions for a tokenizer.
    static func made(_ functions: UnsafePointer<fts5_tokenizer_v2>) -> Bool {
        withUnsafePointer(to: Self.functions) { amalgam_fts5_is_same_tokenizer(functions, $0) != 0 }
    }
}

extension TokenizerRegistration {
    /// Adds a tokenizer to a connection. What SQLite refuses is reported to ``AmalgamCore/Database/logError``; what memory is
    /// missing for is made up for when the connection is used next. Tables in use keep the tokenizer that they were connected
    /// with.
    static func add(to db: Database, named name: String, _ make: @escaping Make) {
        db.register("tokenizer", named: name) { [unowned db] connection in
            TokenizerRegistration(db, make).register(on: connection, named: name)
        }
    }

    /// Makes a tokenizer that a connection has.
    ///
    /// - throws: `SQLITE_MISUSE` for an empty name; `SQLITE_ERROR` for a name that no tokenizer has, or for arguments that
    ///   it refuses; the error of a tokenizer in Swift.
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

/// A tokenizer of a table: what SQLite has in its place.
private final class TableTokenizer {
    let tokenizer: any FTS5Tokenizer

    /// Nil once the connection is gone: a tokenizer of SQLite that wraps this one outlives it.
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

/// Calls a tokenizer. A change of the table would make its index wrong in the middle of a row, and have FTS5 lose the state
/// of a query.
private func withoutWrites(on database: Database?, _ tokenize: () -> CInt) -> CInt {
    guard let database else { return tokenize() }
    return database.refusingWrites(tokenize)
}

extension PendingCallbackError {
    /// A failure of the function that makes a tokenizer: FTS5 has one message for all of them.
    init(makingTokenizer failure: CallbackFailure) {
        self.init(failure, reportedMessage: "error in tokenizer constructor")
    }
}
