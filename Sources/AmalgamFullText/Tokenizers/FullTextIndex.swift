import AmalgamCore
import CAmalgam

/// The index of an FTS5 table: its settings, its tokenizer and its terms.
struct FullTextIndex {
    let db: Database
    let table: String

    /// Calls a C function that needs the table, again if the connection has to connect to the table first.
    ///
    /// - Parameter readsFile: Whether the function reads the database.
    /// - Returns: false if the table doesn't exist, or isn't an FTS5 table.
    /// - Throws: The error of the function. If it reads the database: `SQLITE_ABORT` if the connection is suspended,
    ///   `SQLITE_AUTH` if the authorizer of a sandbox, for example, denies reading the table.
    func call(readsFile: Bool = false, _ function: (SQLiteConnection?) throws -> CInt) throws -> Bool {
        try db.checkAccess()
        if readsFile {
            try db.checkMayRead()
            try db.checkPermission(toReadRowsOf: table)
            // No statement says that the table is read.
            try db.registerAccess(to: DatabaseRegion(table: table))
        }
        var code = try function(db.sqliteConnection)
        if code == SQLITE_NOTFOUND {
            guard try connectTable() else { return false }
            code = try function(db.sqliteConnection)
        }
        if code == SQLITE_NOTFOUND { return false }
        if code != SQLITE_OK { throw db.failure(code, db.error(code)) }
        return true
    }

    /// Makes SQLite connect to the virtual table, by compiling a statement that uses the table.
    ///
    /// - Returns: false if no statement can be compiled, usually because the table doesn't exist.
    private func connectTable() throws -> Bool {
        do {
            _ = try db.makeStatement(sql: "SELECT 1 FROM \(table.quotedDatabaseIdentifier)")
            return true
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_AUTH].contains(error.resultCode) {
            return false
        }
    }
}

// MARK: - Settings

extension FullTextIndex {
    struct Settings {
        /// Whether the index has the positions of tokens, so that the table answers queries for phrases.
        var hasPhrases = false

        /// The arguments of `bm25` in the ranking function of the table, such as `10.0, 1.0`. Nil if the table has no
        /// arguments or a different ranking function.
        var weights: String?

        /// The languages in the definition of the table whose words its tokenizer stems: those of `snowball`, and
        /// English for `porter`.
        var languages: [SnowballLanguage] = []
    }

    /// - Returns: nil if the table doesn't exist, or isn't an FTS5 table.
    func settings() throws -> Settings? {
        var found = amalgam_fts5_settings()
        guard try call(readsFile: true, { amalgam_fts5_get_settings($0, table, &found) }) else { return nil }
        var settings = Settings(hasPhrases: found.has_phrases != 0)
        if let rank = found.rank, String(cString: rank).lowercased() == "bm25", let weights = found.rank_weights {
            settings.weights = String(cString: weights)
        }
        if found.languages != 0 {
            for (number, language) in SnowballLanguage.all.enumerated() where found.languages >> number & 1 == 1 {
                settings.languages.append(language)
            }
        }
        if found.has_porter != 0, !settings.languages.contains(.english) { settings.languages.append(.english) }
        return settings
    }
}

// MARK: - Tokens

extension FullTextIndex {
    /// Whether the tokenizer of the table finds a token in a string of a pattern.
    ///
    /// - Returns: Also true if the table doesn't exist, or isn't an FTS5 table: the search then throws the error.
    /// - Throws: The error of the tokenizer; ``DatabaseError`` if memory is exhausted.
    func hasToken(in string: String, isPrefix: Bool) throws -> Bool {
        // FTS5 would end the string at a NUL character.
        let string = string.utf8.contains(0) ? string.replacing("\0", with: " ") : string
        var hasToken: CInt = 0
        let isTable = try call { amalgam_fts5_has_token($0, table, string, isPrefix ? 1 : 0, &hasToken) }
        return !isTable || hasToken != 0
    }

    /// The tokenizer of the table. It is valid during the access to the connection.
    var tokenizer: any FTS5Tokenizer { TableTokenizer(self) }
}

