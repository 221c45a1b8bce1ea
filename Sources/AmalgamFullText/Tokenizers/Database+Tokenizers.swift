public import AmalgamCore

extension Database {
    /// Registers a tokenizer on the connection.
    ///
    /// Register tokenizers in `prepareDatabase`, so that all connections of a pool have them:
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.prepareDatabase { db in db.add(tokenizer: LetterTokenizer.self) }
    /// ```
    ///
    /// If a tokenizer can't be registered, the error is reported to ``Database/logError``, and statements that need the
    /// tokenizer throw `no such tokenizer`. Registration fails outside of a database access, and if the name is empty
    /// or contains a NUL character.
    public func add(tokenizer: (some FTS5CustomTokenizer).Type) {
        TokenizerRegistration.add(to: self, named: tokenizer.name) { db, arguments in
            try tokenizer.init(db: db, arguments: arguments)
        }
    }

    /// Registers a tokenizer on the connection.
    ///
    /// Register tokenizers in `prepareDatabase`, so that all connections of a pool have them:
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.prepareDatabase { db in db.add(tokenizer: .html()) }
    /// ```
    ///
    /// If a tokenizer can't be registered, the error is reported to ``Database/logError``, and statements
    /// that need the tokenizer throw `no such tokenizer`.
    public func add(tokenizer module: FTS5TokenizerModule) {
        TokenizerRegistration.add(to: self, named: module.name, module.make)
    }

    /// Creates a tokenizer, for example to show the tokens of a string.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.unicode61())
    /// try tokenizer.tokenize(document: "Gustave Doré").map(\.token)   // ["gustave", "dore"]
    /// ```
    ///
    /// Use a tokenizer only on the thread that uses the connection.
    ///
    /// - Throws: `SQLITE_ERROR` if the connection has no such tokenizer, or if the tokenizer rejects its arguments.
    public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        try descriptor.checkStemmers(on: self)
        return try TokenizerRegistration.makeTokenizer(
            on: self, named: descriptor.name, arguments: descriptor.arguments)
    }
}
