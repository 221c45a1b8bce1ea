/// Strings that may complete a word that the user is still typing, so that the tokenizer changes its beginning.
///
/// A stemming tokenizer such as `porter` changes "running" to the term "run", which doesn't begin with "runnin". The
/// prefix query `runnin*` would find no document with "running". The endings complete "runnin" to "running".
enum WordEndings {
    /// The endings that English stemmers remove, alone and in sequence.
    private static let endings: [String] = [
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

    /// The strings that complete a beginning of an ending, by this beginning: "g" and "gs" for "in". The empty
    /// beginning has all endings.
    private static let completions: [String: [String]] = {
        var completions: [String: Set<String>] = [:]
        for ending in endings {
            for length in 0..<ending.count {
                completions[String(ending.prefix(length)), default: []].insert(String(ending.dropFirst(length)))
            }
        }
        return completions.mapValues { $0.sorted() }
    }()

    private static let maximumLength = completions.keys.map(\.count).max() ?? 0

    /// The strings that may complete a word.
    static func completions(of word: some StringProtocol) -> [String] {
        guard let last = word.last, last.isLetter else { return [] }
        var found: Set<String> = []
        for length in 0...min(maximumLength, word.count) {
            found.formUnion(completions[word.suffix(length).lowercased()] ?? [])
        }
        return found.sorted()
    }
}
