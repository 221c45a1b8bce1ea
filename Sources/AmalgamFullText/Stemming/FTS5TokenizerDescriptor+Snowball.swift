import AmalgamCore
import CAmalgam

extension FTS5TokenizerDescriptor {
    /// Returns a tokenizer that reduces the words of a language to their stems: a search for "nationality" also finds
    /// "nationalities".
    ///
    /// ```swift
    /// let tokenizer = FTS5TokenizerDescriptor.snowball(language: .english, stopWords: true)
    /// tokenizer.components   // ["snowball", "english", "2.2.0", "stop_words", "1"]
    /// // "The nationalities of the cats"   nation cat
    /// ```
    ///
    /// All connections have this tokenizer. `unicode61` splits the text into words, and keeps their diacritics and vowel
    /// signs, because stemmers need them. Diacritics are then removed from the stems. Text should be in Unicode's
    /// normalization form C.
    ///
    /// The table stores the version of the stemmers. If a later version of Amalgam has other stemmers, the index doesn't
    /// fit its queries any more: searches and changes of the table throw an error, and ``FTS5Index/rebuild(_:)`` updates
    /// the index and the stored version.
    ///
    /// A query for a prefix, such as `nationalit*`, searches for words that begin with it or with its stem. Stems are
    /// shorter than words, so that the prefix may match no stem, and find nothing, where the whole word does. The last
    /// word of a search box finds it: see ``SearchBoxSyntax/matchesPrefixOfLastWord``.
    ///
    /// Indexing takes up to 1.3 times as long as with `unicode61`. A connection that writes to the table uses 512 KB of
    /// memory for a cache of stems.
    ///
    /// - Parameters:
    ///   - language: The language.
    ///   - stopWords: Whether to omit the stop words of the language, in text and in queries: see
    ///     ``SnowballLanguage/stopWords``. Omitted words have no position: the phrase "theory firm" matches "theory of
    ///     the firm". A query that consists only of stop words matches nothing. A prefix is never a stop word.
    ///   - diacritics: Whether to remove diacritics from stems.
    ///   - base: The tokenizer that splits the text into words. It should convert letters to lower case, and keep their
    ///     diacritics, and the vowel signs of languages such as Hindi. If nil, it is
    ///     `.unicode61(diacritics: .keep, categories: "L* N* Co Mn Mc")`.
    public static func snowball(
        language: SnowballLanguage, stopWords: Bool = false, diacritics: FTS5.Diacritics = .remove,
        wrapping base: FTS5TokenizerDescriptor? = nil
    ) -> FTS5TokenizerDescriptor {
        snowball(languages: [language], stopWords: stopWords, diacritics: diacritics, wrapping: base)
    }

    /// Returns a tokenizer for text in several languages, each of which has a locale that tells the language.
    ///
    /// ```swift
    /// try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
    ///     t.tokenizer = .snowball(languages: [.english, .french, .german])
    ///     t.synchronize(withTable: "book", localeColumn: "language")
    ///     t.column("title")
    /// }
    /// ```
    ///
    /// The tokenizer stems text by its locale, such as `fr` or `fr_CA`: see ``FTS5/localized(_:locale:)`` and
    /// ``FTS5TableDefinition/synchronize(withTable:localeColumn:)``. Text without a locale is in the first language.
    /// Words of text in a language that isn't in the array have no stems.
    ///
    /// A query usually doesn't tell its language. Each of its words is then searched by its stems in all the languages,
    /// and as it is. A word that is a stop word in one of the languages is omitted. In `fts5_locale('fr', '…')`, a query
    /// is in one language.
    ///
    /// - Parameters:
    ///   - languages: The languages. If the array is empty, creating a table throws an error.
    ///   - stopWords: Whether to omit the stop words of each language.
    ///   - diacritics: Whether to remove diacritics from stems.
    ///   - base: The tokenizer that splits the text into words, as for one language.
    public static func snowball(
        languages: [SnowballLanguage], stopWords: Bool = false, diacritics: FTS5.Diacritics = .remove,
        wrapping base: FTS5TokenizerDescriptor? = nil
    ) -> FTS5TokenizerDescriptor {
        var components = [snowballName] + languages.map(\.rawValue)
        components.append(SnowballLanguage.snowballVersion ?? "0")
        if stopWords { components += ["stop_words", "1"] }
        switch diacritics {
        case .keep: components += ["remove_diacritics", "0"]
        case .removeLegacy: components += ["remove_diacritics", "1"]
        case .remove: break
        }
        return FTS5TokenizerDescriptor(components: components + (base?.components ?? []))
    }

    private static let snowballName = "snowball"

    /// Throws an error that tells what is wrong with the arguments of `snowball`, because FTS5 doesn't tell.
    ///
    /// - Throws: `SQLITE_ERROR` for wrong arguments, and in a build without stemmers.
    func checkStemmers(on db: Database) throws {
        guard name == Self.snowballName, let connection = db.sqliteConnection else { return }
        let problem = withCStrings(arguments) {
            amalgam_stemming_problem(connection, $0.baseAddress, CInt(clamping: $0.count))
        }
        guard let problem else { return }
        defer { sqlite3_free(problem) }
        throw DatabaseError(message: String(cString: problem))
    }
}
