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
        title = [Segment(text: try row.decode(forColumn: "title"), isMarked: false)]
        // A list of all documents has the beginning of each text, a search has a snippet instead.
        snippet = (row["snippet"] as String?).map { [Segment(text: $0, isMarked: false)] } ?? []
    }
}

/// A result of which only the identifier is known.
struct FoundDocument: Decodable, FetchableRecord {
    var id: Int64
}

/// What matches in a result.
struct Marks: Decodable, FetchableRecord {
    var id: Int64
    var title: FTS5MarkedText
    var snippet: FTS5MarkedSnippet
}

extension Hit {
    mutating func add(_ marks: Marks) {
        title = [Segment](marks.title)
        snippet = [Segment](marks.snippet.joined())
    }
}

extension [Segment] {
    init(_ text: FTS5MarkedText) {
        self = text.segments.map { Segment(text: String($0.text), isMarked: $0.isMarked) }
    }
}
