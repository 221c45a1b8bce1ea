public import AmalgamCore
internal import Foundation

/// Fragments of a string, and the ranges in them that match a full-text query.
///
/// ```swift
/// let request = Document.matching("sqlite").select { FTS5.markedSnippet($0.body, tokenCount: 8) }
/// for excerpt in try request.asRequest(of: FTS5MarkedSnippet.self).fetchAll(db) {
///     print(excerpt.joined().text)                                       // "…is a book about SQLite & other…"
///     print(excerpt.pieces.flatMap { piece in piece.ranges.map { piece.text[$0] } })   // ["SQLite"]
/// }
/// ```
///
/// ``FTS5/html(_:ellipsis:from:to:)`` returns escaped HTML.
public struct FTS5MarkedSnippet: Hashable, Sendable {
    /// The fragments, in the order of the string. There is at least one.
    public let pieces: [FTS5MarkedText]

    /// The index of the column in the full-text table.
    public let column: Int

    /// Whether the string begins before the first piece.
    public let omitsBeginning: Bool

    /// Whether the string ends after the last piece.
    public let omitsEnd: Bool

    /// Returns all pieces as one string, with ellipses where text is omitted.
    ///
    /// ```swift
    /// let request = Document.matching("sqlite").select { FTS5.markedSnippet($0.body) }
    /// let texts = try request.asRequest(of: FTS5MarkedSnippet.self).fetchAll(db).map { $0.joined().text }
    /// ```
    ///
    /// - Parameter ellipsis: The string to insert where text is omitted.
    public func joined(ellipsis: String = "…") -> FTS5MarkedText {
        var bytes: [UInt8] = omitsBeginning ? Array(ellipsis.utf8) : []
        var marks: [MarkedBytes.Mark] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes += ellipsis.utf8 }
            marks += piece.byteMarks.map { $0.moved(by: bytes.count) }
            bytes += piece.text.utf8
        }
        if omitsEnd { bytes += ellipsis.utf8 }
        return FTS5MarkedText(bytes: bytes, marks)
    }
}

extension FTS5MarkedSnippet: DatabaseValueConvertible {
    /// The encoded value that ``FTS5/markedSnippet(_:tokenCount:pieceCount:)`` returns. Only this type can decode it.
    public var databaseValue: DatabaseValue {
        let pieces = pieces.map { piece in
            Array(piece.text.utf8).withUnsafeBytes { MarkedBytes.encode($0, piece.byteMarks) }
        }
        return SnippetBytes(
            column: column, omitsBeginning: omitsBeginning, omitsEnd: omitsEnd, pieces: pieces
        ).encoded.databaseValue
    }

    /// Decodes a value of ``FTS5/markedSnippet(_:tokenCount:pieceCount:)``, or a plain TEXT value, which is one piece
    /// without marks.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5MarkedSnippet? {
        guard case .blob(let data) = dbValue.storage else {
            return FTS5MarkedText.fromDatabaseValue(dbValue).map {
                FTS5MarkedSnippet(pieces: [$0], column: 0, omitsBeginning: false, omitsEnd: false)
            }
        }
        guard let bytes = SnippetBytes(data) else { return nil }
        let pieces = bytes.pieces.compactMap { MarkedBytes.decode($0).map { FTS5MarkedText(bytes: $0.text, $0.marks) } }
        guard pieces.count == bytes.pieces.count, !pieces.isEmpty else { return nil }
        return FTS5MarkedSnippet(
            pieces: pieces, column: bytes.column, omitsBeginning: bytes.omitsBeginning, omitsEnd: bytes.omitsEnd)
    }
}

extension FTS5MarkedSnippet: Codable {
    /// Encodes the ``databaseValue``.
    ///
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data.fromDatabaseValue(databaseValue))
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let snippet = FTS5MarkedSnippet.fromDatabaseValue(try container.decode(Data.self).databaseValue) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the data doesn't encode an FTS5MarkedSnippet")
        }
        self = snippet
    }
}
