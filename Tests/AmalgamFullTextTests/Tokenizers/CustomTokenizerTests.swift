import Amalgam
import CAmalgam
import Foundation
import TestSupport
import Testing

/// Omits "bad", has synonyms for "fast", and throws for "boom".
private final class WordTokenizer: FTS5WrapperTokenizer {
    static let name = "words"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        if arguments == ["refuse"] { throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "not these arguments") }
        wrappedTokenizer = try db.makeTokenizer(
            arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        switch token {
        case "bad": break
        case "boom": throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "boom!")
        case "fast" where tokenization.contains(.document):
            try tokenCallback("fast", flags)
            try tokenCallback("quick", flags.union(.colocated))
        default: try tokenCallback(token, flags)
        }
    }
}

/// Returns a token for each byte, or tokens with invalid ranges.
private final class ByteTokenizer: FTS5CustomTokenizer {
    static let name = "bytes"
    private let isBroken: Bool

    init(db: Database, arguments: [String]) { isBroken = arguments == ["broken"] }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        for offset in 0..<nText {
            let end = isBroken && tokenization == .aux ? 1_000_000 : offset + 1
            let code = tokenCallback(context, 0, pText! + Int(offset), 1, offset, end)
            if code != 0 { return code }
        }
        return 0
    }
}

/// Returns the locale as a token.
private final class LocaleTokenizer: FTS5CustomTokenizer {
    static let name = "locale"
    init(db: Database, arguments: [String]) {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt { 0 }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        pLocale.map { tokenCallback(context, 0, $0, nLocale, 0, nText) } ?? 0
    }
}

@Suite("Tokenizers")
struct CustomTokenizerTests {
    @Test("tokenizers of SQLite, by hand")
    func builtIn() throws {
        try DatabaseQueue().write { db in
            let ascii = try db.makeTokenizer(.ascii())
            expectEqual(try ascii.tokenize(query: "SQLite database").map(\.token), ["sqlite", "database"])
            expectEqual(try ascii.tokenize(document: "Gustave Doré").map(\.token), ["gustave", "doré"])
            expectEqual(
                try db.makeTokenizer(.porter()).tokenize(document: "SQLite databases").map(\.token),
                ["sqlite", "databas"])
            expectEqual(try db.makeTokenizer(.trigram()).tokenize(document: "Abcd").map(\.token), ["abc", "bcd"])
            expectEqual(try ascii.tokenize(document: "").map(\.token), [])
        }
    }

    @Test("the places of tokens in the text")
    func places() throws {
        try DatabaseQueue().write { db in
            let text = "¡Señor! Gustave Doré"
            let tokens = try db.makeTokenizer(.unicode61()).tokens(of: text, for: .document)
            #expect(tokens.map(\.text) == ["senor", "gustave", "dore"])
            #expect(tokens.map { String(text[$0.range]) } == ["Señor", "Gustave", "Doré"])
            #expect(tokens.map(\.flags) == [[], [], []])
        }
    }

