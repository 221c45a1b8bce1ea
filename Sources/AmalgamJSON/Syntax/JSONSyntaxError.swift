import AmalgamCore

/// A text that is no JSON, and where.
///
/// ```swift
/// do {
///     try db.validateJSON("{\n  \"name\": Anna\n}")
/// } catch let error as JSONSyntaxError {
///     print(error)
///     // malformed JSON at line 2, column 11
///     //   "name": Anna
///     //           ^
/// }
/// ```
public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The text.
    public let json: String

    /// The place, in UTF-8 bytes from the beginning of the text.
    public let utf8Offset: Int

    /// The line of the place, from 1 on.
    public let line: Int

    /// The character of the line, from 1 on.
    public let column: Int

    /// - Parameter position: the Unicode scalar, from 1 on, as `json_error_position` counts.
    init(_ json: String, position: Int) {
        let scalars = json.unicodeScalars
        let place = scalars.index(scalars.startIndex, offsetBy: max(0, position - 1), limitedBy: scalars.endIndex)
        self.init(json, utf8Offset: json.utf8.distance(from: json.startIndex, to: place ?? scalars.endIndex))
    }

    init(_ json: String, utf8Offset: Int) {
        self.json = json
        self.utf8Offset = utf8Offset
        let before = String(decoding: json.utf8.prefix(utf8Offset), as: UTF8.self)
        line = before.count(where: \.isNewline) + 1
        column = before.reversed().prefix { !$0.isNewline }.count + 1
    }

    /// The line, and a caret under the place. A long line is cut around it.
    public var excerpt: String { SQLExcerpt(json, offset: utf8Offset).text }
}

extension JSONSyntaxError: CustomStringConvertible {
    public var description: String { "malformed JSON at line \(line), column \(column)\n\(excerpt)" }
}
