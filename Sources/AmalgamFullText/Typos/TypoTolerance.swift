/// How many typos a search tolerates in a word of a query.
///
/// ```swift
/// let syntax = SearchBoxSyntax(matchesPrefixOfLastWord: true, typoTolerance: .standard)
/// let documents = try Document.matching(searchBox: "databse enigne", syntax: syntax)
///     .order(Column.rank).limit(20).fetchAll(db)
/// // finds "database engine"
/// ```
///
/// A typo is an inserted, deleted or replaced character, or two adjacent characters in the wrong order. Characters are
/// Unicode scalars, after the tokenizer of the table has folded their case. The first character may be wrong, too.
///
/// | length of the word | typos, with ``standard`` |
/// | --- | --- |
/// | 1 to 3 characters | 0 |
/// | 4 to 7 characters | 1 |
/// | 8 characters or more | 2 |
///
/// Words with digits, phrases in quotes, and words of more than 60 characters must match exactly. If the tokenizer
/// stems words, the lengths and the typos are those of the stems; in addition, one typo is tolerated in a whole word.
public struct TypoTolerance: Hashable, Sendable {
    /// The number of characters from which a word may have one typo.
    public var lengthForOneTypo: Int

    /// The number of characters from which a word may have two typos.
    public var lengthForTwoTypos: Int

    /// The maximum number of similar terms that are searched for each word.
    public var maximumTermCount: Int

    /// Whether `data base` also finds "database", and `database` also finds "data base". This counts as one typo.
    public var joinsAndSplitsWords: Bool

    /// One typo in words of 4 to 7 characters, two typos in longer words.
    public static let standard = TypoTolerance()

    /// Creates a typo tolerance.
    ///
    /// ```swift
    /// let tolerance = TypoTolerance(lengthForOneTypo: 5, lengthForTwoTypos: 9)
    /// ```
    ///
    /// - Parameters:
    ///   - lengthForOneTypo: The number of characters from which a word may have one typo.
    ///   - lengthForTwoTypos: The number of characters from which a word may have two typos.
    ///   - maximumTermCount: The maximum number of similar terms that are searched for each word, from 0 to 1,000.
    ///     Numbers out of this range are clamped.
    ///   - joinsAndSplitsWords: Whether `data base` also finds "database", and `database` also finds "data base".
    public init(
        lengthForOneTypo: Int = 4, lengthForTwoTypos: Int = 8, maximumTermCount: Int = 64,
        joinsAndSplitsWords: Bool = true
    ) {
        self.lengthForOneTypo = lengthForOneTypo
        self.lengthForTwoTypos = lengthForTwoTypos
        self.maximumTermCount = maximumTermCount
        self.joinsAndSplitsWords = joinsAndSplitsWords
    }
}

extension TypoTolerance {
    /// The longest word that may have typos.
    static let maximumLength = 60

    /// The maximum number of typos in a term of a query.
    func maximumTypoCount(of term: String) -> Int {
        let length = term.unicodeScalars.count
        if length > Self.maximumLength || term.unicodeScalars.contains(where: \.isDigit) { return 0 }
        if length >= lengthForTwoTypos { return 2 }
        return length >= lengthForOneTypo ? 1 : 0
    }

    /// The maximum number of terms, in the range that `maximumTermCount` allows.
    var termLimit: Int { min(max(0, maximumTermCount), 1_000) }
}

extension Unicode.Scalar {
    /// Whether the scalar is a digit, such as `7`, `٧` or `⁷`. Others with a numeric value are letters, such as the Han
    /// characters of numbers and sums, or numbers such as `½`.
    fileprivate var isDigit: Bool {
        properties.numericType == .decimal || properties.numericType == .digit
    }
}
