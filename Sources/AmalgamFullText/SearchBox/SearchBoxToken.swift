/// A piece of the text of a search box.
enum SearchBoxToken {
    case word(SearchBoxWord)
    case field([String])
    case open, close
    case and, or, exclude
}

/// A word or a phrase in the text of a search box.
struct SearchBoxWord {
    /// Where it is, without quotes.
    var text: Substring

    /// Whether a star follows it.
    var hasStar = false

    /// Whether nothing follows it, so that it is perhaps being typed.
    var isLast = false
}

extension Character {
    /// Whether the character opens or closes a phrase. Apostrophes do not: they are parts of words.
    var isSearchBoxQuote: Bool {
        switch self {
        case "\"", "“", "”", "„", "‟", "«", "»", "＂", "〝", "〞", "〟", "「", "」", "『", "』": true
        default: false
        }
    }

    var isSearchBoxMinus: Bool {
        switch self {
        case "-", "−", "–", "—", "－": true
        default: false
        }
    }

    var isSearchBoxOpening: Bool { self == "(" || self == "（" }

    var isSearchBoxClosing: Bool { self == ")" || self == "）" }

    var isSearchBoxColon: Bool { self == ":" || self == "：" }

    /// Whether the character ends a word.
    var endsSearchBoxWord: Bool {
        isWhitespace || isSearchBoxQuote || isSearchBoxOpening || isSearchBoxClosing || self == "|"
    }

    /// Whether the character alone is nothing to look for.
    var isSearchBoxNoise: Bool { isWhitespace || isPunctuation || isASCII && !isLetter && !isNumber }
}