    @Test("a tokenizer that does not exist, or refuses its arguments")
    func refusals() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: WordTokenizer.self)
            expectError(.SQLITE_ERROR, "no such tokenizer: missing") {
                _ = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["missing"]))
            }
            expectError(.SQLITE_MISUSE, "FTS5TokenizerDescriptor requires at least one component") {
                _ = try db.makeTokenizer(FTS5TokenizerDescriptor(components: []))
            }
            expectError(.SQLITE_ERROR, "failed fts5_tokenizer.xCreate") {
                _ = try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["unicode61", "nonsense"]))
            }
            expectError(.SQLITE_MISMATCH, "not these arguments") {
                _ = try db.makeTokenizer(WordTokenizer.tokenizerDescriptor(arguments: ["refuse"]))
            }
            expectError(.SQLITE_MISMATCH, "not these arguments") {
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = WordTokenizer.tokenizerDescriptor(arguments: ["refuse"])
                    t.column("body")
                }
            }
            expectEqual(try db.tableExists("document"), false)
        }
    }

    @Test("a wrapper leaves tokens out and adds synonyms")
    func wrapper() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: WordTokenizer.self)
            let tokenizer = try db.makeTokenizer(WordTokenizer.tokenizerDescriptor())
            expectEqual(try tokenizer.tokenize(document: "A Bad fast Car").map(\.token), ["a", "fast", "quick", "car"])
            expectEqual(try tokenizer.tokenize(document: "fast").map(\.flags), [[], .colocated])
            expectEqual(try tokenizer.tokenize(query: "bad fast").map(\.token), ["fast"])
            expectEqual(
                WordTokenizer.tokenizerDescriptor(arguments: ["ascii"]).components, ["words", "ascii"])
            let ascii = try db.makeTokenizer(WordTokenizer.tokenizerDescriptor(arguments: ["ascii"]))
            expectEqual(try ascii.tokenize(document: "Doré").map(\.token), ["doré"])
        }
    }

    @Test("a table with a tokenizer in Swift")
    func table() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: WordTokenizer.self) }
        try withLibrary(configuration, tokenizer: WordTokenizer.tokenizerDescriptor()) { db in
            try Book(id: 9, title: "a fast car", body: "").insert(db)
            expectEqual(try db.rowIDs(matching: "quick", in: "bookSearch"), [9])
            expectEqual(try db.rowIDs(matching: "\"a quick car\"", in: "bookSearch"), [9])
            expectEqual(try db.rowIDs(matching: "\"bad car\"", in: "bookSearch"), [9])
        }
    }

    @Test("the readers of a pool have the tokenizer")
    func pool() throws {
        let path = NSTemporaryDirectory() + "fts-\(UUID().uuidString).sqlite"
        defer { ["", "-wal", "-shm"].forEach { try? FileManager.default.removeItem(atPath: path + $0) } }
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: WordTokenizer.self) }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = WordTokenizer.tokenizerDescriptor()
                t.column("title")
                t.column("body")
            }
            try Document(title: "1", body: "fast").insert(db)
        }
        expectEqual(try pool.read { db in try db.rowIDs(matching: "quick") }, [1])
        try pool.close()
        try DatabaseQueue(path: path).write { db in
            expectError(.SQLITE_ERROR, "no such tokenizer: words") {
                try Document(title: "2", body: "slow").insert(db)
            }
        }
    }

    @Test("an error of a tokenizer is that of the statement, and the connection goes on")
    func errors() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: WordTokenizer.self)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = WordTokenizer.tokenizerDescriptor()
                t.column("title")
                t.column("body")
            }
            try Document(title: "1", body: "a").insert(db)
            for _ in 0..<2 {
                expectError(.SQLITE_CONSTRAINT, "boom!") {
                    try db.inSavepoint {
                        try Document(title: "2", body: "a boom b").insert(db)
                        return .commit
                    }
                }
                expectError(.SQLITE_CONSTRAINT, "boom!") { _ = try db.rowIDs(matching: "boom") }
                expectEqual(try db.rowIDs(matching: "a"), [1])
            }
            let tokenizer = try db.makeTokenizer(WordTokenizer.tokenizerDescriptor())
            expectError(.SQLITE_CONSTRAINT, "boom!") { _ = try tokenizer.tokenize(document: "boom") }
        }
    }

    @Test("an error of a wrapped wrapper has its message, too")
    func nestedErrors() throws {
        final class Outer: FTS5WrapperTokenizer {
            static let name = "outer"
            let wrappedTokenizer: any FTS5Tokenizer
            init(db: Database, arguments: [String]) throws {
                wrappedTokenizer = try db.makeTokenizer(WordTokenizer.tokenizerDescriptor())
            }
            func accept(
                token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
                tokenCallback: FTS5WrapperTokenCallback
            ) throws { try tokenCallback(token + "!", flags) }
        }
        let stopWords = FTS5TokenizerModule.stopWords(["a"])
        let porter = FTS5TokenizerDescriptor.porter(
            wrapping: stopWords.descriptor(wrapping: Outer.tokenizerDescriptor()))
        try DatabaseQueue().write { db in
            db.add(tokenizer: WordTokenizer.self)
            db.add(tokenizer: Outer.self)
            db.add(tokenizer: stopWords)
            for descriptor in [Outer.tokenizerDescriptor(), porter] {
                let tokenizer = try db.makeTokenizer(descriptor)
                expectError(.SQLITE_CONSTRAINT, "boom!") { _ = try tokenizer.tokenize(document: "a boom") }
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = descriptor
                    t.column("title")
                    t.column("body")
                }
                expectError(.SQLITE_CONSTRAINT, "boom!") { try Document(title: "", body: "a boom").insert(db) }
                try Document(title: "", body: "b").insert(db)
                expectEqual(try db.rowIDs(matching: "\"b!\"").count, 1)
                try db.drop(table: "document")
            }
        }
    }

    @Test("tokens of C functions, and places that are outside of the text")
    func custom() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: ByteTokenizer.self)
            for arguments in [[], ["broken"]] {
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.tokenizer = ByteTokenizer.tokenizerDescriptor(arguments: arguments)
                    t.column("title")
                    t.column("body")
                }
                try Document(title: "", body: "abc").insert(db)
                let request = Document.matching(FTS5Pattern(matchingPhrase: "b"))
                    .select(FTS5.highlight(Column("body"), from: "<", to: ">"), as: String.self)
                if arguments.isEmpty {
                    expectEqual(try request.fetchOne(db), "a<b>c")
                } else {
                    expectError(
                        .SQLITE_ERROR, "a tokenizer gave a token the place 0..<1000000, in bytes, in a text of 3 bytes"
                    ) { _ = try request.fetchOne(db) }
                }
                expectEqual(try db.rowIDs(matching: "b"), [1])
                try db.drop(table: "document")
            }
        }
    }

    @Test("tokenizers are told of the locale of a text")
    func locale() throws {
        try DatabaseQueue().write { db in
            db.add(tokenizer: LocaleTokenizer.self)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = LocaleTokenizer.tokenizerDescriptor()
                t.locale = true
                t.column("title")
                t.column("body")
            }
            try db.execute(
                literal: "INSERT INTO document VALUES ('', \(FTS5.localized("Größe", locale: "de_DE"))), ('', 'size')")
            let sql = "SELECT rowid FROM document WHERE document MATCH fts5_locale('de_DE', 'x')"
            expectEqual(try Int64.fetchAll(db, sql: sql), [1])
            let locales = Document.select(FTS5.locale(of: Column("body")), as: String?.self).order(Column.rowID)
            expectEqual(try locales.fetchAll(db), ["de_DE", nil])
            expectEqual(try String.fetchAll(db, sql: "SELECT body FROM document"), ["Größe", "size"])
            let tokens = try db.makeTokenizer(LocaleTokenizer.tokenizerDescriptor())
                .tokens(of: "Größe", for: .document, locale: "fr")
            #expect(tokens.map(\.text) == ["fr"])
        }
    }

    @Test("a tokenizer without name is reported")
    func noName() throws {
        final class Nameless: FTS5CustomTokenizer {
            static let name = ""
            init(db: Database, arguments: [String]) {}
            func tokenize(
                context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?,
                nText: CInt, tokenCallback: @escaping FTS5TokenCallback
            ) -> CInt { 0 }
        }
        try DatabaseQueue().write { db in
            db.add(tokenizer: Nameless.self)
            expectEqual(try Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    @Test("a tokenizer may be used when its connection is closed")
    func outliving() throws {
        let queue = try DatabaseQueue()
        let box = TokenizerBox()
        try queue.write { db in
            db.add(tokenizer: WordTokenizer.self)
            box.tokenizers = [
                try db.makeTokenizer(.porter()), try db.makeTokenizer(WordTokenizer.tokenizerDescriptor()),
            ]
        }
        try queue.close()
        for tokenizer in box.tokenizers { expectEqual(try tokenizer.tokenize(query: "a fast").count, 2) }
    }

    private final class TokenizerBox: @unchecked Sendable {
        // Sendable: only one thread uses it.
        var tokenizers: [any FTS5Tokenizer] = []
    }

    @Test("the C functions of FTS5")
    func api() throws {
        try DatabaseQueue().write { db in
            expectEqual(FTS5.api(db).pointee.iVersion, 3)
        }
    }
}
