import Amalgam
import Foundation

/// What the full-text index knows about languages: stems and stop words, and synonyms.
struct Wording: Sendable {
    /// The languages of the documents, such as `["en", "de"]`. Documents that don't tell theirs are in the first one.
    let languages: [String]

    /// Groups of words that find each other, by language.
    let synonyms: [String: [[String]]]

    /// - Throws: a `ServiceError` for a language without stemmer.
    init(languages: [String], synonyms: [String: [[String]]]) throws {
        self.languages = languages
        self.synonyms = synonyms
        stemmers = try languages.map { language in
            guard let stemmer = SnowballLanguage(locale: language) else {
                throw ServiceError("There is no stemmer for the language \(language).")
            }
            return stemmer
        }
    }

    private let stemmers: [SnowballLanguage]

    /// The tokenizer that finds synonyms. Connections need it before they use the index.
    var synonymTokenizer: FTS5TokenizerModule {
        .synonyms(languages.flatMap { synonyms[$0] ?? [] }, expanding: .queries)
    }

    /// The tokenizer of the full-text index. Queries are expanded by synonyms; the index contains stems.
    var tokenizer: FTS5TokenizerDescriptor {
        synonymTokenizer.descriptor(wrapping: .snowball(languages: stemmers, stopWords: true))
    }

    /// Returns the synonyms of a JSON file: `{"en": [["car", "automobile"]], "de": [["Auto", "Wagen"]]}`.
    static func synonyms(of file: URL) throws -> [String: [[String]]] {
        try JSONDecoder().decode([String: [[String]]].self, from: Data(contentsOf: file))
    }
}
