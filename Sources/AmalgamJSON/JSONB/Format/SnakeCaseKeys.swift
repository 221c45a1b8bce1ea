import Foundation

/// Names of properties and keys of JSON, as Foundation's strategies convert them: JSONB and text have the same keys.
///
/// This is not what names of columns become, which are made for people: a property `ID` is a column `id`, and a key `i_d`.
enum SnakeCaseKeys {
    /// `myURLProperty` becomes `my_url_property`.
    ///
    /// A capital begins a word, or a row of them does, without the last one when a small letter follows. Nothing is a word
    /// any more where no small letter follows at all.
    static func encode(_ name: String) -> String {
        let characters = Array(name)
        var words: [ArraySlice<Character>] = []
        // The first character begins a word, whatever it is.
        var (start, position) = (0, min(1, characters.count))
        while let capital = characters[position...].firstIndex(where: \.isCapitalLetter) {
            words.append(characters[start..<capital])
            guard let small = characters[capital...].firstIndex(where: \.isSmallLetter) else {
                start = capital
                break
            }
            if small > capital + 1 { words.append(characters[capital..<small - 1]) }
            (start, position) = (small - 1, small + 1)
        }
        words.append(characters[start...])
        return words.map { String($0).lowercased() }.joined(separator: "_")
    }

    /// `my_property` becomes `myProperty`. Underscores at both ends stay.
    static func decode(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        if words.count == 1 { return key }
        let name = words[0].lowercased() + words[1...].map(\.capitalized).joined()
        return key[..<first] + name + key[key.index(after: last)...]
    }
}

extension Character {
    fileprivate var isCapitalLetter: Bool {
        unicodeScalars.contains { [.uppercaseLetter, .titlecaseLetter].contains($0.properties.generalCategory) }
    }

    fileprivate var isSmallLetter: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .lowercaseLetter }
    }
}
