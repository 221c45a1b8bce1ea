import AmalgamCore
import CAmalgam

extension FTS5TokenizerModule {
    /// Returns a tokenizer for Thai, Lao, Khmer and Burmese text, which is written without spaces between words: it
    /// finds the words in ICU's dictionaries. The wrapped tokenizer receives the rest of the text, and digits.
    ///
    /// ```swift
    /// let words = FTS5TokenizerModule.southEastAsianWords()
    /// // "กินข้าว ok"   กิน ข้าว ok
    /// ```
    ///
    /// SQLite must have been built with ICU: `scripts/bootstrap --with ENABLE_ICU`, or a release made with it. Without
    /// ICU, creating or opening a table with this tokenizer throws a ``DatabaseError`` with the code `SQLITE_ERROR`.
    ///
    /// A pattern matches whole words, so it finds less than with ``southEastAsianPairs(named:)``, and finds nothing in
    /// words that the dictionaries don't contain if their parts differ in the document and in the pattern. The index is
    /// smaller. ICU's dictionaries change with its version: rebuild the index after an update of ICU.
    ///
    /// See <https://unicode-org.github.io/icu/userguide/boundaryanalysis/>.
    public static func southEastAsianWords(named name: String = "south_east_asian_words") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in try DictionaryTokenizer(dividing: WrappedTokenizer(wrapped))
        }
    }
}

/// Indexes the words of South-East Asian scripts. The wrapped tokenizer receives the rest of the text.
private final class DictionaryTokenizer: SegmentTokenizer {
    private let words: OpaquePointer

    init(dividing wrapped: WrappedTokenizer) throws {
        guard amalgam_words_are_available() != 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: """
                    the tokenizer needs the dictionaries of ICU, and SQLite was built without them: \
                    scripts/bootstrap --with ENABLE_ICU, or use FTS5TokenizerModule.southEastAsianPairs()
                    """)
        }
        guard let words = amalgam_words_new() else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        self.words = words
        super.init(wrapped)
    }

    deinit { amalgam_words_free(words) }

    override func nextSegment(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        SouthEastAsianScript.nextSegment(in: bytes, from: start)
    }

    override func passSegment(
        _ range: Range<Int>, of text: TokenizedText, to body: (RawToken) throws -> Void
    ) throws -> KeptToken? {
        let segment = UnsafeRawBufferPointer(rebasing: text.bytes[range])
        let string = segment.bindMemory(to: CChar.self)
        let code = amalgam_words_begin(words, string.baseAddress, Int64(string.count))
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        var (start, end): (Int64, Int64) = (0, 0)
        while amalgam_words_next(words, &start, &end) != 0 {
            let word = Int(start)..<Int(end)
            try SouthEastAsianScript.indexedBytes(of: UnsafeRawBufferPointer(rebasing: segment[word]))
                .withUnsafeBytes { bytes in
                    try body(
                        RawToken(
                            bytes: bytes, flags: [], start: range.lowerBound + word.lowerBound,
                            end: range.lowerBound + word.upperBound))
                }
        }
        return nil
    }
}
