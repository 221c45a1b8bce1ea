/// The title of a file: its heading, otherwise its first comment, otherwise its name.
enum Title {
    static func of(_ text: String, path: String) -> String {
        let beginning = String(decoding: text.utf8.prefix(4000), as: UTF8.self)
        let lines = beginning.split(separator: "\n", maxSplits: 60)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return heading(lines) ?? comment(lines) ?? name
    }

    /// Returns the content of `<title>` or `<h1>`.
    private static func heading(_ lines: [Substring]) -> String? {
        guard let line = lines.first(where: { $0.contains("<title") || $0.contains("<h1") }) else { return nil }
        let title = line.drop { $0 != "<" }.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
        return title.isEmpty ? nil : String(title.prefix(lengthLimit))
    }

    /// Returns the first sentence of a comment, or a Markdown heading, that isn't about a licence.
    private static func comment(_ lines: [Substring]) -> String? {
        let comments = lines.lazy.map { isComment($0) ? words($0) : [] }
        let text = comments.drop { !isTelling($0) }.prefix(2).joined().joined(separator: " ")
        let sentence = text.firstRange(of: ". ").map { text[..<$0.lowerBound] } ?? text[...]
        return sentence.isEmpty ? nil : String(sentence.prefix(lengthLimit))
    }

    private static let lengthLimit = 160

    private static func isComment(_ line: Substring) -> Bool {
        let line = line.drop(while: \.isWhitespace)
        return ["/*", "*", "//", "#", "--", ";", "<!--"].contains(where: line.hasPrefix) && !line.hasPrefix("#!")
    }

    private static func words(_ line: Substring) -> [Substring] {
        line.split { " \t\r".contains($0) }.filter { word in word.contains { $0.isLetter || $0.isNumber } }
    }

    private static func isTelling(_ words: [Substring]) -> Bool {
        guard let first = words.first, first.first?.isNumber == false else { return false }
        return words.count >= 2 && !directives.contains(first.lowercased())
            && !words.contains { licenceWords.contains($0.lowercased()) }
    }

    private static let directives: Set = [
        "#define", "#if", "#ifdef", "#ifndef", "#include", "#pragma", "define", "if", "ifdef", "ifndef", "include",
        "pragma", "may", "swift-tools-version:",
    ]

    private static let licenceWords: Set = ["copyright", "licence", "license", "licensed", "legal", "disclaims"]
}
