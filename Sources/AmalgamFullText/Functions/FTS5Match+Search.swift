import AmalgamCore
import CAmalgam

extension FTS5Match {
    /// The number of phrases in the pattern.
    public var phraseCount: Int { Int(api.pointee.xPhraseCount(match)) }

    /// Returns the number of tokens in a phrase.
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such phrase.
    public func size(ofPhrase phrase: Int) throws -> Int {
        try checkPhrase(phrase)
        return Int(api.pointee.xPhraseSize(match, CInt(phrase)))
    }

    /// Returns the tokens of a phrase.
    ///
    /// ```swift
    /// let query = FTS5Function("query") { match, arguments in
    ///     try (0..<match.phraseCount).flatMap { phrase in try match.tokens(ofPhrase: phrase) }.joined(separator: " ")
    /// }
    /// ```
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such phrase.
    public func tokens(ofPhrase phrase: Int) throws -> [String] {
        try (0..<size(ofPhrase: phrase)).map { index in
            var token: UnsafePointer<CChar>?
            var count: CInt = 0
            try check(api.pointee.xQueryToken(match, CInt(phrase), CInt(index), &token, &count))
            return String(
                decoding: UnsafeRawBufferPointer(start: token, count: token == nil ? 0 : Int(count)), as: UTF8.self)
        }
    }

    /// Returns the number of phrase matches in the row.
    ///
    /// ```swift
    /// let hitCount = FTS5Function("hitCount") { match, arguments in try match.hitCount() }
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the index can't be read.
    public func hitCount() throws -> Int {
        var count: CInt = 0
        try check(api.pointee.xInstCount(match, &count))
        return Int(count)
    }

    /// Returns the phrase matches in the row, in the order of columns and tokens.
    ///
    /// ```swift
    /// // The number of matches in the first column.
    /// let titleHits = FTS5Function("titleHits") { match, arguments in
    ///     try match.hits().count { $0.column == 0 }
    /// }
    /// ```
    ///
    /// - Throws: A ``DatabaseError`` if the index can't be read.
    public func hits() throws -> [Hit] {
        try (0..<hitCount()).map { try hit(at: $0) }
    }

    private func hit(at index: Int) throws -> Hit {
        var (phrase, column, offset): (CInt, CInt, CInt) = (0, 0, 0)
        try check(api.pointee.xInst(match, CInt(index), &phrase, &column, &offset))
        return Hit(phrase: Int(phrase), column: Int(column), tokenOffset: Int(offset))
    }

    /// The first phrase matches in each column, in the order of columns and tokens.
    ///
    /// - Parameters:
    ///   - column: The column; negative for all columns.
    ///   - limit: The maximum number of matches in a column.
    func firstHits(inColumn column: Int, limit: Int) throws -> [Hit] {
        var hits: [Hit] = []
        var (currentColumn, count) = (-1, 0)
        for index in 0..<(try hitCount()) {
            let hit = try hit(at: index)
            if hit.column != currentColumn { (currentColumn, count) = (hit.column, 0) }
            guard column < 0 || hit.column == column, count < limit else { continue }
            count += 1
            hits.append(hit)
        }
        return hits
    }

    /// Returns the columns of the row that a phrase matches.
    ///
    /// ```swift
    /// let inTitle = FTS5Function("inTitle") { match, arguments in
    ///     try match.columns(ofPhrase: 0).contains(0)
    /// }
    /// ```
    ///
    /// In tables with the option `detail=column`, this method is fast, while ``hits()`` has to tokenize the text. In a
    /// contentless table with `detail=none`, it returns no columns: FTS5 knows neither the columns nor the text.
    ///
    /// - Throws: `SQLITE_RANGE` if there is no such phrase.
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
