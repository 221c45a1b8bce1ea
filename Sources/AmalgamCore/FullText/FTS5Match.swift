import CAmalgam

/// A row that a search has found, and the search: what an ``FTS5Function`` is given.
///
/// It cannot be copied, and is only lent to the function: so it does not outlive the call.
///
/// ```swift
/// // Documents with the first phrase in their titles come first.
/// let inTitle = FTS5Function("inTitle") { match, arguments in
///     try match.columns(ofPhrase: 0).contains(0)
/// }
/// ```
///
/// Phrases are the quoted or single words of the pattern, from left to right, and columns those of the table: both are
/// counted from 0. Methods throw `SQLITE_RANGE` for a number that is too large. See
/// <https://www.sqlite.org/fts5.html#custom_auxiliary_functions_api_reference>.
public struct FTS5Match: ~Copyable {
    /// A place in the row that a phrase of the search matches.
    public struct Hit: Hashable, Sendable {
        /// The phrase.
        public let phrase: Int

        /// The column.
        public let column: Int

        /// The number of the first token of the hit in the text of the column, counted from 0.
        public let tokenOffset: Int
    }

    // Types of C are not named here: a program may import another `sqlite3.h` beside this module.
    private let functions: UnsafeRawPointer
    private let match: OpaquePointer

    init(_ functions: UnsafePointer<Fts5ExtensionApi>, _ match: OpaquePointer) {
        self.functions = UnsafeRawPointer(functions)
        self.match = match
    }

    private var api: UnsafePointer<Fts5ExtensionApi> {
        functions.assumingMemoryBound(to: Fts5ExtensionApi.self)
    }
}

// MARK: - The row

extension FTS5Match {
    /// The rowid of the row.
    public var rowID: Int64 { api.pointee.xRowid(match) }

    /// The number of columns of the table.
    public var columnCount: Int { Int(api.pointee.xColumnCount(match)) }

    /// The number of tokens in a column of the row.
    ///
    /// It is stored with the index, unless the table has the option `columnsize=0`: then the text is tokenized.
    public func size(ofColumn column: Int) throws -> Int {
        try checkColumn(column)
        var size: CInt = 0
        try check(api.pointee.xColumnSize(match, CInt(column), &size))
        return Int(size)
    }

    /// The number of tokens in the row.
    public func size() throws -> Int {
        var size: CInt = 0
        try check(api.pointee.xColumnSize(match, -1, &size))
        return Int(size)
    }

    /// The text of a column of the row; empty in a contentless table.
    public func text(ofColumn column: Int) throws -> String {
        try withText(ofColumn: column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The name of the locale of a text, nil for none: <https://www.sqlite.org/fts5.html#the_locale_option>.
    public func locale(ofColumn column: Int) throws -> String? {
        let locale = try localeBytes(ofColumn: column)
        return locale.isEmpty ? nil : String(decoding: locale, as: UTF8.self)
    }

    /// Lends the bytes of a text.
    package func withText<Result>(
        ofColumn column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try checkColumn(column)
        var text: UnsafePointer<CChar>?
        var count: CInt = 0
        try check(api.pointee.xColumnText(match, CInt(column), &text, &count))
        return try body(UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(count)))
    }

    private func localeBytes(ofColumn column: Int) throws -> UnsafeRawBufferPointer {
        try checkColumn(column)
        var locale: UnsafePointer<CChar>?
        var count: CInt = 0
        try check(api.pointee.xColumnLocale(match, CInt(column), &locale, &count))
        return UnsafeRawBufferPointer(start: locale, count: locale == nil ? 0 : Int(count))
    }

    /// Where the tokens of a text are, in bytes. Synonyms have no place of their own.
    package func tokenRanges(ofColumn column: Int) throws -> [Range<Int>] {
        let locale = try localeBytes(ofColumn: column)
        return try withText(ofColumn: column) { text in
            var ranges: [Range<Int>] = []
            try withoutActuallyEscaping({ (token: RawToken) in
                if !token.flags.contains(.colocated) { ranges.append(token.start..<token.end) }
            }) { body in
                let receiver = ClosureReceiver(body)
                let code = withExtendedLifetime(receiver) {
                    api.pointee.xTokenize_v2(
                        match, text.cText, CInt(text.count), locale.isEmpty ? nil : locale.cText,
                        CInt(locale.count), receiver.context, TokenReceiver.callback)
                }
                try check(code)
            }
            return ranges
        }
    }
}

// MARK: - The search

extension FTS5Match {
    /// The number of phrases in the pattern.
    public var phraseCount: Int { Int(api.pointee.xPhraseCount(match)) }

