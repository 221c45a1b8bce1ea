import AmalgamCore
public import Foundation
import Synchronization

/// How English words get their plural and singular forms: names of associations are made so from names of tables.
///
/// ```swift
/// Inflections.default.pluralize("postalAddress")   // postalAddresses
/// Inflections.default.singularize("people")        // person
/// ```
///
/// Only the last word of a name changes, and digits at its end stay there: `player2` and `players2`.
///
/// An app may add words of its own, before it opens a database:
///
/// ```swift
/// Inflections.default.irregularSuffix("tooth", "teeth")
/// Inflections.default.uncountableWords(["news"])
/// ```
public struct Inflections: Sendable {
    /// The rules for English, to which an app may add its own.
    nonisolated(unsafe) public static var `default` = Inflections.english
    // Apps change it when they start, before they use it.

    /// Later rules come first.
    private var pluralRules: [InflectionRule] = []
    private var singularRules: [InflectionRule] = []
    private var uncountableWords: Set<String> = []

    /// The forms found so far: a rule is a regular expression, and names are asked for again and again.
    private var memory = InflectionCache()

    /// No rules: words stay as they are.
    public init() {}

    // MARK: Rules

    /// Adds a rule for plurals, which takes precedence over the rules added before.
    ///
    /// ```swift
    /// inflections.plural("(quiz)$", "$1zes")
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a regular expression for (a part of) a word. A pattern that is not valid is reported to
    ///     ``Database/logError``, and ignored.
    ///   - options: ignores case when not given.
    ///   - template: what the match is replaced with. `$1` stands for what the first parentheses match.
    public mutating func plural(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        if let rule = InflectionRule(pattern, options, template) { pluralRules.append(rule) }
        memory = InflectionCache()
    }

    /// Adds a rule for singulars, which takes precedence over the rules added before.
    ///
    /// ```swift
    /// inflections.singular("(quiz)zes$", "$1")
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a regular expression for (a part of) a word. A pattern that is not valid is reported to
    ///     ``Database/logError``, and ignored.
    ///   - options: ignores case when not given.
    ///   - template: what the match is replaced with. `$1` stands for what the first parentheses match.
    public mutating func singular(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        if let rule = InflectionRule(pattern, options, template) { singularRules.append(rule) }
        memory = InflectionCache()
    }

    /// Adds words whose plural and singular are the same.
    ///
    /// ```swift
    /// inflections.uncountableWords(["foo", "bar"])
    /// ```
    public mutating func uncountableWords(_ words: [String]) {
        uncountableWords.formUnion(words.map { $0.lowercased() })
        memory = InflectionCache()
    }

    /// Adds the forms of words that end with these ones.
    ///
    /// ```swift
    /// inflections.irregularSuffix("man", "men")
    /// inflections.pluralize("woman")   // women
    /// ```
    public mutating func irregularSuffix(_ singular: String, _ plural: String) {
        guard let first = singular.first, let pluralFirst = plural.first else { return }
        if first.lowercased() == pluralFirst.lowercased() {
            addIrregular(String(first), singular.dropFirst(), plural.dropFirst())
        } else {
            addIrregular(singular, plural) { $0.uppercased() }
            addIrregular(singular, plural) { $0.lowercased() }
        }
    }

    /// Both forms begin alike, and the first letter keeps its case.
    private mutating func addIrregular(_ first: String, _ singularRest: Substring, _ pluralRest: Substring) {
        func pattern(_ rest: Substring) -> String {
            let (first, rest) = (Self.literal(first), Self.literal(String(rest)))
            return "(\(first))\(rest)$"
        }
        func template(_ rest: Substring) -> String {
            "$1" + NSRegularExpression.escapedTemplate(for: String(rest))
        }
        for rest in [singularRest, pluralRest] {
            plural(pattern(rest), template(pluralRest))
            singular(pattern(rest), template(singularRest))
        }
    }

