import AmalgamCore
internal import Foundation

/// The differences between letters that a tokenizer ignores: see ``FTS5TokenizerModule/folding(_:named:)``.
///
/// ```swift
/// let folding = FTS5TokenizerModule.folding([.diacritics, .letterCase])
/// ```
public struct FTS5Folding: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Folds compatibility variants: "ﬁ" to "fi", "Ｆ" to "F", "①" to "1", "ｶﾞ" to "ガ". This is Unicode's normalization
    /// form NFKC: <https://www.unicode.org/reports/tr15/>.
    public static let compatibility = FTS5Folding(rawValue: 1 << 0)

    /// Removes diacritics: "é" and "ệ" become "e". Marks that form different letters, as in Japanese and Hindi, aren't
    /// removed.
    public static let diacritics = FTS5Folding(rawValue: 1 << 1)

    /// Folds Latin letters without a Unicode decomposition: "ß" to "ss", "æ" to "ae", "ø" to "o", "ł" to "l", "ı" to
    /// "i".
    public static let letters = FTS5Folding(rawValue: 1 << 2)

    /// Folds the case of letters in all scripts.
    public static let letterCase = FTS5Folding(rawValue: 1 << 3)

    /// All differences.
    public static let all: FTS5Folding = [.compatibility, .diacritics, .letters, .letterCase]
}

extension FTS5TokenizerModule {
    /// Returns a tokenizer that folds variants of letters, including many that `unicode61` distinguishes.
    ///
    /// ```swift
    /// let folding = FTS5TokenizerModule.folding()
    /// // "Ｆｕｌｌ ﬁne Straße in Łódź"   full fine strasse in lodz
    /// ```
    ///
    /// ASCII tokens in lowercase need no folding, and cost almost no time.
    ///
    /// - Parameters:
    ///   - folding: The differences to ignore.
    ///   - name: The name of the tokenizer.
    public static func folding(_ folding: FTS5Folding = .all, named name: String = "folding") -> FTS5TokenizerModule {
        FTS5TokenizerModule(wrappingAs: name) { wrapped in FoldingTokenizer(wrapped, folding) }
    }
}

private final class FoldingTokenizer: TokenFilter {
    private let folding: FTS5Folding

    /// A cache of folded words, by word. When the cache contains 4,096 words, it is emptied.
    ///
    /// The keys are bytes, not strings, because Swift considers the composed and the decomposed form of "é" equal.
    /// Their folded forms may differ.
    private var folded: [[UInt8]: [UInt8]] = [:]

    init(_ tokenizer: any FTS5Tokenizer, _ folding: FTS5Folding) {
        self.folding = folding
        super.init(WrappedTokenizer(tokenizer))
    }

    override func accept(
        _ token: RawToken, isPrefix: Bool, in text: TokenizedText, _ pass: (RawToken) throws -> Void
    ) throws {
        if token.bytes.isASCII(inLowerCase: folding.contains(.letterCase)) { return try pass(token) }
        try folded(token).withUnsafeBytes { bytes in
            var token = token
            token.bytes = bytes
            try pass(token)
        }
    }

    private func folded(_ token: RawToken) -> [UInt8] {
        let word = Array(token.bytes)
        if let result = folded[word] { return result }
        if folded.count == 4096 { folded.removeAll(keepingCapacity: true) }
        let result = Array(fold(String(token)).utf8)
        folded[word] = result
        return result
    }

    private func fold(_ word: String) -> String {
        var word = word
        if folding.contains(.compatibility) { word = word.precomposedStringWithCompatibilityMapping }
        if folding.contains(.letterCase) { word = word.lowercased() }
        if folding.contains(.letters) { word = word.withPlainLetters }
        if folding.contains(.diacritics) { word = word.withoutDiacritics }
        return word
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func isASCII(inLowerCase: Bool) -> Bool {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return allSatisfy { $0 < 0x80 && !(inLowerCase && capitals.contains($0)) }
    }
}

extension String {
    /// The string without diacritics: decomposed, filtered, and composed again.
    fileprivate var withoutDiacritics: String {
        let scalars = decomposedStringWithCanonicalMapping.unicodeScalars.filter { !$0.isDiacritic }
        return String(String.UnicodeScalarView(scalars)).precomposedStringWithCanonicalMapping
    }

    fileprivate var withPlainLetters: String {
        guard unicodeScalars.contains(where: { plainLetters[$0] != nil }) else { return self }
        return unicodeScalars.map { plainLetters[$0] ?? String($0) }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a mark that combines with letters of any script, and not of one script only.
    fileprivate var isDiacritic: Bool {
        switch value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        default: false
        }
    }
}

private let plainLetters: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d",
    "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "ı": "i", "ŋ": "ng",
    "Ŋ": "NG", "ĸ": "k", "ƀ": "b", "ɨ": "i", "ʉ": "u",
]
