public import AmalgamCore
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
/// ``FTS5/html(_:from:to:)`` returns escaped HTML, and ``strippingHTML()`` the visible text of a document in HTML.
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

    /// A part of the string that is marked as a whole, or not marked at all.
    public struct Segment: Hashable, Sendable {
        /// The part of the string.
        public let text: Substring

        /// Whether the part matches.
        public let isMarked: Bool
    }

    /// The whole string in parts, which are alternately marked and not marked. An empty string has no parts.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedText($0.title) }
    /// for title in try request.asRequest(of: FTS5MarkedText.self).fetchAll(db) {
    ///     print(title.segments.map { $0.isMarked ? "[\($0.text)]" : $0.text }.joined())   // "A book about [SQLite]"
    /// }
    /// ```
    public var segments: [Segment] {
        var segments: [Segment] = []
        var position = text.startIndex
        func append(upTo end: String.Index, isMarked: Bool) {
            if position < end { segments.append(Segment(text: text[position..<end], isMarked: isMarked)) }
            position = Swift.max(position, end)
        }
        for range in ranges {
            append(upTo: range.lowerBound, isMarked: false)
            append(upTo: range.upperBound, isMarked: true)
        }
        append(upTo: text.endIndex, isMarked: false)
        return segments
    }

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

extension FTS5MarkedText: DatabaseValueConvertible {
    /// The encoded value that ``FTS5/markedText(_:)`` returns. Only this type can decode it.
    public var databaseValue: DatabaseValue {
        Array(text.utf8).withUnsafeBytes { MarkedBytes.encode($0, byteMarks) }.databaseValue
    }

    /// Decodes a value of ``FTS5/markedText(_:)``, or a plain TEXT value, which has no marks.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5MarkedText? {
        guard case .blob(let data) = dbValue.storage else {
            return String.fromDatabaseValue(dbValue).map { FTS5MarkedText(text: $0, marks: []) }
        }
        return MarkedBytes.decode(data).map { FTS5MarkedText(bytes: $0.text, $0.marks) }
    }
}

extension FTS5MarkedText {
    /// Invalid UTF-8 is replaced by U+FFFD, which takes more bytes. The marks move with their text.
    init(bytes: some Collection<UInt8>, _ marks: [MarkedBytes.Mark]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let isRepaired = !text.utf8.elementsEqual(bytes)
        func place(_ place: Int) -> Int {
            isRepaired ? String(decoding: bytes.prefix(place), as: UTF8.self).utf8.count : place
        }
        self.init(
            text: text,
            marks: marks.filter { $0.start <= $0.end }.map {
                Mark(range: text.range(ofBytes: place($0.start)..<place($0.end)), phrase: $0.phrase)
            })
    }

    /// The marks, with byte offsets in the text.
    var byteMarks: [MarkedBytes.Mark] {
        let utf8 = text.utf8
        return marks.map { mark in
            MarkedBytes.Mark(
                phrase: mark.phrase, start: utf8.distance(from: utf8.startIndex, to: mark.range.lowerBound),
                end: utf8.distance(from: utf8.startIndex, to: mark.range.upperBound))
        }
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
