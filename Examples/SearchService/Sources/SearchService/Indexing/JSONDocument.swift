import Foundation
import ServiceInputs

/// A line of a JSON Lines file.
enum JSONDocument {
    /// Returns the document of a line; nil if the line isn't a JSON object with `body` or `text`.
    static func document(_ line: Data, number: Int, _ stamp: SourceStamp) -> IndexedDocument? {
        guard var object = try? JSONDecoder().decode([String: JSONValue].self, from: line) else { return nil }
        guard let body = (object.removeValue(forKey: "body") ?? object.removeValue(forKey: "text"))?.string else {
            return nil
        }
        let key = object.removeValue(forKey: "id")?.text ?? "line \(number)"
        let title = object.removeValue(forKey: "title")?.string ?? String(body.prefix(80))
        let language = object["language"]?.string
        return IndexedDocument(
            path: key, language: language, modified: date(object) ?? Date(nanoseconds: stamp.modified), title: title,
            metadata: JSONValue.object(object).json, body: body,
            stamp: SourceStamp(size: line.count, modified: stamp.modified), hash: line.fnv1a)
    }

    /// The date of a document, in ISO 8601.
    private static func date(_ object: [String: JSONValue]) -> Date? {
        guard let text = object["date"]?.string else { return nil }
        return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: .iso8601.year().month().day()))
    }
}
