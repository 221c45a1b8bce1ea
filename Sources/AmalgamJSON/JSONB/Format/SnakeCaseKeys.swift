import Foundation

/// Converts property names to snake-case JSON keys, and back, as Foundation does. JSONB and JSON text then have the
/// same keys.
///
/// Column names are converted differently: a property `ID` has the column `id`, but the JSON key `i_d`.
enum SnakeCaseKeys {
    /// Converts a property name to a JSON key. An uppercase letter begins a word, with these rules:
    ///
    /// - Consecutive uppercase letters are one word, but the last one begins the next word if a lowercase letter
    ///   follows: `myURLProperty` becomes `my_url_property`.
    /// - If no lowercase letter follows in the rest of the name, the rest is one word: `playerID` becomes `player_id`.
    /// - The first character counts as lowercase: `ID` becomes `i_d`.
    static func encode(_ name: String) -> String {
        let characters = Array(name)
        var words: [ArraySlice<Character>] = []
        // The first character always begins a word.
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

    /// `my_property` becomes `myProperty`. Leading and trailing underscores are retained.
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
