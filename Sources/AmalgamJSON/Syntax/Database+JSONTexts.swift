public import AmalgamCore
import AmalgamQuery

// Validation and normalization of JSON from user input, by SQLite.

extension Database {
    /// Checks that a string is JSON or JSON5, which allows comments, trailing commas, unquoted keys, and other
    /// extensions.
    ///
    /// ```swift
    /// try db.validateJSON("{name: 'Anna', /* why not */}")
    /// // SELECT json_error_position('{name: ''Anna'', /* why not */}')
    /// ```
    ///
    /// - Throws: A ``JSONSyntaxError`` with the position of the error. See <https://sqlite.org/json1.html#jerr>.
    public func validateJSON(_ json: String) throws {
        // SQLite ends the text at a NUL character.
        let end = json.utf8.firstIndex(of: 0)
        let text = end.map { String(json[..<$0]) } ?? json
        let position = try errorPosition(text)
        if position == 1, let (end, rest) = JSONValueScanner.valueWithRest(text) {
            let value = String(decoding: text.utf8.prefix(end), as: UTF8.self)
            if try errorPosition(value) == 0 { throw JSONSyntaxError(json, utf8Offset: rest) }
        }
        if position > 0 { throw JSONSyntaxError(json, position: position) }
        if end != nil { throw JSONSyntaxError(json, utf8Offset: text.utf8.count) }
    }

    /// The position of the first syntax error as a Unicode scalar, counted from 1, or 0.
    private func errorPosition(_ text: String) throws -> Int {
        try Int.fetchOne(self, sql: "SELECT json_error_position(?)", arguments: [text]) ?? 0
    }

    /// Returns JSON or JSON5 as minified standard JSON.
    ///
    /// ```swift
    /// try db.canonicalJSON("{name: 'Anna', score: 0x10, /* why not */}")
    /// // {"name":"Anna","score":16}
    /// ```
    ///
    /// The order of keys doesn't change. See <https://sqlite.org/json1.html#json5>.
    ///
    /// - Throws: A ``JSONSyntaxError`` with the position of the error.
    public func canonicalJSON(_ json: String) throws -> String {
        try validateJSON(json)
        return try String.fetchOne(self, sql: "SELECT json(?)", arguments: [json]) ?? "null"
    }

    /// Returns JSON or JSON5 as standard JSON with line breaks and indentation.
    ///
    /// ```swift
    /// try db.prettyJSON("{name: 'Anna', tags: []}", indentation: "  ")
    /// // {
    /// //   "name": "Anna",
    /// //   "tags": []
    /// // }
    /// ```
    ///
    /// - Parameter indentation: The indentation of each level.
    /// - Throws: A ``JSONSyntaxError`` with the position of the error. See <https://sqlite.org/json1.html#jpretty>.
    public func prettyJSON(_ json: String, indentation: String = "    ") throws -> String {
        try validateJSON(json)
        let arguments: StatementArguments = [json, indentation]
        return try String.fetchOne(self, sql: "SELECT json_pretty(?, ?)", arguments: arguments) ?? "null"
    }
}
