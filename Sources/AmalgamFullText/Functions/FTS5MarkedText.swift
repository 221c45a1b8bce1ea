public import AmalgamCore
public import AmalgamQuery
internal import Foundation

/// A string, and the ranges in it that match a full-text query.
///
/// ```swift
/// struct Hit: Decodable, FetchableRecord {
///     var title: FTS5MarkedText
/// }
///
/// let request = Document.matching("sqlite").select { FTS5.markedText($0.title).forKey("title") }
/// let hits = try request.asRequest(of: Hit.self).fetchAll(db)
/// hits[0].title.text                                     // "A book about SQLite"
/// hits[0].title.marks.map { hits[0].title.text[$0.range] }   // ["SQLite"]
/// ```
///
/// The string has no markers, unlike the result of `highlight()`: the user interface chooses how to show matches.
public struct FTS5MarkedText: Hashable, Sendable {
    /// A range of the string that matches a phrase.
    public struct Mark: Hashable, Sendable {
        /// The range in the string.
        public let range: Range<String.Index>

        /// The index of the matching phrase in the pattern, counted from 0.
        public let phrase: Int
    }

    /// The unchanged string.
    public let text: String

    /// The matches, in ascending order. They may overlap.
    public let marks: [Mark]

    /// The ranges of the matches. Overlapping and adjacent ranges are merged.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedText($0.title) }
    /// for title in try request.asRequest(of: FTS5MarkedText.self).fetchAll(db) {
    ///     print(title.ranges.map { title.text[$0] })   // ["SQLite"]
    /// }
    /// ```
    public var ranges: [Range<String.Index>] {
        marks.reduce(into: []) { ranges, mark in
            if let last = ranges.last, mark.range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<Swift.max(last.upperBound, mark.range.upperBound)
            } else {
                ranges.append(mark.range)
            }
        }
    }
}

extension FTS5 {
    /// Returns an expression for the text of a column and the ranges of its matches, to decode as an
    /// ``FTS5MarkedText``.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedText($0.title) }
    /// let title = try request.asRequest(of: FTS5MarkedText.self).fetchOne(db)
    /// ```
    ///
    /// The expression reads and tokenizes the text, as `highlight()` does. If several tokens have the same position,
    /// the expression marks the text of the token that matches: in a table with
    /// ``FTS5TokenizerModule/identifiers(capitals:named:)``, the pattern `urlsession` marks the whole identifier
    /// `URLSession`. `highlight()` marks only `URL`.
    public static func markedText(_ column: some ColumnExpression) -> SQLExpression {
        let name = column.name
        return SQLExpression(
            node: AuxiliaryNode(
                name: markFunction.name, arguments: { [try $0.index(of: name).node] },
                prepare: { try markFunction.addIfMissing(to: $0) }))
    }

    private static let markFunction = FTS5Function("amalgam_marked_text") { match, arguments in
        let column = arguments.first.flatMap(Int.fromDatabaseValue) ?? 0
        let hits = try match.hits().filter { $0.column == column }
        let places = hits.isEmpty ? TokenPlaces() : try match.tokenPlaces(ofColumn: column)
        let marks = try hits.compactMap { try mark($0, of: match, places) }
        return try match.withText(ofColumn: column) { MarkedBytes.encode($0, marks) }
    }

    /// - Returns: nil for a hit outside of the text, if the content has changed since it was indexed.
    private static func mark(
        _ hit: FTS5Match.Hit, of match: borrowing FTS5Match, _ places: TokenPlaces
    ) throws -> MarkedBytes.Mark? {
        let phrases = try match.cached([[String]].self) { match in
            try (0..<match.phraseCount).map { try match.tokens(ofPhrase: $0) }
        }
        let tokens = phrases[hit.phrase]
        let last = hit.tokenOffset + Swift.max(1, tokens.count) - 1
        guard let start = places.place(at: hit.tokenOffset, matching: tokens.first ?? ""),
            let end = places.place(at: last, matching: tokens.last ?? "")
        else { return nil }
        return MarkedBytes.Mark(
            phrase: hit.phrase, start: start.lowerBound, end: Swift.max(start.upperBound, end.upperBound))
    }
}

extension FTS5MarkedText: DatabaseValueConvertible {
    /// The encoded value that ``FTS5/markedText(_:)`` returns. Only this type can decode it.
    public var databaseValue: DatabaseValue {
        let utf8 = text.utf8
        let marks = marks.map { mark in
            MarkedBytes.Mark(
                phrase: mark.phrase, start: utf8.distance(from: utf8.startIndex, to: mark.range.lowerBound),
                end: utf8.distance(from: utf8.startIndex, to: mark.range.upperBound))
        }
        return Array(utf8).withUnsafeBytes { MarkedBytes.encode($0, marks) }.databaseValue
    }

    /// Decodes a value of ``FTS5/markedText(_:)``, or a plain TEXT value, which has no marks.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5MarkedText? {
        guard case .blob(let data) = dbValue.storage else {
            return String.fromDatabaseValue(dbValue).map { FTS5MarkedText(text: $0, marks: []) }
        }
        guard let (bytes, marks) = MarkedBytes.decode(data) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let isRepaired = !text.utf8.elementsEqual(bytes)
        // Invalid UTF-8 is replaced by U+FFFD, which takes more bytes.
        func place(_ place: Int) -> Int {
            isRepaired ? String(decoding: bytes.prefix(place), as: UTF8.self).utf8.count : place
        }
        return FTS5MarkedText(
            text: text,
            marks: marks.filter { $0.start <= $0.end }.map {
                Mark(range: text.range(ofBytes: place($0.start)..<place($0.end)), phrase: $0.phrase)
            })
    }
}

extension FTS5MarkedText: Codable {
    /// Encodes the ``databaseValue``.
    ///
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data.fromDatabaseValue(databaseValue))
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = FTS5MarkedText.fromDatabaseValue(try container.decode(Data.self).databaseValue) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the data doesn't encode an FTS5MarkedText")
        }
        self = text
    }
}
