import CAmalgam
import Synchronization

/// Strings that may complete a word that the user is still typing, so that the tokenizer changes its beginning.
///
/// A stemming tokenizer changes "freundlichkeit" to the term "freundlich", which doesn't begin with "freundlichkei". The
/// prefix query `freundlichkei*` would find no document with "freundlichkeit". The endings of German complete the word.
/// The tokenizer decides what it changes: a string that completes nothing is harmless.
final class WordEndings: Sendable {
    /// The strings that complete a beginning of an ending, by this beginning: "t" and "ten" for "hei".
    private let completions: [String: [String]]

    /// The strings that may follow a word, and change its beginning, as "ed" changes "stopp": short endings are enough.
    private let successors: [String]

    /// The number of Unicode scalars of the longest beginning.
    private let maximumLength: Int

    /// What replaces the letters of a word before they are compared with endings.
    private let letters: [Unicode.Scalar: String]

    private init(_ language: SnowballLanguage) {
        var completions: [String: Set<String>] = [:]
        let endings = Self.strings(of: language)
        for ending in endings {
            let scalars = Array(ending.unicodeScalars)
            for length in 1..<max(1, scalars.count) {
                completions[String(scalars[..<length]), default: []].insert(String(scalars[length...]))
            }
        }
        self.completions = completions.mapValues { $0.sorted() }
        maximumLength = completions.keys.lazy.map(\.unicodeScalars.count).max() ?? 0
        successors = endings.filter { $0.unicodeScalars.count <= 3 }
        letters = Self.letters[language, default: [:]]
    }

    /// The strings that may complete a word.
    func completions(of word: some StringProtocol) -> Set<String> {
        guard let last = word.last, last.isLetter else { return [] }
        let scalars = word.lowercased().unicodeScalars.flatMap { scalar in
            letters[scalar].map { Array($0.unicodeScalars) } ?? [scalar]
        }
        let script = scalars.last?.script
        var found = Set(successors.lazy.filter { $0.unicodeScalars.first?.script == script })
        for length in 1..<(min(maximumLength, scalars.count) + 1) {
            found.formUnion(completions[String(scalars.suffix(length))] ?? [])
        }
        return found
    }
}

extension WordEndings {
    /// Strings that no stemmer removes from the end of a word. They show how a stemmer changes the beginning of a word
    /// when more letters follow: the Indonesian one changes "mengamglup" to "amglup".
    ///
    /// - Returns: The strings in the script of the word.
    static func fillers(for word: String) -> [String] {
        word.unicodeScalars.last.flatMap { fillers[$0.script] } ?? []
    }

    /// The strings by script. The Serbian stemmer changes Cyrillic letters to Latin ones, and then "je" to "e".
    private static let fillers: [UInt32: [String]] = [
        0x0: ["glup", "eglup"], 0x3: ["γροβ", "εγροβ"], 0x4: ["глуп", "glup", "eglup"], 0x5: ["գրոպ", "גרוב"],
        0x6: ["كتب"], 0x9: ["घर"], 0xB: ["படம்"],
    ]

    private static let known = Mutex<[SnowballLanguage: WordEndings]>([:])

    /// The endings of a language. They are collected once.
    static func endings(of language: SnowballLanguage) -> WordEndings {
        if let endings = known.withLock({ $0[language] }) { return endings }
        let endings = WordEndings(language)
        known.withLock { $0[language] = endings }
        return endings
    }

    /// The endings that the stemmer of a language removes, alone and in sequence.
    private static func strings(of language: SnowballLanguage) -> [String] {
        if language == .english { return englishEndings }
        guard let number = SnowballLanguage.all.firstIndex(of: language) else { return [] }
        var endings = Set(sequences[language, default: []])
        var (index, length): (CInt, CInt) = (0, 0)
        while let ending = amalgam_stemming_ending(CInt(number), index, &length) {
            let bytes = UnsafeRawBufferPointer(start: ending, count: Int(length))
            // While they work, stemmers write some vowels in upper case, and the Portuguese one writes "ã" as "a~".
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            endings.insert(text.replacing("a~", with: "ã").replacing("o~", with: "õ"))
            index += 1
        }
        return endings.filter { !$0.isEmpty && $0.allSatisfy(\.isLetterOrMark) }.sorted()
    }

