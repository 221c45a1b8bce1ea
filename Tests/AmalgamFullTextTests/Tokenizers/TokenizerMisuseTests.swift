import Amalgam
import AmalgamCore
import TestSupport
import Testing

/// Returns one token, whose range ends before it begins.
private final class BackwardTokenizer: FTS5CustomTokenizer {
    static let name = "backward"
    init(db: Database, arguments: [String]) {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        "word".withCString { tokenCallback(context, 0, $0, 4, 5, 0) }
    }
}

/// Throws when matches are marked in a string.
private final class UnmarkableTokenizer: FTS5WrapperTokenizer {
    static let name = "unmarkable"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.ascii()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if tokenization == .aux { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "no marks!") }
        try tokenCallback(token, flags)
    }
}

/// Has the same name as the tokenizer that it wraps.
private final class SelfishTokenizer: FTS5WrapperTokenizer {
    static let name = "unicode61"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.unicode61()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws { try tokenCallback(token, flags) }
}

/// Throws for each token.
private final class FailingTokenizer: FTS5WrapperTokenizer {
    static let name = "failing"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws { wrappedTokenizer = try db.makeTokenizer(.ascii()) }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "boom!") }
}

@Suite("Tokenizers that do what they should not")
struct TokenizerMisuseTests {
    private let wrapsItself = "a tokenizer wraps itself: give it a name that no tokenizer it wraps has"

    @Test("a token that ends before it begins is an error where places are asked for")
    func backwardPlaces() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: BackwardTokenizer.self)
            let tokenizer = try db.makeTokenizer(BackwardTokenizer.tokenizerDescriptor())
            expectError(
                .SQLITE_ERROR, "a tokenizer gave a token the place 5..<0, in bytes, in a text of 7 bytes"
            ) { _ = try tokenizer.tokens(of: "a text!", for: .document) }
        }
    }

    @Test("tokens without places need none")
    func withoutPlaces() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: BackwardTokenizer.self)
            let tokenizer = try db.makeTokenizer(BackwardTokenizer.tokenizerDescriptor())
            expectEqual(try tokenizer.tokenize(document: "a text!").map(\.token), ["word"])
            expectEqual(try tokenizer.tokenize(query: "a text!").map(\.token), ["word"])
        }
    }

    @Test("an error of a tokenizer while a text is marked has its message")
    func errorOfMarks() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: UnmarkableTokenizer.self)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = UnmarkableTokenizer.tokenizerDescriptor()
                t.column("title")
                t.column("body")
            }
            try Document(title: "", body: "a text").insert(db)
            let request = Document.matching(FTS5Pattern(matchingPhrase: "text"))
                .select(FTS5.markedText(Column("body")), as: FTS5MarkedText.self)
            expectError(.SQLITE_CONSTRAINT, "no marks!") { _ = try request.fetchOne(db) }
        }
    }

    @Test("a tokenizer of the package cannot take the name of the tokenizer that it wraps")
    func takenName() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: .folding(named: "unicode61"))
            expectError(.SQLITE_MISUSE, wrapsItself) { _ = try db.makeTokenizer(.unicode61()) }
            expectError(.SQLITE_MISUSE, wrapsItself) {
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = .unicode61()
                    t.column("body")
                }
            }
        }
    }

    @Test("nor may porter stand between them")
    func takenNameBehindPorter() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: .folding(named: "unicode61"))
            let error = #expect(throws: DatabaseError.self) { try db.makeTokenizer(.porter()) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test("the name may be taken around another tokenizer")
    func takenNameAroundAnother() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: .folding(named: "unicode61"))
            let tokenizer = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["unicode61", "ascii"]))
            expectEqual(try tokenizer.tokenize(document: "Łódź").map(\.token), ["lodz"])
        }
    }

    @Test("a tokenizer of a program cannot wrap itself")
    func selfish() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: SelfishTokenizer.self)
            expectError(.SQLITE_MISUSE, wrapsItself) { _ = try db.makeTokenizer(.unicode61()) }
        }
    }

    @Test("porter around a tokenizer in Swift fails safely when the connection is gone")
    func failureWithoutConnection() throws {
        var db: Database? = try Database(
            path: ":memory:", description: "tokenizers", configuration: Configuration())
        weak let connection = db
        db?.add(tokenizer: FailingTokenizer.self)
        let tokenizer = try db?.makeTokenizer(.porter(wrapping: FailingTokenizer.tokenizerDescriptor()))
        db?.close()
        db = nil
        #expect(connection == nil)
        let error = #expect(throws: DatabaseError.self) { try tokenizer?.tokenize(document: "a") }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }
}
