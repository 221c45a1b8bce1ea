import Foundation

/// The metadata of a document. The database stores it as JSON.
struct Metadata: Encodable {
    var language: String
    var lines: Int
    var folders: [String]

    init(path: String, text: String) {
        let components = path.split(separator: "/").map(String.init)
        language = Self.language(ofFileNamed: components.last ?? path)
        lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + (text.isEmpty || text.utf8.last == 10 ? 0 : 1)
        folders = components.dropLast()
    }

    /// The metadata as JSON, such as `{"folders":["ext","fts5"],"language":"C","lines":120}`.
    var json: String {
        get throws { String(decoding: try Self.encoder.encode(self), as: UTF8.self) }
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    private static func language(ofFileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "other" }
        return languages[name[name.index(after: dot)...].lowercased()] ?? "other"
    }

    private static let languages: [String: String] = {
        let extensions = [
            "C": "c h in y", "C++": "cc cpp cxx hpp", "C#": "cs", "CSS": "css", "Go": "go", "HTML": "htm html",
            "Java": "java", "JavaScript": "js mjs cjs", "JSON": "json", "Kotlin": "kt", "Makefile": "mk msc",
            "Markdown": "md markdown", "Python": "py", "Ruby": "rb", "Rust": "rs", "Shell": "sh bash bat",
            "SQL": "sql", "Swift": "swift", "Tcl": "tcl", "Tcl test": "test", "Text": "txt rst",
            "TypeScript": "ts", "XML": "xml svg", "YAML": "yml yaml",
        ]
        return extensions.reduce(into: [:]) { languages, entry in
            for name in entry.value.split(separator: " ") { languages[String(name)] = entry.key }
        }
    }()
}
