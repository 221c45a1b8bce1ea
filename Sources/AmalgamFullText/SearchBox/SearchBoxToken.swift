/// A token in the text of a search box.
enum SearchBoxToken {
    case word(SearchBoxWord)
    case field([String])
    case open, close
    case and, or, exclude
}

/// A word or a phrase in the text of a search box.
struct SearchBoxWord {
    /// The range of the word in the text, without quotes.
    var text: Substring

    /// Whether the word was in quotes.
    var isQuoted = false

    /// Whether an asterisk follows the word.
    var hasStar = false

    /// Whether the word ends the text, so that the user may still be typing it.
    var isLast = false
}

extension Character {
    /// Whether the character begins or ends a phrase. Apostrophes don't: they are part of words.
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

    /// Whether a word of only this character has nothing to search for.
    var isSearchBoxNoise: Bool { isWhitespace || isPunctuation || isASCII && !isLetter && !isNumber }
}