    /// Endings in sequence where the stemmer removes none without the next one, and the consonants before which Dutch
    /// has one vowel in place of two.
    private static let sequences: [SnowballLanguage: [String]] = [
        .armenian: ["ությունի", "ությունով"],
        .basque: ["xkaren"],
        .danish: ["else"],
        .dutch: ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "bare"],
        .french: ["abilité", "ibilité"],
        .lithuanian: ["iškas", "iško", "iukas", "jamas", "učiukas", "uliukas"],
        .norwegian: ["else"],
        .portuguese: ["abilidade", "ibilidade", "icidade", "ividade"],
        .serbian: ["nost", "smo"],
        .spanish: [
            "abilidad", "ibilidad", "icidad", "ividad", "ándola", "iéndola", "yéndola", "árselo", "érselo", "írselo",
        ],
        .swedish: ["else", "elser"],
        .turkish: [
            "ının", "inin", "unun", "ünün", "sının", "sinin", "sunun", "sünün", "ların", "lerin", "lardır", "lerdir",
            "mışlar", "mişler", "muşlar", "müşler", "dırlar", "dirler", "durlar", "dürler", "ydılar", "ydiler",
        ],
    ]

    /// Letters that the stemmer replaces before it looks for endings.
    private static let letters: [SnowballLanguage: [Unicode.Scalar: String]] = [
        .greek: [
            "ά": "α", "έ": "ε", "ή": "η", "ί": "ι", "ϊ": "ι", "ΐ": "ι", "ό": "ο", "ύ": "υ", "ϋ": "υ", "ΰ": "υ",
            "ώ": "ω", "ς": "σ",
        ],
        .serbian: [
            "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "ђ": "đ", "е": "e", "ж": "ž", "з": "z", "и": "i",
            "ј": "j", "к": "k", "л": "l", "љ": "lj", "м": "m", "н": "n", "њ": "nj", "о": "o", "п": "p", "р": "r",
            "с": "s", "т": "t", "ћ": "ć", "у": "u", "ф": "f", "х": "h", "ц": "c", "ч": "č", "џ": "dž", "ш": "š",
        ],
    ]

    /// The endings that `porter` and Snowball's stemmer of English remove.
    private static let englishEndings: [String] = [
        "s", "es", "ies", "ied", "ier", "iest", "ed", "eds", "ing", "ings", "ingly", "edly", "e", "y", "er", "ers",
        "ly", "ily", "ally", "al", "als", "ial", "ials", "ially", "ical", "ically", "ic", "ics", "icity", "icities",
        "ate", "ates", "ated", "ating", "ator", "ators", "ation", "ations", "ational", "ationally", "ative", "atively",
        "ion", "ions", "ional", "ionally", "ioned", "ioning", "ioner", "ioners",
        "ize", "izes", "ized", "izer", "izers", "izing", "ization", "izations", "izational", "alize", "alized",
        "alizes", "alizing", "alization", "alizations", "alism", "alist", "alists", "ality", "alities",
        "ise", "ises", "ised", "iser", "isers", "ising", "isation", "isations",
        "ism", "isms", "ist", "ists", "ity", "ities", "ive", "ives", "ively", "iveness", "ivity", "ivities",
        "able", "ables", "ably", "ability", "abilities", "ible", "ibles", "ibly", "ibility", "ibilities",
        "ance", "ances", "ence", "ences", "ancy", "ency", "ancies", "encies", "ant", "ants", "ent", "ents", "antly",
        "ently", "ment", "ments", "mental", "ement", "ements", "ness", "nesses", "fulness", "ousness", "ful", "fully",
        "ous", "ously", "li", "entli", "ousli", "logical", "logically", "logy", "icate", "icated", "icates",
        "icating", "icative", "icatively", "ication", "ications", "iciti",
    ]
}

extension Unicode.Scalar {
    /// A number for the script of a letter: 0 for Latin, 3 for Greek, 4 for Cyrillic letters.
    fileprivate var script: UInt32 { value < 0x370 || value >> 8 == 0x1E ? 0 : value >> 8 }
}

extension Character {
    /// Whether the character belongs to a word. An ending may begin with a mark, such as a vowel sign of Hindi.
    fileprivate var isLetterOrMark: Bool {
        isLetter || unicodeScalars.allSatisfy { $0.properties.generalCategory.isMark }
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isMark: Bool { [.nonspacingMark, .spacingMark, .enclosingMark].contains(self) }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
