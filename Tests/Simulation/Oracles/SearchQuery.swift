/// A full-text query, which the oracle evaluates word by word.
package indirect enum SearchQuery: Codable, Sendable {
    case word(String)
    case prefix(String)
    case phrase([String])
    case initial(String)
    case near(String, String, Int)
    case column(String, SearchQuery)
    case both(SearchQuery, SearchQuery)
    case either(SearchQuery, SearchQuery)
    case without(SearchQuery, SearchQuery)

    /// The query in the syntax of FTS5.
    package var text: String {
        switch self {
        case .word(let word): word
        case .prefix(let word): "\(word)*"
        case .phrase(let words): "\"\(words.joined(separator: " "))\""
        case .initial(let word): "^\(word)"
        case .near(let left, let right, let distance): "NEAR(\(left) \(right), \(distance))"
        case .column(let column, let query): "\(column) : (\(query.text))"
        case .both(let left, let right): "(\(left.text)) AND (\(right.text))"
        case .either(let left, let right): "(\(left.text)) OR (\(right.text))"
        case .without(let left, let right): "(\(left.text)) NOT (\(right.text))"
        }
    }

    /// The kinds of the query and of its parts, for the coverage.
    var kinds: [String] {
        switch self {
        case .word: ["word"]
        case .prefix: ["prefix"]
        case .phrase: ["phrase"]
        case .initial: ["initial"]
        case .near: ["near"]
        case .column(_, let query): ["column"] + query.kinds
        case .both(let left, let right): ["both"] + left.kinds + right.kinds
        case .either(let left, let right): ["either"] + left.kinds + right.kinds
        case .without(let left, let right): ["without"] + left.kinds + right.kinds
        }
    }

    /// Whether a document matches: its columns by their names.
    func matches(_ document: [(name: String, text: Value)]) -> Bool {
        switch self {
        case .both(let left, let right): return left.matches(document) && right.matches(document)
        case .either(let left, let right): return left.matches(document) || right.matches(document)
        case .without(let left, let right): return left.matches(document) && !right.matches(document)
        case .column(let column, let query): return query.matches(document.filter { $0.name == column })
        default: return document.contains { isFound(in: Self.words($0.text)) }
        }
    }

    private func isFound(in words: [String]) -> Bool {
        switch self {
        case .word(let word): return words.contains(word)
        case .prefix(let start): return words.contains { $0.hasPrefix(start) }
        case .initial(let word): return words.first == word
        case .phrase(let phrase):
            return words.indices.contains { words[$0...].starts(with: phrase) }
        case .near(let left, let right, let distance):
            return words.indices.contains { first in
                words.indices.contains { second in
                    words[first] == left && words[second] == right && abs(first - second) - 1 <= distance
                }
            }
        default: return false
        }
    }

    /// The words of a value, as the tokenizer `unicode61` divides the strings of the steps.
    static func words(_ value: Value) -> [String] {
        (value.string ?? "").lowercased().split(separator: " ").map(String.init)
    }
}
