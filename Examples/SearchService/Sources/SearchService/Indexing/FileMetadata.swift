import Foundation

/// The metadata of a file.
struct FileMetadata: Encodable {
    /// Such as "Swift": told by the extension of the name.
    var kind: String
    /// The first folder of the path.
    var folder: String
    var lines: Int

    init(path: String, text: String) {
        let components = path.split(separator: "/").map(String.init)
        kind = Self.kind(ofFileNamed: components.last ?? path)
        folder = components.count > 1 ? components[0] : "."
        lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
    }

    /// Such as `{"folder":"ext","kind":"C","lines":120}`.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private static func kind(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "other" }
        return kinds[name[name.index(after: dot)...].lowercased()] ?? "other"
    }

    private static let kinds: [String: String] = {
        let extensions = [
            "C": "c h in y", "C++": "cc cpp cxx hpp", "CSS": "css", "Go": "go", "HTML": "htm html", "Java": "java",
            "JavaScript": "js mjs", "JSON": "json", "Kotlin": "kt", "Makefile": "mk msc", "Markdown": "md markdown",
            "Python": "py", "Ruby": "rb", "Rust": "rs", "Shell": "sh bash bat", "SQL": "sql", "Swift": "swift",
            "Tcl": "tcl test", "Text": "txt rst", "TypeScript": "ts", "XML": "xml svg", "YAML": "yml yaml",
        ]
        return extensions.reduce(into: [:]) { kinds, entry in
            for name in entry.value.split(separator: " ") { kinds[String(name)] = entry.key }
        }
    }()
}
