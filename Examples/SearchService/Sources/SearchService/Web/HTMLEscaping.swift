import Foundation
import Mustache

/// Escapes text for HTML, in elements and in quoted attributes.
///
/// It goes through Unicode scalars. Mustache's own escaping goes through characters, and overlooks a quotation mark that is
/// followed by a combining mark: these two are one character.
struct HTMLEscaping: MustacheContentType {
    static let name = "ESCAPED_HTML"

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let entity = Self.entities[scalar] { escaped += entity.unicodeScalars } else { escaped.append(scalar) }
        }
        return String(escaped)
    }

    private static let entities: [Unicode.Scalar: String] = [
        "<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;", "'": "&#39;",
    ]
}

extension MustacheLibrary {
    /// Loads the templates of a folder. All of them escape text by ``HTMLEscaping``.
    init(escaping folder: URL) throws {
        MustacheContentTypes.register(HTMLEscaping(), named: HTMLEscaping.name)
        self.init()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            try register("{{% CONTENT_TYPE:\(HTMLEscaping.name)}}" + text, named: String(name.prefix { $0 != "." }))
        }
    }
}
