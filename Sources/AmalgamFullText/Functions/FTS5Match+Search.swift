import AmalgamCore
import CAmalgam

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
