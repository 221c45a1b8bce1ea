/// The title of a document: its HTML heading, otherwise the first comment or heading that describes it, otherwise its
/// name.
enum Title {
    static func of(_ text: String, path: String) -> String {
        let beginning = String(decoding: text.utf8.prefix(4000), as: UTF8.self)
        let lines = beginning.split(separator: "\n", maxSplits: 60, omittingEmptySubsequences: false)
        return tag(lines, path: path) ?? comment(lines) ?? path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Returns `<title>` or `<h1>`, in HTML and Markdown.
    private static func tag(_ lines: [Substring], path: String) -> String? {
        guard [".html", ".htm", ".md"].contains(where: path.lowercased().hasSuffix) else { return nil }
        guard let line = lines.first(where: { $0.contains("<title") || $0.contains("<h1") }) else { return nil }
        let title = line.drop { $0 != "<" }.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
        return title.isEmpty ? nil : String(title)
    }

    /// Returns the first three lines of the first comment that is neither a date nor a licence.
    private static func comment(_ lines: [Substring]) -> String? {
        let comments = lines.lazy.map { isComment($0) ? words($0) : [] }
        let title = comments.drop { !isTelling($0) }.prefix(3).prefix(while: isTelling).joined()
        return title.isEmpty ? nil : String(title.joined(separator: " ").prefix(160))
    }

    private static func isComment(_ line: Substring) -> Bool {
        let line = line.drop(while: \.isWhitespace)
        return ["/*", "*", "//", "#", "--", ";", "<!--"].contains(where: line.hasPrefix) && !line.hasPrefix("#!")
    }

    /// Returns the words of a line, from the first to the last one that has more than comment signs.
    private static func words(_ line: Substring) -> [Substring] {
        var text = line.utf8.drop(while: signs.contains)
        while let last = text.last, signs.contains(last) { text.removeLast() }
        return text.split(separator: UInt8(ascii: " ")).map(Substring.init)
    }

    private static let signs = Array(" \t\r/*#-=;<>!".utf8)

    private static func isTelling(_ words: [Substring]) -> Bool {
        guard let first = words.first, first.first?.isNumber == false else { return false }
        return !directives.contains(first.lowercased()) && !words.contains { licenceWords.contains($0.lowercased()) }
    }

    private static let directives: Set = [
        "define", "doctype", "if", "ifdef", "ifndef", "include", "may", "pragma", "swift-tools-version:",
    ]

    private static let licenceWords: Set = ["copyright", "copyright.", "licence", "license", "licensed", "legal"]
}
