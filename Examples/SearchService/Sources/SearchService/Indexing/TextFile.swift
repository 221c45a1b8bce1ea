import Foundation

/// Reads the text of a file.
enum TextFile {
    /// Larger files aren't indexed.
    static let sizeLimit = 4 << 20

    /// Returns the document of a file; nil for a file that is too large, unreadable or binary.
    ///
    /// Bytes that aren't UTF-8 become `U+FFFD`, so that the rest of the text can be found.
    static func document(_ file: FileList.File) -> IndexedDocument? {
        if file.stamp.size > sizeLimit { return nil }
        guard let bytes = try? Data(contentsOf: file.url), !bytes.contains(0) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return IndexedDocument(
            path: file.path, language: language(ofPath: file.path), modified: Date(nanoseconds: file.stamp.modified),
            title: Title.of(text, path: file.path), metadata: FileMetadata(path: file.path, text: text).json,
            body: text, stamp: file.stamp, hash: bytes.fnv1a)
    }

    /// The language in a name such as `guide.de.txt`; nil for other names.
    private static func language(ofPath path: String) -> String? {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        guard parts.count >= 3, parts[parts.count - 2].count == 2 else { return nil }
        return parts[parts.count - 2].lowercased()
    }
}
