import AmalgamCore
import Foundation

/// A cursor at the end of a page of search results. Pass it to `fetchPage(_:count:after:)` to fetch the next page.
///
/// Its ``description`` is a short string, for a URL or the saved state of an application:
///
/// ```swift
/// let page = try Document.matching("sqlite").order(Column.rank).fetchPage(db, count: 20)
/// let nextLink = page.next.map { cursor in "/search?q=sqlite&after=\(cursor)" }
/// ```
///
/// The string encodes the rowids of all results so far. If rowids are close to each other, each takes one or two bytes.
public struct SearchPageCursor: Hashable, Sendable {
    /// The rowids of all results so far, in ascending order.
    let rowIDs: [Int64]

    init(rowIDs: some Sequence<Int64>) {
        self.rowIDs = Set(rowIDs).sorted()
    }
}

extension SearchPageCursor: LosslessStringConvertible {
    /// The cursor as a string of ASCII letters, digits, `-` and `_`.
    public var description: String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Creates a cursor from its ``description``. Returns nil if the string isn't the description of a cursor.
    ///
    /// ```swift
    /// let results = Document.matching("sqlite").order(Column.rank)
    /// if let string = try results.fetchPage(db, count: 20).next?.description {
    ///     let second = try results.fetchPage(db, count: 20, after: SearchPageCursor(string))
    /// }
    /// ```
    public init?(_ description: String) {
        let padding = String(repeating: "=", count: (4 - description.utf8.count % 4) % 4)
        let base64 = description.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: base64), let rowIDs = Self.rowIDs(Array(data)[...]) else { return nil }
        self.rowIDs = rowIDs
    }
}

extension SearchPageCursor: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// - Throws: A `DecodingError` if the string isn't a cursor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = SearchPageCursor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the string isn't a cursor of a page")
        }
        self = cursor
    }
}

// MARK: - Bytes

extension SearchPageCursor {
    /// The first byte of the encoding. A different format has a different first byte.
    private static let format: UInt8 = 1

    /// The encoded differences between consecutive rowids, which are small numbers.
    private var bytes: [UInt8] {
        var bytes = [Self.format]
        var previous: UInt64 = 0
        for rowID in rowIDs {
            let current = UInt64(bitPattern: rowID)
            Self.append(current &- previous, to: &bytes)
            previous = current
        }
        return bytes
    }

    /// Appends a variable-length integer: seven bits per byte, lowest bits first. The highest bit is set if more bytes
    /// follow.
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var number = number
        while number > 0x7F {
            bytes.append(UInt8(number & 0x7F) | 0x80)
            number >>= 7
        }
        bytes.append(UInt8(number))
    }

    /// - Returns: nil if the bytes aren't a valid encoding.
    private static func rowIDs(_ bytes: ArraySlice<UInt8>) -> [Int64]? {
        guard bytes.first == format else { return nil }
        var rest = bytes.dropFirst()
        var rowIDs: [Int64] = []
        while !rest.isEmpty {
            guard let difference = number(&rest) else { return nil }
            let rowID = Int64(bitPattern: UInt64(bitPattern: rowIDs.last ?? 0) &+ difference)
            if let last = rowIDs.last, rowID <= last { return nil }
            rowIDs.append(rowID)
        }
        return rowIDs
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while let byte = bytes.popFirst() {
            let bits = UInt64(byte & 0x7F)
            if shift > 63 || shift == 63 && bits > 1 { return nil }
            number |= bits << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        return nil
    }
}
