import AmalgamCore
public import Foundation
import Synchronization

/// The rules for plural and singular forms of English words. With these rules, associations derive their keys from
/// table names.
///
/// ```swift
/// Inflections.default.pluralize("postalAddress")   // postalAddresses
/// Inflections.default.singularize("people")        // person
/// ```
///
/// Only the last word of a name changes. Digits at the end of the name stay there: `player2` and `players2`.
///
/// An app can add its own words, before it opens a database:
///
/// ```swift
/// Inflections.default.irregularSuffix("tooth", "teeth")
/// Inflections.default.uncountableWords(["news"])
/// ```
public struct Inflections: Sendable {
    /// The rules that associations use. An app can add rules.
    ///
    /// ```swift
    /// Inflections.default.irregularSuffix("tooth", "teeth")
    /// ```
    nonisolated(unsafe) public static var `default` = Inflections.english
    // Unsafe because it isn't synchronized: apps change it at launch, before they use it.

    /// The rules for plurals. The last rule that matches applies.
    private var pluralRules: [InflectionRule] = []
    private var singularRules: [InflectionRule] = []
    private var uncountableWords: Set<String> = []

    /// A cache of the forms found so far. A rule is a regular expression, and the same names are inflected repeatedly.
    private var memory = InflectionCache()

    /// Creates inflections without rules. Such inflections don't change words.
    ///
    /// ```swift
    /// var inflections = Inflections()
    /// inflections.plural("$", "s")
    /// inflections.pluralize("book")   // books
    /// ```
    public init() {}

    // MARK: Rules

    /// Adds a rule for plurals. The rule takes precedence over previous rules.
    ///
    /// ```swift
    /// var inflections = Inflections()
    /// inflections.plural("(quiz)$", "$1zes")
    /// inflections.pluralize("quiz")   // quizzes
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a regular expression that matches a word or a part of it. An invalid pattern is reported to
    ///     ``Database/logError``, and the rule isn't added.
    ///   - options: the options of the regular expression. By default, the regular expression ignores case.
    ///   - template: the replacement of the match. `$1` stands for the first capture group.
    public mutating func plural(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        if let rule = InflectionRule(pattern, options, template) { pluralRules.append(rule) }
        memory = InflectionCache()
    }

    /// Adds a rule for singulars. The rule takes precedence over previous rules.
    ///
    /// ```swift
    /// var inflections = Inflections()
    /// inflections.singular("(quiz)zes$", "$1")
    /// inflections.singularize("quizzes")   // quiz
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a regular expression that matches a word or a part of it. An invalid pattern is reported to
    ///     ``Database/logError``, and the rule isn't added.
    ///   - options: the options of the regular expression. By default, the regular expression ignores case.
    ///   - template: the replacement of the match. `$1` stands for the first capture group.
    public mutating func singular(
        _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
    ) {
        if let rule = InflectionRule(pattern, options, template) { singularRules.append(rule) }
        memory = InflectionCache()
    }

    /// Adds words with identical plural and singular forms.
    ///
    /// ```swift
    /// Inflections.default.uncountableWords(["news"])
    /// ```
    public mutating func uncountableWords(_ words: [String]) {
        uncountableWords.formUnion(words.map { $0.lowercased() })
        memory = InflectionCache()
    }

    /// Adds an irregular form for words that end with the given suffix.
    ///
    /// ```swift
    /// var inflections = Inflections()
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

    /// Adds rules for forms that begin with the same letter. The case of this letter doesn't change.
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

    /// Adds rules for forms that begin with different letters, for one case of the first letter.
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

    /// Returns a pattern that matches exactly this string.
    private static func literal(_ text: String) -> String { NSRegularExpression.escapedPattern(for: text) }

    // MARK: Forms

    /// Returns the plural of a name. The result for both `player` and `players` is `players`.
    ///
    /// ```swift
    /// Inflections.default.pluralize("postalAddress")   // postalAddresses
    /// ```
    public func pluralize(_ string: String) -> String {
        memory.form(.plural, of: string) { inflect(string, pluralRules) }
    }

    /// Returns the singular of a name. The result for both `player` and `players` is `player`.
    ///
    /// ```swift
    /// Inflections.default.singularize("people")   // person
    /// ```
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

    /// Returns the string without its final digits.
    static func radical(_ string: String) -> Substring {
        guard let last = string.lastIndex(where: { !("0"..."9" ~= $0) }) else { return "" }
        return string[...last]
    }

    /// Returns the suffix after the last blank or underscore, or from the last capital that begins a word.
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

/// A regular expression, and the replacement of its first match.
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

    /// Returns the inflected word; nil if the word doesn't match.
    func apply(to word: String) -> String? {
        let whole = NSRange(word.startIndex..., in: word)
        guard let match = expression.firstMatch(in: word, range: whole), let range = Range(match.range, in: word) else {
            return nil
        }
        let form = expression.replacementString(for: match, in: word, offset: 0, template: template)
        return word.replacingCharacters(in: range, with: form)
    }
}

/// A cache of forms. Copies of an `Inflections` share the cache until their rules differ.
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
