import CAmalgam

/// A language whose words can be reduced to their stems by an algorithm of [Snowball](https://snowballstem.org).
///
/// ```swift
/// try db.create(virtualTable: "note", using: FTS5()) { t in
///     t.tokenizer = .snowball(language: .french)
///     t.column("body")
/// }
/// // CREATE VIRTUAL TABLE "note" USING fts5(body, tokenize='''snowball'' ''french'' ''2.2.0''')
/// ```
///
/// The stemmers are compiled in by `scripts/bootstrap`. They aren't part of a build with `--without-stemmers`.
public struct SnowballLanguage: RawRepresentable, Hashable, Sendable {
    /// The name of the algorithm, such as `english`.
    public let rawValue: String

    /// Creates a language from the name of its algorithm. ``all`` lists the names that this build knows.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates the language of a locale, from its name or its code of ISO 639. The region is ignored.
    ///
    /// ```swift
    /// SnowballLanguage(locale: "de_AT")   // .german
    /// SnowballLanguage(locale: "nb")      // .norwegian
    /// SnowballLanguage(locale: "ja")      // nil
    /// ```
    ///
    /// Returns nil if this build has no stemmer for the language.
    public init?(locale: String) {
        var locale = locale
        let number = locale.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { amalgam_stemming_language_of($0, CInt(clamping: characters.count)) } ?? -1
            }
        }
        guard let name = amalgam_stemming_language(number) else { return nil }
        self.init(rawValue: String(cString: name))
    }

    /// The languages that this build has stemmers for, by name; empty in a build with `--without-stemmers`.
    ///
    /// ```swift
    /// SnowballLanguage.all.map(\.rawValue)   // ["arabic", "armenian", "basque", …]
    /// ```
    public static var all: [SnowballLanguage] {
        var languages: [SnowballLanguage] = []
        while let name = amalgam_stemming_language(CInt(languages.count)) {
            languages.append(SnowballLanguage(rawValue: String(cString: name)))
        }
        return languages
    }

    /// The version of Snowball, such as `2.2.0`; nil in a build with `--without-stemmers`.
    public static var snowballVersion: String? { amalgam_stemming_version().map { String(cString: $0) } }

    /// The stop words of the language: articles, pronouns, prepositions, conjunctions, auxiliary verbs and the like.
    ///
    /// ```swift
    /// SnowballLanguage.german.stopWords.prefix(3)   // ["aber", "alle", "allem"]
    /// ```
    ///
    /// Empty for Armenian, Basque, Nepali, Serbian, Tamil and Yiddish, which have no list.
    public var stopWords: [String] {
        guard let number = Self.all.firstIndex(of: self) else { return [] }
        return String(cString: amalgam_stemming_stop_words(CInt(number))).split(separator: " ").map(String.init)
    }
}

extension SnowballLanguage {
    /// Arabic.
    public static let arabic = SnowballLanguage(rawValue: "arabic")
    /// Armenian.
    public static let armenian = SnowballLanguage(rawValue: "armenian")
    /// Basque.
    public static let basque = SnowballLanguage(rawValue: "basque")
    /// Catalan.
    public static let catalan = SnowballLanguage(rawValue: "catalan")
    /// Danish.
    public static let danish = SnowballLanguage(rawValue: "danish")
    /// Dutch.
    public static let dutch = SnowballLanguage(rawValue: "dutch")
    /// English. Its algorithm, "Porter 2", corrects some stems of ``FTS5TokenizerDescriptor/porter(wrapping:)``.
    public static let english = SnowballLanguage(rawValue: "english")
    /// Finnish.
    public static let finnish = SnowballLanguage(rawValue: "finnish")
    /// French.
    public static let french = SnowballLanguage(rawValue: "french")
    /// German.
    public static let german = SnowballLanguage(rawValue: "german")
    /// Greek.
    public static let greek = SnowballLanguage(rawValue: "greek")
    /// Hindi.
    public static let hindi = SnowballLanguage(rawValue: "hindi")
    /// Hungarian.
    public static let hungarian = SnowballLanguage(rawValue: "hungarian")
    /// Indonesian.
    public static let indonesian = SnowballLanguage(rawValue: "indonesian")
    /// Irish.
    public static let irish = SnowballLanguage(rawValue: "irish")
    /// Italian.
    public static let italian = SnowballLanguage(rawValue: "italian")
    /// Lithuanian.
    public static let lithuanian = SnowballLanguage(rawValue: "lithuanian")
    /// Nepali.
    public static let nepali = SnowballLanguage(rawValue: "nepali")
    /// Norwegian: Bokmål and Nynorsk.
    public static let norwegian = SnowballLanguage(rawValue: "norwegian")
    /// Portuguese.
    public static let portuguese = SnowballLanguage(rawValue: "portuguese")
    /// Romanian.
    public static let romanian = SnowballLanguage(rawValue: "romanian")
    /// Russian.
    public static let russian = SnowballLanguage(rawValue: "russian")
    /// Serbian.
    public static let serbian = SnowballLanguage(rawValue: "serbian")
    /// Spanish.
    public static let spanish = SnowballLanguage(rawValue: "spanish")
    /// Swedish.
    public static let swedish = SnowballLanguage(rawValue: "swedish")
    /// Tamil.
    public static let tamil = SnowballLanguage(rawValue: "tamil")
    /// Turkish.
    public static let turkish = SnowballLanguage(rawValue: "turkish")
    /// Yiddish.
    public static let yiddish = SnowballLanguage(rawValue: "yiddish")
}
