public import AmalgamCore

extension Database {
    /// Adds a tokenizer to the connection.
    ///
    /// Add tokenizers in `prepareDatabase`, and all connections of a pool have them.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in db.add(tokenizer: LetterTokenizer.self) }
    /// ```
    ///
    /// A tokenizer that cannot be added is reported to ``AmalgamCore/Database/logError``, and tables that need it throw
    /// `no such tokenizer`. Its name is empty or contains a NUL character, or the connection is not in an access.
    public func add(tokenizer: (some FTS5CustomTokenizer).Type) {
        TokenizerRegistration.add(to: self, named: tokenizer.name) { db, arguments in
            try tokenizer.init(db: db, arguments: arguments)
        }
    }

    /// Adds a tokenizer to the connection.
    ///
    /// Add tokenizers in `prepareDatabase`, and all connections of a pool have them.
    ///
    /// A tokenizer that cannot be added is reported to ``AmalgamCore/Database/logError``, and tables that need it throw
    /// `no such tokenizer`.
    public func add(tokenizer module: FTS5TokenizerModule) {
        TokenizerRegistration.add(to: self, named: module.name, module.make)
    }

    /// Makes a tokenizer, in order to see the tokens of a string.
    ///
    /// ```swift
    /// let tokenizer = try db.makeTokenizer(.unicode61())
    /// try tokenizer.tokenize(document: "Gustave Doré").map(\.token)   // ["gustave", "dore"]
    /// ```
    ///
    /// A tokenizer is used where the connection is used: by one thread at a time.
    ///
    /// - throws: `SQLITE_ERROR` for a tokenizer that the connection does not have, or that refuses its arguments.
    public func makeTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        try TokenizerRegistration.makeTokenizer(on: self, named: descriptor.name, arguments: descriptor.arguments)
    }
}
