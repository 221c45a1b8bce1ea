import Amalgam
import Foundation

/// A document that a search has found.
struct Hit: Codable, Equatable, Sendable {
    var id: Int64
    var path: String
    var language: String?
    var modified: Date
    var title: [Segment]
    var snippet: [Segment]
}

/// A part of a string, which matches the search or doesn't.
struct Segment: Codable, Equatable, Sendable {
    var text: String
    var isMarked: Bool
}

extension Hit: FetchableRecord {
    init(row: Row) throws {
        id = try row.decode(forColumn: "id")
        path = try row.decode(forColumn: "path")
        language = try row.decode(forColumn: "language")
        modified = try row.decode(forColumn: "modified")
        title = [Segment](try row.decode(FTS5MarkedText.self, forColumn: "title"))
        // A search has a snippet, a list of all documents has the beginning of the text.
        let text: DatabaseValue = try row.decode(forColumn: "snippet")
        let snippet = FTS5MarkedSnippet.fromDatabaseValue(text)?.joined() ?? FTS5MarkedText.fromDatabaseValue(text)
        self.snippet = snippet.map { [Segment]($0) } ?? []
    }
}

extension [Segment] {
    init(_ text: FTS5MarkedText) {
        self = text.segments.map { Segment(text: String($0.text), isMarked: $0.isMarked) }
    }
}
