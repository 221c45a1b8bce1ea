import AmalgamCore

/// A syntax error in JSON, with its position.
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
    /// The malformed string.
    public let json: String

    /// The offset of the error in the string, in UTF-8 bytes.
    public let utf8Offset: Int

    /// The line of the error, counted from 1.
    public let line: Int

    /// The character of the error in its line, counted from 1.
    public let column: Int

    /// - Parameter position: The position as a Unicode scalar, counted from 1, as `json_error_position` returns it.
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

    /// The line of the error, with a caret below the position. A long line is truncated around it.
    public var excerpt: String { SQLExcerpt(json, offset: utf8Offset).text }
}

extension JSONSyntaxError: CustomStringConvertible {
    public var description: String { "malformed JSON at line \(line), column \(column)\n\(excerpt)" }
}
