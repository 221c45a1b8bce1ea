import Amalgam
import TestSupport

/// Generates texts of few words, and queries and rankings for them.
struct RandomSearches {
    private var generator: SeededGenerator
    private let words: [String]

    /// The number of rows that the searches have found.
    var rowCount = 0

    /// - Parameter words: The words, the most frequent ones first.
    init(seed: UInt64, words: [String] = letterPairs) {
        generator = SeededGenerator(seed: seed)
        self.words = words
    }

    /// 60 words of two letters.
    static let letterPairs: [String] = (0..<60).map { number in
        let letters: [UInt8] = [UInt8(97 + number % 7), UInt8(97 + number / 7)]
        return String(decoding: letters, as: UTF8.self)
    }

    /// 60 words of English, French and both, many of which have different stems in the two languages.
    static let inflections: [String] = {
        let endings = ["", "s", "es", "ing", "ation", "ement", "er", "ed", "ations", "ons", "ent", "ité"]
        return endings.flatMap { ending in ["chat", "maison", "nation", "walk", "form"].map { $0 + ending } }
    }()

    /// 60 words of three to eight letters, many of which differ by one letter or two.
    static let similarWords: [String] = {
        var generator = SeededGenerator(seed: 7)
        return (0..<60).map { _ in
            String((0..<Int.random(in: 3...8, using: &generator)).map { _ in "abc".randomElement(using: &generator)! })
        }
    }()

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

    mutating func element<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    /// A word. A few words are in most documents.
    mutating func word() -> String { words[number(0...element([4, 4, 4, 19, words.count - 1]))] }

    mutating func text(words: Int) -> String { (0..<number(0...words)).map { _ in word() }.joined(separator: " ") }

    /// A word, or a word with an inserted, removed, replaced or transposed letter.
    mutating func typo() -> String {
        var letters = Array(word())
        let place = number(0...letters.count - 1)
        switch number(0...5) {
        case 0: letters.insert(element(letters), at: place)
        case 1: letters.remove(at: place)
        case 2: letters[place] = element(letters)
        case 3 where place > 0: letters.swapAt(place, place - 1)
        default: break
        }
        return String(letters)
    }
}

// MARK: - Queries

extension RandomSearches {
    /// A query with operators.
    mutating func query(depth: Int) -> String {
        guard depth > 0, number(0...9) > 2 else { return phrase() }
        let (left, right) = (query(depth: depth - 1), query(depth: depth - 1))
        return element([
            "(\(left)) AND (\(right))", "\(left) OR \(right)", "(\(left)) OR (\(right))", "(\(left)) NOT (\(right))",
        ])
    }

    private mutating func phrase() -> String {
        let (first, second) = (word(), word())
        return element([
            first, first, first, first, "\(first.prefix(1))*", "\"\(first) \(second)\"", "^\(first)",
            "NEAR(\(first) \(second), \(number(0...3)))", "title : \(first)", "body : \(first)",
            "\(first) + \(second)*",
            "\"\"",
        ])
    }

    /// A query, and the words and typos of its phrases.
    struct Groups {
        var query = ""
        /// The number of phrases.
        var count = 0
        var wordCount = 0
        /// The first argument of `amalgam_typos()`.
        var plan = ""
    }

    /// AND'd groups of OR'd phrases. Often, each group is a word of the plan, and its phrases are the alternatives.
    mutating func groups() -> Groups {
        var groups = Groups()
        let kinds = number(0...2)
        for group in 0..<number(1...3) {
            if number(0...2) > 0 { groups.wordCount += 1 }
            let phrases = (0..<number(1...element([2, 4, 7]))).map { _ in
                append(number(0...7) == 0 ? number(0...20) : groups.wordCount - 1, to: &groups)
                return alternative(kinds)
            }
            groups.query += (group == 0 ? "" : " AND ") + "(" + phrases.joined(separator: " OR ") + ")"
        }
        if number(0...9) == 0 {
            append(groups.wordCount, to: &groups)
            groups.query += element([" NOT ", " OR ", " AND "]) + word()
        }
        return groups
    }

    /// - Parameter kinds: 0 for terms, 1 for other queries of one phrase as well.
    private mutating func alternative(_ kinds: Int) -> String {
        let (first, second) = (word(), word())
        if kinds == 0 { return first }
        return element([
            first, first, first, "\(first.prefix(2))*", "{title} : \(first)", "body : \(first)",
            kinds == 1 ? first : "\"\(first) \(second)\"", kinds == 1 ? first : "^\(first)",
        ])
    }

    /// Adds a phrase to the plan. Words have the numbers from 0, in the order of their first phrases.
    private mutating func append(_ word: Int, to groups: inout Groups) {
        let word = min(max(0, word), groups.plan.isEmpty ? 0 : groups.wordCount)
        groups.wordCount = max(groups.wordCount, word + 1)
        groups.plan += (groups.plan.isEmpty ? "" : " ") + "\(word):\(number(0...2))"
        groups.count += 1
    }
}

// MARK: - Rankings

/// A ranking function with its arguments.
struct Ranking {
    var name: String
    var arguments: [String] = []

    /// The argument of `rank MATCH`.
    var text: String { "\(name)(\(arguments.joined(separator: ", ")))" }

    /// A call of the function.
    func call(_ table: String) -> String { "\(name)(\(([table] + arguments).joined(separator: ", ")))" }

    static let bm25 = Ranking(name: "bm25")
}

extension RandomSearches {
    /// The ranking of a query with groups. Its plan is sometimes that of another query, or no plan at all.
    mutating func ranking(_ groups: Groups) -> Ranking? {
        if number(0...3) == 0 { return ranking() }
        let plan = number(0...3) > 0 ? groups.plan : invalidPlan(groups)
        let weights = element([[], [], ["10.0", "0.3"], ["0.0", "2.0"], ["3.0"], ["1.0", "2.0", "9.0"], ["-1.0"]])
        return Ranking(name: "amalgam_typos", arguments: ["'\(plan)'"] + weights)
    }

    /// The ranking of any query; nil for that of the table.
    mutating func ranking() -> Ranking? {
        element([
            nil, nil, nil, Ranking(name: "bm25", arguments: ["10.0", "0.0"]), Ranking(name: "amalgam_typos"),
            Ranking(name: "amalgam_typos", arguments: ["'0:0 0:1'", "2.0"]),
            Ranking(name: "amalgam_typos", arguments: ["NULL"]),
            Ranking(name: "amalgam_typos", arguments: ["7", "0.5"]),
        ])
    }

    private mutating func invalidPlan(_ groups: Groups) -> String {
        element([
            "", "junk", "0", "0:", ":0", " 0:0", "1:0", "0:255", "0:99999999999999999999", "0:0 9:0", "-1:0",
            groups.plan + " ", groups.plan + " 0:0", groups.plan + "x", String(groups.plan.dropLast()),
        ])
    }
}
