/// What a page searches for. Two pages with equal parameters have the same results.
package struct SearchParameters: Hashable, Sendable {
    package enum Sort: String, CaseIterable, Codable, Sendable {
        case relevance, newest, oldest, title
    }

    /// The text of the search box. All documents are results if it is empty.
    package var text: String
    package var sort: Sort
    /// The chosen values of each facet.
    package var choices: [String: Set<String>]
    /// Whether the last word is the beginning of a word, because the user is still typing.
    package var isTyping: Bool

    package init(
        text: String = "", sort: Sort = .relevance, choices: [String: Set<String>] = [:], isTyping: Bool = false
    ) {
        self.text = text
        self.sort = sort
        self.choices = choices
        self.isTyping = isTyping
    }
}

extension SearchParameters {
    /// The prefix of the names of form fields that choose facet values: `facet.kind=C`.
    package static let facetPrefix = "facet."

    /// The parameters of a URL. Unknown values have no effect.
    package init(_ fields: FormFields) {
        self.init(
            text: fields["q"]?.prefix(scalars: Self.lengthLimit) ?? "",
            sort: fields["sort"].flatMap(Sort.init) ?? .relevance, isTyping: fields["typing"] == "1")
        // Bytes are compared: a combining mark after the prefix would be a part of its last character.
        let prefix = Self.facetPrefix.utf8
        for (name, value) in fields.pairs.filter({ $0.name.utf8.starts(with: prefix) }).prefix(Self.choiceLimit) {
            let facet = String(decoding: name.utf8.dropFirst(prefix.count), as: UTF8.self)
            guard choices[facet] != nil || choices.count < Self.facetLimit else { continue }
            choices[facet, default: []].insert(value)
        }
    }

    /// The limit of the text, in Unicode scalars: a single character may have any number of them.
    package static let lengthLimit = 500
    package static let facetLimit = 20
    /// The limit of chosen values, of all facets together. A page links to others with the same choices.
    package static let choiceLimit = 100

    /// The parameters as a part of a URL.
    package var query: String {
        var fields = FormFields()
        fields.append("q", text)
        if sort != .relevance { fields.append("sort", sort.rawValue) }
        for (name, values) in choices.sorted(by: { $0.key < $1.key }) {
            for value in values.sorted() { fields.append(Self.facetPrefix + name, value) }
        }
        return fields.encoded
    }

    /// Returns the parameters with a facet value chosen, or not chosen any more.
    package func toggling(_ value: String, of facet: String) -> SearchParameters {
        var copy = self
        let values = copy.choices[facet, default: []].symmetricDifference([value])
        copy.choices[facet] = values.isEmpty ? nil : values
        return copy
    }
}