    /// The number of tokens in a phrase.
    public func size(ofPhrase phrase: Int) throws -> Int {
        try checkPhrase(phrase)
        return Int(api.pointee.xPhraseSize(match, CInt(phrase)))
    }

    /// The tokens of a phrase.
    public func tokens(ofPhrase phrase: Int) throws -> [String] {
        try (0..<size(ofPhrase: phrase)).map { index in
            var token: UnsafePointer<CChar>?
            var count: CInt = 0
            try check(api.pointee.xQueryToken(match, CInt(phrase), CInt(index), &token, &count))
            return String(
                decoding: UnsafeRawBufferPointer(start: token, count: token == nil ? 0 : Int(count)), as: UTF8.self)
        }
    }

    /// The number of places in the row that phrases match.
    public func hitCount() throws -> Int {
        var count: CInt = 0
        try check(api.pointee.xInstCount(match, &count))
        return Int(count)
    }

    /// The places in the row that phrases match, in the order of the row.
    public func hits() throws -> [Hit] {
        try (0..<hitCount()).map { index in
            var (phrase, column, offset): (CInt, CInt, CInt) = (0, 0, 0)
            try check(api.pointee.xInst(match, CInt(index), &phrase, &column, &offset))
            return Hit(phrase: Int(phrase), column: Int(column), tokenOffset: Int(offset))
        }
    }

    /// The columns of the row that a phrase matches.
    ///
    /// It is the only way to hits in tables with the option `detail=column`, and fast there.
    public func columns(ofPhrase phrase: Int) throws -> [Int] {
        try checkPhrase(phrase)
        var iterator = Fts5PhraseIter()
        var column: CInt = 0
        try check(api.pointee.xPhraseFirstColumn(match, CInt(phrase), &iterator, &column))
        var columns: [Int] = []
        while column >= 0 {
            columns.append(Int(column))
            api.pointee.xPhraseNextColumn(match, &iterator, &column)
        }
        return columns
    }
}

// MARK: - The table

extension FTS5Match {
    /// The number of rows of the table.
    public func rowCount() throws -> Int {
        var count: Int64 = 0
        try check(api.pointee.xRowCount(match, &count))
        return Int(count)
    }

    /// The number of tokens in a column of all rows.
    public func totalSize(ofColumn column: Int) throws -> Int {
        try checkColumn(column)
        return try totalSize(CInt(column))
    }

    /// The number of tokens in all rows.
    public func totalSize() throws -> Int { try totalSize(-1) }

    /// The average number of tokens in a column of a row.
    public func averageSize(ofColumn column: Int) throws -> Double {
        try Double(totalSize(ofColumn: column)) / Double(max(1, rowCount()))
    }

    /// The average number of tokens in a row.
    public func averageSize() throws -> Double { try Double(totalSize()) / Double(max(1, rowCount())) }

    private func totalSize(_ column: CInt) throws -> Int {
        var size: Int64 = 0
        try check(api.pointee.xColumnTotalSize(match, column, &size))
        return Int(size)
    }

    /// The number of rows that a phrase matches, whatever the rest of the pattern.
    ///
    /// All of these rows are visited: ask once for a search, with ``cached(_:_:)``.
    public func rowCount(ofPhrase phrase: Int) throws -> Int {
        var count = 0
        try forEachRow(ofPhrase: phrase) { _ in count += 1 }
        return count
    }