    /// The forms begin with different letters, one of which has this case.
    private mutating func addIrregular(_ singular: String, _ plural: String, _ firstCase: (String) -> String) {
        func form(_ word: String) -> (first: String, rest: String) {
            (firstCase(String(word.prefix(1))), String(word.dropFirst()))
        }
        func template(_ word: String) -> String {
            NSRegularExpression.escapedTemplate(for: form(word).first + form(word).rest)
        }
        for word in [singular, plural] {
            let (first, rest) = form(word)
            let pattern =
                "\(Self.literal(first))(?i:\(Self.literal(rest)))$"
            self.plural(pattern, options: [], template(plural))
            self.singular(pattern, options: [], template(singular))
        }
    }

    /// A pattern that matches this text, and nothing else.
    private static func literal(_ text: String) -> String { NSRegularExpression.escapedPattern(for: text) }

    // MARK: Forms

    /// The plural of a name: `player` gives `players`, and so does `players`.
    public func pluralize(_ string: String) -> String {
        memory.form(.plural, of: string) { inflect(string, pluralRules) }
    }

    /// The singular of a name: `players` gives `player`, and so does `player`.
    public func singularize(_ string: String) -> String {
        memory.form(.singular, of: string) { inflect(string, singularRules) }
    }

    private func inflect(_ string: String, _ rules: [InflectionRule]) -> String {
        let radical = Self.radical(string)
        let word = Self.lastWord(radical)
        if word.isEmpty || uncountableWords.contains(word.lowercased()) { return string }
        for rule in rules.reversed() {
            if let form = rule.apply(to: String(word)) {
                return string[..<word.startIndex] + form + string[radical.endIndex...]
            }
        }
        return string
    }

    /// The string without the digits at its end.
    static func radical(_ string: String) -> Substring {
        guard let last = string.lastIndex(where: { !("0"..."9" ~= $0) }) else { return "" }
        return string[...last]
    }

    /// What comes after the last blank or underscore, or begins with the last capital that begins a word.
    static func lastWord(_ string: Substring) -> Substring {
        var end = string.endIndex
        while end > string.startIndex {
            let index = string.index(before: end)
            let character = string[index]
            if character == "_" || character.isWhitespace { return string[end...] }
            if character.isUppercase {
                let followsCapital = index > string.startIndex && string[string.index(before: index)].isUppercase
                let precedesSmallLetter = end < string.endIndex && string[end].isLowercase
                if !followsCapital || precedesSmallLetter { return string[index...] }
            }
            end = index
        }
        return string
    }
}

/// A pattern, and what is put in the place of its first match.
private struct InflectionRule: Sendable {
    let expression: NSRegularExpression
    let template: String

    init?(_ pattern: String, _ options: NSRegularExpression.Options, _ template: String) {
        do {
            expression = try NSRegularExpression(pattern: pattern, options: options)
            self.template = template
        } catch {
            Database.logError?(.SQLITE_MISUSE, "not a regular expression: \(pattern)")
            return nil
        }
    }

    /// Nil when the word does not match.
    func apply(to word: String) -> String? {
        let whole = NSRange(word.startIndex..., in: word)
        guard let match = expression.firstMatch(in: word, range: whole), let range = Range(match.range, in: word) else {
            return nil
        }
        let form = expression.replacementString(for: match, in: word, offset: 0, template: template)
        return word.replacingCharacters(in: range, with: form)
    }
}

/// A cache of forms. Copies of an `Inflections` share it as long as they have the same rules.
private final class InflectionCache: Sendable {
    enum Number { case plural, singular }

    private struct CacheKey: Hashable {
        var number: Number
        var word: String
    }

    private static var capacity: Int { 1000 }

    private let forms = Mutex<[CacheKey: String]>([:])

    func form(_ number: Number, of word: String, _ inflect: () -> String) -> String {
        let key = CacheKey(number: number, word: word)
        if let form = forms.withLock({ $0[key] }) { return form }
        let form = inflect()
        forms.withLock { forms in
            // Names of tables and associations are few. The capacity bounds the memory for other words.
            if forms.count >= Self.capacity { forms.removeAll() }
            forms[key] = form
        }
        return form
    }
}