/// The tokenizer of an FTS5 table.
private final class TableTokenizer: LocaleTokenizer {
    private let index: FullTextIndex

    init(_ index: FullTextIndex) {
        self.index = index
    }

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        pLocale: UnsafePointer<CChar>?, nLocale: CInt, tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        do {
            let isTable = try index.call { connection in
                amalgam_fts5_tokenize(
                    connection, index.table, tokenization.rawValue, pText, nText, pLocale, nLocale, context,
                    tokenCallback)
            }
            return isTable ? SQLITE_OK : SQLITE_ERROR
        } catch {
            if let receiver = TokenReceiver.behind(tokenCallback, context) {
                return receiver.failure == nil ? receiver.fail(error) : CallbackFailure(error).code
            }
            return CallbackFailure(error).code
        }
    }
}

// MARK: - Terms

extension FullTextIndex {
    /// The terms of the index, without their documents; empty if the table isn't an FTS5 table.
    ///
    /// They belong to a state of the index. Connections to a file share them with everything else that is in memory about
    /// a state, such as the lengths of documents.
    ///
    /// - Throws: `SQLITE_AUTH` if an authorizer, such as a sandbox, doesn't allow reading all columns: each column
    ///   has terms in the index. A SELECT of a vocabulary table follows the same rule.
    func terms() throws -> IndexTerms {
        try db.checkPermission(toReadAllColumnsOf: table)
        var methods = amalgam_fts5_terms_methods(
            load: { reader, terms in
                guard let reader, let terms else { return SQLITE_MISUSE }
                return Unmanaged<TermReader>.fromOpaque(reader)._withUnsafeGuaranteedRef { $0.load(into: terms) }
            },
            add: { _, earlier, bytes, size, terms in
                guard let earlier, let terms else { return }
                let added = Unmanaged<IndexTerms>.fromOpaque(earlier)._withUnsafeGuaranteedRef {
                    $0.adding(UnsafeBufferPointer(start: bytes, count: Int(size)))
                }
                terms.pointee = added.map { Unmanaged.passRetained($0).toOpaque() }
            },
            retain: { terms in if let terms { _ = Unmanaged<IndexTerms>.fromOpaque(terms).retain() } },
            release: { terms in if let terms { Unmanaged<IndexTerms>.fromOpaque(terms).release() } })
        var terms: UnsafeMutableRawPointer?
        let reader = TermReader(self)
        _ = try call(readsFile: true) { connection in
            withExtendedLifetime(reader) {
                amalgam_fts5_terms(
                    connection, table, &methods, Unmanaged.passUnretained(reader).toOpaque(), &terms)
            }
        }
        guard let terms else { return IndexTerms(TermList(sorted: [])) }
        return Unmanaged<IndexTerms>.fromOpaque(terms).takeRetainedValue()
    }
}

/// Reads the terms of an index, segment by segment.
private final class TermReader {
    private let index: FullTextIndex
    private var segments: [SegmentTerms] = []

    init(_ index: FullTextIndex) {
        self.index = index
    }

    /// Creates a list that the caller owns.
    func load(into terms: UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> CInt {
        segments = []
        let code = amalgam_fts5_each_term(
            index.db.sqliteConnection, index.table, Unmanaged.passUnretained(self).toOpaque()
        ) { reader, segment, term, count, size in
            guard let reader, let term else { return SQLITE_MISUSE }
            let bytes = UnsafeRawBufferPointer(start: term, count: Int(count))
            Unmanaged<TermReader>.fromOpaque(reader)._withUnsafeGuaranteedRef {
                $0.append(bytes, size: Int(size), toSegment: Int(segment))
            }
            return SQLITE_OK
        }
        if code == SQLITE_OK {
            terms.pointee = Unmanaged.passRetained(IndexTerms(TermList(merging: segments))).toOpaque()
        }
        return code
    }

    private func append(_ term: UnsafeRawBufferPointer, size: Int, toSegment segment: Int) {
        while segments.count <= segment { segments.append(SegmentTerms()) }
        segments[segment].append(term, size: size)
    }
}