    /// Visits the rows that a phrase matches, whatever the rest of the pattern. The only phrase of these matches is this
    /// phrase.
    ///
    /// - throws: the error of the closure.
    public func forEachRow(ofPhrase phrase: Int, _ body: (borrowing FTS5Match) throws -> Void) throws {
        try checkPhrase(phrase)
        try withoutActuallyEscaping(body) { body in
            let visitor = RowVisitor(body)
            let code = withExtendedLifetime(visitor) {
                api.pointee.xQueryPhrase(
                    match, CInt(phrase), Unmanaged.passUnretained(visitor).toOpaque(), RowVisitor.visit)
            }
            if let failure = visitor.failure { throw failure }
            try check(code)
        }
    }
}

/// What visits the rows of a phrase.
private final class RowVisitor {
    private let body: (borrowing FTS5Match) throws -> Void
    private(set) var failure: (any Error)?

    init(_ body: @escaping (borrowing FTS5Match) throws -> Void) {
        self.body = body
    }

    static let visit:
        @convention(c) (UnsafePointer<Fts5ExtensionApi>?, OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = {
            api, match, visitor in
            guard let api, let match, let visitor else { return SQLITE_MISUSE }
            let object = Unmanaged<RowVisitor>.fromOpaque(visitor).takeUnretainedValue()
            do {
                try object.body(FTS5Match(api, match))
                return SQLITE_OK
            } catch {
                object.failure = error
                return SQLITE_ABORT
            }
        }
}

// MARK: - What is kept from row to row

extension FTS5Match {
    /// A value that is made once for a search, at its first row: what is the same for all rows, and takes time.
    ///
    /// ```swift
    /// let rarity = FTS5Function("rarity") { match, arguments in
    ///     let counts = try match.cached([Int].self) { match in
    ///         try (0..<match.phraseCount).map { phrase in try match.rowCount(ofPhrase: phrase) }
    ///     }
    ///     return try match.hits().reduce(0.0) { sum, hit in sum + 1 / Double(max(1, counts[hit.phrase])) }
    /// }
    /// ```
    ///
    /// A function has one value of each type for a search.
    public func cached<Value>(
        _ type: Value.Type = Value.self, _ make: (borrowing FTS5Match) throws -> Value
    ) throws -> Value {
        let cache = try cache()
        if let value = cache.values[ObjectIdentifier(type)] as? Value { return value }
        let value = try make(self)
        cache.values[ObjectIdentifier(type)] = value
        return value
    }

    private func cache() throws -> SearchCache {
        if let cache = api.pointee.xGetAuxdata(match, 0) {
            return Unmanaged<SearchCache>.fromOpaque(cache).takeUnretainedValue()
        }
        let cache = SearchCache()
        // SQLite releases the cache also when it has no memory for it.
        let code = api.pointee.xSetAuxdata(match, Unmanaged.passRetained(cache).toOpaque()) { cache in
            if let cache { Unmanaged<SearchCache>.fromOpaque(cache).release() }
        }
        try check(code)
        return cache
    }
}

/// The values that a function keeps for a search.
private final class SearchCache {
    var values: [ObjectIdentifier: Any] = [:]
}

// MARK: - Errors

extension FTS5Match {
    private func check(_ code: CInt) throws {
        if code != SQLITE_OK { throw DatabaseError(code: code) }
    }

    private func checkColumn(_ column: Int) throws {
        if !(0..<columnCount).contains(column) {
            throw DatabaseError(
                resultCode: .SQLITE_RANGE,
                message: "there is no column \(column): the full-text table has \(columnCount) columns")
        }
    }

    private func checkPhrase(_ phrase: Int) throws {
        if !(0..<phraseCount).contains(phrase) {
            throw DatabaseError(
                resultCode: .SQLITE_RANGE,
                message: "there is no phrase \(phrase): the pattern has \(phraseCount) phrases")
        }
    }
}
